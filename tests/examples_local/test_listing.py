"""What our bucket says is what moto's says of the same objects."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st
from listing import serve
from moto.server import ThreadedMotoServer

BUCKET = "weights"
PAIR: dict[str, Any] = {}


@pytest.fixture(scope="module", autouse=True)
def _both(
    folder: Path, objects: Mapping[str, bytes], client: Callable[[str], Any]
) -> Iterator[None]:
    """Serve the same objects by both."""
    moto = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    moto.start()
    host, port = moto.get_host_and_port()
    theirs = client(f"http://{host}:{port}")
    theirs.create_bucket(Bucket=BUCKET)
    for key, body in objects.items():
        theirs.put_object(Bucket=BUCKET, Key=key, Body=body)
    with serve(folder, BUCKET) as ours:
        PAIR.update(theirs=theirs, ours=client(f"http://127.0.0.1:{ours}"))
        yield
    PAIR.clear()
    moto.stop()


def listed(who: str, operation: str, **asked: Any) -> list[object]:
    """What one of the two lists, page by page."""
    pages = PAIR[who].get_paginator(operation).paginate(Bucket=BUCKET, **asked)
    return [
        (
            [(one["Key"], one["Size"]) for one in page.get("Contents", [])],
            [one["Prefix"] for one in page.get("CommonPrefixes", [])],
            page["IsTruncated"],
        )
        for page in pages
    ]


PREFIXES = st.sampled_from(["", "m", "model", "model/", "model/deep", "with space & ", "zz", "a"])
DELIMITERS = st.sampled_from([{}, {"Delimiter": "/"}, {"Delimiter": "o"}])


@given(prefix=PREFIXES, delimiter=DELIMITERS, most=st.integers(1, 9))
def test_lists_as_moto_does(prefix: str, delimiter: dict[str, str], most: int) -> None:
    """Keys, sizes, common prefixes and where a page ends, for any prefix, delimiter and length."""
    asked: dict[str, Any] = {"Prefix": prefix, "MaxKeys": most, **delimiter}

    theirs = listed("theirs", "list_objects_v2", **asked)

    assert theirs == listed("ours", "list_objects_v2", **asked)


@given(prefix=PREFIXES, delimiter=DELIMITERS, most=st.integers(1, 9))
def test_both_versions_list_the_same(prefix: str, delimiter: dict[str, str], most: int) -> None:
    """ListObjects, which older clients use, pages through the same objects."""
    asked: dict[str, Any] = {"Prefix": prefix, "MaxKeys": most, **delimiter}

    assert listed("ours", "list_objects_v2", **asked) == listed("ours", "list_objects", **asked)


@given(after=st.sampled_from(["", "a", "model/", "model/config.json", "model0", "zzz"]))
def test_starts_after_what_was_named(after: str) -> None:
    """As moto does."""
    theirs = listed("theirs", "list_objects_v2", StartAfter=after)

    assert theirs == listed("ours", "list_objects_v2", StartAfter=after)


def test_says_where_the_bucket_is() -> None:
    """GetBucketLocation, HeadBucket and ListBuckets, which clients ask before anything else."""
    assert PAIR["theirs"].get_bucket_location(Bucket=BUCKET)["LocationConstraint"] is None
    assert PAIR["ours"].get_bucket_location(Bucket=BUCKET)["LocationConstraint"] is None
    assert 200 == PAIR["ours"].head_bucket(Bucket=BUCKET)["ResponseMetadata"]["HTTPStatusCode"]
    assert [BUCKET] == [one["Name"] for one in PAIR["ours"].list_buckets()["Buckets"]]


@pytest.mark.parametrize(
    "asked",
    [
        lambda s3: s3.list_objects_v2(Bucket="other"),
        lambda s3: s3.head_bucket(Bucket="other"),
        lambda s3: s3.get_object(Bucket=BUCKET, Key="nothing"),
        lambda s3: s3.head_object(Bucket=BUCKET, Key="nothing"),
    ],
)
def test_refuses_as_moto_does(asked: Callable[[Any], object]) -> None:
    """The same code and status for what is not there."""
    said = []
    for who in ("theirs", "ours"):
        with pytest.raises(ClientError) as refused:
            asked(PAIR[who])
        said.append(
            (
                refused.value.response["Error"]["Code"],
                refused.value.response["ResponseMetadata"]["HTTPStatusCode"],
            )
        )

    assert said[0] == said[1]


def test_nothing_can_be_written() -> None:
    """It is said to be denied."""
    with pytest.raises(ClientError) as refused:
        PAIR["ours"].put_object(Bucket=BUCKET, Key="new", Body=b"")

    assert "AccessDenied" == refused.value.response["Error"]["Code"]


def test_what_is_not_answered_says_so() -> None:
    """A question that this bucket does not know is not answered with a listing."""
    with pytest.raises(ClientError) as refused:
        PAIR["ours"].get_bucket_versioning(Bucket=BUCKET)

    assert "NotImplemented" == refused.value.response["Error"]["Code"]
