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


@pytest.mark.parametrize(
    ("form", "is_found"),
    [
        ("auto", True),
        ("safetensors", True),
        ("runai_streamer", False),
        ("runai_streamer_sharded", False),
        ("$(FORMAT)", False),
    ],
)
def test_the_streamer_reads_a_mount_by_many_requests(form: str, is_found: bool) -> None:
    """So it is not one block after the other."""
    text = engine(f"--load-format={form}", model="/models/qwen", volumes={"/models": {"csi": S3}})
    assert is_found == hits(CODE, text)


@pytest.mark.parametrize(
    ("option", "is_found"),
    [
        ("file-cache:enable-parallel-downloads:false", True),
        ("file-cache-enable-parallel-downloads=false", True),
        ("file-cache-enable-parallel-downloads=true", False),
        ("file-cache-enable-parallel-downloads", False),
    ],
)
def test_parallel_downloads_have_to_be_on(option: str, is_found: bool) -> None:
    """In each way to write it."""
    csi = {"driver": "gcsfuse.csi.storage.gke.io", "volumeAttributes": {"mountOptions": option}}
    text = engine(model="/models/qwen", volumes={"/models": {"csi": csi}})
    assert is_found == hits(CODE, text)


@pytest.mark.parametrize(
    ("mine", "its"), [("serving", ""), ("", "serving"), ("serving", "serving")]
)
@pytest.mark.parametrize("by", ["claimRef", "volumeName"])
def test_a_claim_that_says_no_namespace_is_the_engines(mine: str, its: str, by: str) -> None:
    """As files do that are applied with `-n`."""
    reference = {"claimRef": {"name": "models", **({"namespace": its} if its else {})}}
    by_volume = by == "claimRef"
    volume = written("PersistentVolume", "bucket", {"csi": S3, **(reference if by_volume else {})})
    spec = {} if by_volume else {"volumeName": "bucket"}
    claim = written("PersistentVolumeClaim", "models", spec, namespace=its)
    text = engine(model="/models/qwen", volumes={"/models": CLAIM}, namespace=mine)
    assert hits(CODE, volume, claim, text)


def test_a_claim_of_another_namespace_is_not_the_engines() -> None:
    """Of the same name."""
    volume = written("PersistentVolume", "bucket", {"csi": S3})
    spec = {"volumeName": "bucket"}
    claim = written("PersistentVolumeClaim", "models", spec, namespace="other")
    text = engine(model="/models/qwen", volumes={"/models": CLAIM}, namespace="serving")
    assert not hits(CODE, volume, claim, text)
