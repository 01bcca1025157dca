"""What `firstlight cache push` says of how it ended."""

from firstlight.caches.publishing import Found, State
from firstlight.cli.cache_output import pushed_document, pushed_text
from firstlight.wiring.caching.pushing import Pushed
from tests.caches.made import manifest

URL = "s3://b/p"
MADE = manifest("vllm/a")


def pushed(found: Found, *, published: bool) -> Pushed:
    return Pushed(
        key=MADE.key, manifest=MADE if published else None, found=found, left_out=(), seconds=1.5
    )


def test_what_cannot_be_looked_at_is_not_said_to_be_well() -> None:
    """Whoever may only write learns how to publish all the same."""
    done = pushed(Found(state=State.HIDDEN), published=False)

    assert (
        f"{URL} has a cache of the key {MADE.key[:12]} already, which cannot be looked at with "
        "these rights; --replace publishes anew" == pushed_text(URL, done)
    )
    assert (False, "hidden") == tuple(pushed_document(URL, done)[n] for n in ("published", "found"))


def test_what_was_wrong_is_said() -> None:
    """In one line, with what was published in its place."""
    done = pushed(Found(state=State.WRONG, wrong="archives/x\nis not there"), published=True)

    text = pushed_text(URL, done)

    assert text.startswith(f"published the cache {MADE.key[:12]} to {URL}: 1 files, ")
    assert ", in place of one that nobody could take: archives/x" in text
    assert "\n" not in text
    assert "archives/x\nis not there" == pushed_document(URL, done)["wrong"]


def test_where_nothing_lay_nothing_is_said_of_it() -> None:
    """The usual case."""
    done = pushed(Found(state=State.NOTHING), published=True)

    assert pushed_text(URL, done).endswith("packed, 1.5 s")
