"""GPUs that are requested and limited."""

import pytest

from tests.lint.rules.engines import engine, hits

CODE = "gpu-requests-differ"


def asks(requested: object, limited: object) -> str:
    resources = {"requests": {"nvidia.com/gpu": requested}, "limits": {"nvidia.com/gpu": limited}}
    return engine(container={"resources": resources})


@pytest.mark.parametrize(("requested", "limited"), [(1, "1000m"), ("1k", 1000), ("1", "1.0")])
def test_one_number_in_two_spellings_is_one(requested: object, limited: object) -> None:
    """The API server compares values."""
    assert not hits(CODE, asks(requested, limited))


@pytest.mark.parametrize(("requested", "limited"), [(1, 2), ("1", "1k"), ("x", "y")])
def test_two_numbers_are_two(requested: object, limited: object) -> None:
    """And what is no number at all is compared as it is written."""
    assert hits(CODE, asks(requested, limited))
