"""A container's log, whatever happens to the connection."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firstlight.edges.kube.answers import Refused
from firstlight.edges.kube.wire import Pauses
from tests.edges.kube.server import Answer, Cut, scripted

pytestmark = pytest.mark.timeout(60)

LINES = [b"2026-11-29T20:00:%02d.000000001Z line %d\n" % (n // 7, n) for n in range(40)]
Says = Callable[[str, dict[str, str]], Answer]


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Pauses, "next_s", lambda _: 0.0)


def broken_off(lengths: list[tuple[int, bool]]) -> Says:
    """Each answer ends after so many bytes, by a cut or as if all had been said."""
    ends, everything = iter(lengths), sum(map(len, LINES))
    before = -1

    def says(_: str, query: dict[str, str]) -> Answer:
        nonlocal before
        since = query.get("sinceTime", "")[:19].encode()
        whole = b"".join(line for line in LINES if line[:19] >= since)
        length, cleanly = next(ends, (len(whole), True))
        # Ended twice at one place, the log ends there, as far as anybody can tell.
        length += everything - len(whole) + length == before
        before = everything - len(whole) + length

        def pieces() -> Iterator[bytes]:
            if length:
                yield whole[:length]
            if not cleanly and length < len(whole):
                raise Cut

        return 200, pieces()

    return says


def read(tmp_path: Path, says: Says) -> tuple[bytes, str | None, int]:
    with scripted(tmp_path) as (script, api):
        script.says = says
        log = api.log("demo", "p", "c")
        assert not isinstance(log, Refused), log
        return b"".join(log), log.problem, len(script.asked)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lengths=st.lists(st.tuples(st.integers(1, 400), st.booleans()), max_size=4))
def test_no_line_is_lost_or_doubled(tmp_path: Path, lengths: list[tuple[int, bool]]) -> None:
    """Wherever the answers end, and however."""
    # What was told of a second must come again, else an end inside it cannot be told from the end.
    said, problem, _ = read(tmp_path, broken_off([(n + 300, c) for n, c in lengths]))

    assert (b"".join(LINES), None) == (said, problem)


def test_a_log_is_asked_for_again_once(tmp_path: Path) -> None:
    """Where a node breaks off, the server ends its answer as if all had been said."""
    said, _, times = read(tmp_path, broken_off([]))

    assert (b"".join(LINES), 2) == (said, times)


def test_a_last_line_without_an_end_is_kept(tmp_path: Path) -> None:
    """A program that printed no line end; or a runtime's sentence instead of a log."""
    said, _, _ = read(tmp_path, lambda *_: (200, iter([LINES[0], b"no end"])))

    assert LINES[0] + b"no end" == said


def test_a_container_that_never_stops_talking_is_left_in_the_end(tmp_path: Path) -> None:
    """Every answer has a line more; the log as it was asked for counts."""
    answers = (LINES[:n] for n in range(10, 40))

    def says(_: str, query: dict[str, str]) -> Answer:
        since = query.get("sinceTime", "")[:19].encode()
        return 200, iter([line for line in next(answers) if line[:19] >= since])

    said, problem, times = read(tmp_path, says)

    assert None is problem
    assert said.startswith(b"".join(LINES[:10]))
    assert 6 == times


def test_a_log_that_cannot_be_gone_on_with_says_why(tmp_path: Path) -> None:
    """The pod was deleted while it was read."""

    def half() -> Iterator[bytes]:
        yield LINES[0]
        raise Cut

    answers = iter([(200, half()), (404, iter([b'{"kind": "Status", "message": "pod gone"}']))])

    said, problem, _ = read(tmp_path, lambda *_: next(answers))

    assert (LINES[0], "pod gone") == (said, problem)


def test_a_container_that_has_no_log_is_a_no(tmp_path: Path) -> None:
    """It waits to be started; or its node cannot be reached, which is the node's no."""
    with scripted(tmp_path) as (script, api):
        for status in (400, 500):
            script.says = lambda *_, status=status: (status, iter([b"waiting to start"]))
            answer = api.log("demo", "p", "c", previous=True)
            assert isinstance(answer, Refused)
            assert (status, "waiting to start") == (answer.status, answer.words)
    assert {"container": "c", "timestamps": "true", "previous": "true"} == script.asked[0][1]
