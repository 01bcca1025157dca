"""Where a cache may come to."""

import pytest
from msgspec.structs import replace

from firstlight.caches.relocating import check_place
from firstlight.core.errors import BadInput
from tests.caches.made import FACTORS, manifest

SINCE = ["0.32.0", "0.32.0+cpu", "v0.32.1", "0.100.0", "1.0", "0.32.0rc1"]
BEFORE = ["0.31.9", "0.9.2", "0.3.20", "dev", "", None]


def check(version: str | None, into: str, was: dict[str, str] | None = None) -> None:
    """Of a cache that was filled at /cache/vllm, unless it is said where."""
    made = manifest("vllm/a", factors=replace(FACTORS, vllm=version))
    check_place(made if was is None else replace(made, roots=was), into)


@pytest.mark.parametrize("version", SINCE)
def test_since_032_it_may_lie_anywhere(version: str) -> None:
    """Its paths are made from where it lies."""
    check(version, "/other")


@pytest.mark.parametrize("version", BEFORE)
def test_before_it_lies_where_it_was_filled(version: str | None) -> None:
    """Elsewhere is refused, and it is said where to; so is it where nobody knows the version."""
    check(version, "/cache")
    check(version, "/cache/")
    with pytest.raises(BadInput) as refused:
        check(version, "/other")

    assert "filled at /cache/vllm" in str(refused.value)
    assert "not at /other/vllm" in str(refused.value)
    assert "--into /cache," in refused.value.remedy


def test_a_cache_without_vllms_own_may_lie_anywhere() -> None:
    """The others have no paths in them."""
    check("0.31.0", "/other", was={"triton": "/cache/triton"})
