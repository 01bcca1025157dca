"""
How an engine loads its weights, as `--load-format` says it.
"""

from firstlight.lint.engine import Engine, Known

SHARDED = "runai_streamer_sharded"
STREAMER_FORMATS = frozenset({"runai_streamer", SHARDED})


def load_format(engine: Engine) -> str | None:
    """The format in small letters, `auto` where none is given; None where it is not known."""
    given = engine.argument("--load-format")
    if given.known is Known.ABSENT:
        return "auto"
    text = engine.text_of(given)
    return None if text is None else text.lower()
