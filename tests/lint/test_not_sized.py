"""What is not judged without the size of the model is said, and only where it matters."""

import pytest

from firstlight.lint.not_sized import not_sized
from firstlight.lint.scene import Stated, scene
from tests.lint.judging import objects_of
from tests.lint.rules.engines import engine

LIMIT = {"memory": "24Gi"}
SLEEPS, STREAMS = "--enable-sleep-mode", "--load-format=runai_streamer"


def said(*engines: str, stated: Stated | None = None) -> str:
    return not_sized(scene(objects_of("\n---\n".join(engines)), stated))


@pytest.mark.parametrize(
    ("args", "codes"),
    [
        ((SLEEPS,), "sleep-host-memory"),
        ((STREAMS,), "streamer-memory"),
        ((SLEEPS, STREAMS), "sleep-host-memory and streamer-memory"),
    ],
)
def test_a_rule_without_a_size_to_judge_by_is_named(args: tuple[str, ...], codes: str) -> None:
    """With the option that gives it."""
    whole = f"{codes} cannot be judged without the size of the model: say --model-size"
    assert whole == said(engine(*args, limits=LIMIT))


def test_nothing_is_said_where_no_rule_waits_for_it() -> None:
    """A size that is given, no limit that could be too small, no sleep and no streamer."""
    assert "" == said(engine(SLEEPS, limits=LIMIT), stated=Stated(model_bytes=1))
    assert "" == said(engine(SLEEPS))
    assert "" == said(engine(limits=LIMIT))


def test_one_size_is_not_two_models() -> None:
    """Then the objects have to be given apart."""
    two = (engine(SLEEPS, limits=LIMIT), engine(name="b", model="/models/b", limits=LIMIT))
    assert "give each engine's objects alone" in said(*two, stated=Stated(model_bytes=1))
