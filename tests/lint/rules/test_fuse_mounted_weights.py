"""Volumes that are a bucket, under the model."""

from typing import Any

import pytest

from tests.lint.rules.engines import engine, hits, written

CODE = "fuse-mounted-weights"
S3 = {"driver": "s3.csi.aws.com", "volumeAttributes": {"bucketName": "models"}}
CLAIM = {"persistentVolumeClaim": {"claimName": "models"}}


@pytest.mark.parametrize(
    ("csi", "is_found"),
    [
        (S3, True),
        ({"driver": "gcsfuse.csi.storage.gke.io"}, True),
        (
            {
                "driver": "gcsfuse.csi.storage.gke.io",
                "volumeAttributes": {"mountOptions": "file-cache:enable-parallel-downloads:true"},
            },
            False,
        ),
        ({"driver": "blob.csi.azure.com"}, True),
        ({"driver": "blob.csi.azure.com", "volumeAttributes": {"protocol": "nfs"}}, False),
        ({"driver": "efs.csi.aws.com"}, False),
    ],
)
def test_a_volume_of_the_pod_itself_counts(csi: dict[str, Any], is_found: bool) -> None:
    """By its driver, unless it is no FUSE mount or reads ahead by itself."""
    text = engine(model="/models/qwen", volumes={"/models": {"csi": csi}})
    assert is_found == hits(CODE, text)


@pytest.mark.parametrize("by", ["claimRef", "volumeName"])
def test_a_volume_behind_a_claim_counts_where_it_is_among_the_objects(by: str) -> None:
    """By either of the two ways in which the two are bound."""
    reference = {"claimRef": {"name": "models"}} if by == "claimRef" else {}
    volume = written("PersistentVolume", "bucket", {"csi": S3, **reference})
    claim = written(
        "PersistentVolumeClaim", "models", {"volumeName": "bucket"} if not reference else {}
    )
    text = engine(model="/models/qwen", volumes={"/models": CLAIM})
    assert hits(CODE, volume, claim, text)
    assert not hits(CODE, text)


def test_a_bucket_that_holds_no_weights_is_fine() -> None:
    """Mounted elsewhere, or the model is streamed."""
    volumes = {"/data": {"csi": S3}}
    assert not hits(CODE, engine(model="/models/qwen", volumes=volumes))
    assert not hits(CODE, engine(model="s3://models/qwen", volumes=volumes))
