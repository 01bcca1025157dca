"""One file, several starts."""

from tests.explain.telling import (
    BANNER,
    ENGINE,
    FRONT,
    LOADED,
    LOADS,
    READY,
    ROUTE,
    UP,
    WEIGHTS,
    groups,
    line,
    one,
    told,
    whole,
)

OTHER = "Loading weights took 5.50 seconds"


def weights(*lines: str) -> list[list[str]]:
    """The seconds of each start's weights, as printed."""
    return [[f.printed for f in start.facts["weights_s"]] for start in told(*lines)]


def totals(*lines: str) -> list[int | None]:
    return [s.total.timeline.length_ns // 1_000_000_000 if s.total else None for s in told(*lines)]


def test_a_restart_with_the_same_process_ids() -> None:
    """A container that came back counts its processes from one again."""
    lines = [*whole(), *whole(300, weights=OTHER)]

    assert [["19.80"], ["5.50"]] == weights(*lines)
    assert [60, 60] == totals(*lines)


def test_a_crash_loop_of_three() -> None:
    """Each start ends in an exception before the next one's banner."""
    lines = [
        text
        for at in (0, 100, 200)
        for text in (
            line(at, BANNER, by=FRONT),
            line(at + 10, ENGINE),
            line(at + 20, "ValueError: no", level="ERROR"),
        )
    ]

    assert ["failed"] * 3 == [s.outcome.value for s in told(*lines)]


def test_the_first_line_of_a_restart_is_its_own() -> None:
    """A warning before the banner belongs to the start that it opens."""
    lines = [
        *whole(),
        line(70, "[shutdown] API server: shutdown triggered", by=FRONT),
        line(100, "Using pin_memory=False.", by="", level="WARNING"),
        *whole(105, weights=OTHER),
    ]

    assert [60, 65] == totals(*lines)


def test_runs_pasted_without_their_beginnings() -> None:
    """The same process loads a model after its engine was ready: the story began anew."""
    run = [line(14, LOADS), line(34, WEIGHTS), line(35, LOADED), line(58, READY)]

    assert [["19.80"], ["19.80"]] == weights(*run, *run)


def test_snippets_of_two_runs() -> None:
    """Weights after the engine was ready are another run's, but for an engine that slept."""
    run = [line(34, WEIGHTS), line(58, READY)]
    slept = line(60, "It took 1.000000 seconds to fall asleep.")

    assert [["19.80"], ["19.80"]] == weights(*run, *run)
    assert [["19.80", "19.80"]] == weights(*run, slept, line(70, WEIGHTS))


def test_another_process_id_is_another_start() -> None:
    """Engine cores of one name and two ids never belong together."""
    lines = [line(10, READY, by="EngineCore pid=7"), line(50, WEIGHTS, by="EngineCore pid=8")]

    assert [[], ["19.80"]] == weights(*lines)


def test_workers_change_their_names() -> None:
    """Ranks are called alike until they know better: that is one start."""
    lines = [
        line(10, LOADS, by="Worker pid=11"),
        line(11, LOADS, by="Worker pid=12"),
        line(30, WEIGHTS, by="Worker_TP0 pid=11"),
        line(31, OTHER, by="Worker_TP1 pid=12"),
    ]

    assert [["19.80", "5.50"]] == weights(*lines)


def test_engines_of_data_parallelism_are_one_start() -> None:
    """Each introduces itself; with a name, or, before 0.10, without."""
    for names in (("EngineCore_DP0 pid=7", "EngineCore_DP1 pid=8"), ("", "")):
        lines = [
            line(0, BANNER, by=FRONT),
            line(10, ENGINE, by=names[0]),
            line(11, ENGINE.replace("'m'", "'m' "), by=names[1]),
        ]

        assert 1 == len(told(*lines))


def test_several_api_servers_are_one_start() -> None:
    """Each of them may have a banner."""
    lines = [
        line(0, BANNER, by="ApiServer_0 pid=50"),
        line(10, ENGINE),
        line(11, BANNER, by="ApiServer_1 pid=51"),
        line(60, ROUTE, by="ApiServer_1 pid=51"),
    ]

    assert [60] == totals(*lines)


def test_two_servers_in_one_terminal() -> None:
    """Without a service's name, process ids say whose line it is."""
    first = whole(front="APIServer pid=100", core="EngineCore pid=150")
    second = whole(61, front="APIServer pid=200", core="EngineCore pid=250", weights=OTHER)
    late = line(130, "It took 1.000000 seconds to fall asleep.", by="EngineCore pid=150")

    starts = told(*first, *second, late)

    assert [1, 0] == [len(s.sleeps) for s in starts]
    assert [["19.80"], ["5.50"]] == weights(*first, *second, late)


def test_time_runs_backwards_between_pastes() -> None:
    """An earlier run below a later one."""
    assert [["19.80"], ["5.50"]] == weights(line(3600, WEIGHTS), line(0, OTHER))
    assert [["19.80", "5.50"]] == weights(line(100, WEIGHTS), line(90, OTHER))


def test_a_line_printed_twice_is_no_restart() -> None:
    """Two handlers print each record twice."""
    lines = [text for once in whole() for text in (once, once)]

    assert 1 == len(told(*lines))


def test_services_are_apart() -> None:
    """Whatever their lines' order."""
    lines = [f"{name}  | {text}" for text in whole() for name in ("a-1", "b-1")]

    assert [60, 60] == totals(*lines)
    assert ["a.log [a-1]", "a.log [b-1]"] == [s.source for s in told(*lines)]


def test_a_web_server_that_was_there_before_is_not_vllms() -> None:
    """An application may come up first and load its model later."""
    start = one(UP, line(10, ENGINE), line(34, WEIGHTS))

    assert ("incomplete", ["19.80"]) == (
        start.outcome.value,
        [f.printed for f in start.facts["weights_s"]],
    )


def test_standard_error_may_have_been_saved_first() -> None:
    """Its bars and the web server's lines then stand before the banner: one start, no two."""
    bar = "Loading safetensors checkpoint shards: 100% Completed | 1/1 [00:00<00:00,  4.42it/s]"

    assert [60] == totals(bar, UP, "INFO:     Shutting down", *whole()[:-1])


def test_silences_go_to_the_start_they_lie_in() -> None:
    """The one that began last before them."""
    first, second = groups(*whole(), *whole(300))

    assert [10, 310] == [
        g.silences[1].after.engine_ns // 1_000_000_000 % 3600  # type: ignore[operator]
        for g in (first, second)
    ]


def test_other_programs_are_no_start() -> None:
    """A web server's complaint is not about vLLM; a traceback through vLLM's code is."""
    frame = '  File "/usr/lib/python3/site-packages/vllm/worker/worker.py", line 3, in f'

    assert [] == told("Traceback (most recent call last):", "ValueError: x", UP)
    assert 1 == len(told("Traceback (most recent call last):", frame, "ValueError: x"))
    assert [] == told("hello", "world")


def test_another_programs_json_is_no_start() -> None:
    """Every Python program logs from its main process."""
    record = '{"levelname": "INFO", "processName": "MainProcess", "process": 1, "message": "x"}'

    assert [] == told(record, record)


def test_the_core_of_a_restart_finds_its_front_end() -> None:
    """After a crash on a host both processes have new ids."""
    lines = [
        line(0, BANNER, by="APIServer pid=100"),
        line(5, "OSError: no", by="APIServer pid=100", level="ERROR"),
        line(50, BANNER, by="APIServer pid=200"),
        line(60, ENGINE, by="EngineCore pid=250"),
        line(80, WEIGHTS, by="EngineCore pid=250"),
    ]

    assert [[], ["19.80"]] == weights(*lines)
