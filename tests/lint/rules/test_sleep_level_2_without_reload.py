"""Level 2, and who gives the weights back."""

import pytest

from tests.lint.rules.engines import engine, hits, written

CODE = "sleep-level-2-without-reload"
SLEEPER = engine("--enable-sleep-mode")


def script(*lines: str, name: str = "calls") -> str:
    return written("ConfigMap", name, data={"run.sh": "\n".join(lines)})


SLEEP = "curl -X POST 'http://qwen:8001/sleep?mode=wait&level=2'"
WAKE = "curl -X POST http://qwen:8001/wake_up"
RELOAD = 'curl http://qwen:8001/collective_rpc -d \'{"method": "reload_weights"}\''


@pytest.mark.parametrize(
    ("lines", "is_found"),
    [
        ((SLEEP, WAKE), True),
        ((SLEEP, WAKE, RELOAD), False),
        ((SLEEP,), False),
        ((SLEEP.replace("level=2", "level=1"), WAKE), False),
        (("curl -X POST http://qwen:8001/sleep", WAKE), False),
        ((SLEEP, WAKE, "curl http://qwen:8001/update_weights"), False),
    ],
)
def test_only_a_wake_that_is_seen_and_reloads_nothing_counts(
    lines: tuple[str, ...], is_found: bool
) -> None:
    """Who else wakes it is not seen."""
    assert is_found == hits(CODE, script(*lines), SLEEPER)


def test_the_calls_may_stand_in_several_objects() -> None:
    """A script that reloads, wherever it is, is enough."""
    assert hits(CODE, script(SLEEP), script(WAKE, name="wake"), SLEEPER)
    assert not hits(CODE, script(SLEEP), script(WAKE, RELOAD, name="wake"), SLEEPER)


def test_without_an_engine_that_sleeps_it_is_somebody_elses() -> None:
    """A call by itself says nothing of an engine."""
    assert not hits(CODE, script(SLEEP, WAKE), engine())
