"""The cache that fits, or in what the nearest does not."""

from msgspec.structs import replace

from firstlight.caches.choosing import Choice, choose
from firstlight.caches.factors import Factors, key
from firstlight.caches.manifest import Manifest
from tests.caches.made import FACTORS, manifest


def made(at: int, **factors: str) -> Manifest:
    """One that was made at a second, with other factors."""
    other = replace(FACTORS, **factors)
    return replace(manifest("vllm/a", factors=other), made_unix_s=at, key=key(other))


OLD, NEW, OTHER = made(1), made(2, image="sha256:2"), made(3, model="/other")


def test_the_newest_that_fits_is_taken() -> None:
    """However many there are that do not, and in whatever order."""
    asked = Factors(model="/models/m", vllm="0.32.0")

    for order in ([OLD, NEW, OTHER], [OTHER, NEW, OLD]):
        assert Choice(manifest=NEW) == choose(order, asked)
    assert OLD == choose([OTHER, OLD], asked).manifest


def test_where_none_fits_the_nearest_says_why() -> None:
    """Fewest differences first."""
    asked = Factors(model="/models/m", vllm="0.31.0", torch="2.0")
    found = choose([OTHER, OLD], asked)

    assert found.manifest is None
    assert ["vllm", "torch"] == [one.name for one in found.against]
    assert Choice(manifest=None) == choose([], asked)
