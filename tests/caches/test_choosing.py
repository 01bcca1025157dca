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


def test_an_image_is_no_version() -> None:
    """One side says only the one, the other only the other: nothing says that they are alike."""
    by_image = manifest("vllm/a", factors=replace(FACTORS, vllm=None, image="docker.io/v:1"))

    refused = choose([by_image], replace(FACTORS, image=None))
    taken = choose([by_image], replace(FACTORS, vllm=None, image="docker.io/v:1"))

    assert ["vllm, or its image,"] == [one.name for one in refused.against]
    assert by_image == taken.manifest


def test_of_two_that_fit_the_one_that_is_known_better_comes_first() -> None:
    """A cache of another card could be the newest one that says nothing of cards."""
    silent = replace(FACTORS, accelerator=None, architecture=None)
    older = replace(manifest("vllm/a"), made_unix_s=1)
    newer = replace(manifest("vllm/a", factors=silent), made_unix_s=2)

    assert older == choose([older, newer], FACTORS).manifest
