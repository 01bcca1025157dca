"""One line of a vLLM log, taken apart."""

import json

import pytest

from firstlight.core.units import NS_PER_S
from firstlight.readers.log_line import LogLine, Role, read_line, read_records, role_of
from firstlight.readers.outer_layers import peel
from firstlight.readers.stamps import engine_ns

AT = engine_ns("03", "04", "05", "06", "07")


def head(line: LogLine) -> tuple[str, int | None, str, int | None, str, bool]:
    return line.process, line.pid, line.level, line.engine_ns, line.message, line.headed


@pytest.mark.parametrize(
    ("raw", "process", "pid"),
    [
        ("INFO 03-04 05:06:07 loader.py:447] hello", "", None),
        ("INFO 03-04 05:06:07 [loader.py:447] hello", "", None),
        ("INFO 03-04 05:06:07 [core.py:93[] hello", "", None),
        ("INFO 03-04 05:06:07 [v1/worker/gpu_worker.py:144] hello", "", None),
        ("INFO 03-04 05:06:07 [model_executor/.../utils/fp8_utils.py:9] hello", "", None),
        ("INFO 2026-03-04 05:06:07,123 [core.py:9] hello", "", None),
        ("(EngineCore_DP0 pid=12) INFO 03-04 05:06:07 [core.py:9] hello", "EngineCore_DP0", 12),
        ("(VllmWorker rank=1 pid=12) INFO 03-04 05:06:07 [c.py:9] hello", "VllmWorker_TP1", 12),
        ("(VllmWorker TP1 pid=12) INFO 03-04 05:06:07 [c.py:9] hello", "VllmWorker_TP1", 12),
        (
            "(RayWorkerWrapper pid=12, ip=192.0.2.1) INFO 03-04 05:06:07 [c.py:9] hello",
            "RayWorkerWrapper",
            12,
        ),
        ("RayWorkerWrapper pid=12) INFO 03-04 05:06:07 [c.py:9] hello", "RayWorkerWrapper", 12),
        (
            "(EngineCore_DP0 pid=12) (Worker_TP0 pid=13) INFO 03-04 05:06:07 [c.py:9] hello",
            "Worker_TP0",
            13,
        ),
        ("(Worker pid=12) [Stage-1] INFO 03-04 05:06:07 [c.py:9] hello", "Worker", 12),
        ("(Worker pid=12) prodINFO 03-04 05:06:07 [c.py:9] hello", "Worker", 12),
        ("[prod] (Worker pid=12) INFO 03-04 05:06:07 [c.py:9] hello", "Worker", 12),
        ("\u00e2\u2013(Worker pid=12) INFO 03-04 05:06:07 [c.py:9] hello", "Worker", 12),
    ],
)
def test_every_dialect_of_the_head(raw: str, process: str, pid: int | None) -> None:
    """Seven years of prefixes and what copying did to them."""
    assert (process, pid, "INFO", AT, "hello", True) == head(read_line(1, raw))


@pytest.mark.parametrize(
    ("raw", "level", "message"),
    [
        ("INFO [core.py:349] hello", "INFO", "hello"),
        ("(EngineCore pid=1) INFO \u2026 [core.py:349] hello", "INFO", "hello"),
        ("[cumem.py:271] hello", "", "hello"),
        ("core.py:379           hello", "", "hello"),
    ],
)
def test_heads_whose_stamp_was_removed(raw: str, level: str, message: str) -> None:
    """People shorten what they paste; it is a record of vLLM all the same."""
    line = read_line(1, raw)

    assert (level, message, None, True) == (line.level, line.message, line.engine_ns, line.headed)


@pytest.mark.parametrize(
    "raw",
    [
        "INFO:     Application startup complete.",
        "Loading safetensors checkpoint shards: 100% Completed | 4/4",
        "ValueError: nothing",
        "/usr/lib/python3/x.py:138: FutureWarning: old",
    ],
)
def test_lines_of_others_have_no_head(raw: str) -> None:
    """They may continue the line before, so they must be known as such."""
    line = read_line(1, raw)

    assert (raw, False) == (line.message, line.headed)


def test_a_rank_in_front_of_a_traceback_goes() -> None:
    """torch puts it there."""
    assert "ValueError: x" == read_line(1, "[rank0]: ValueError: x").message


def test_an_empty_record_is_a_record() -> None:
    """The logo begins and ends with one."""
    line = read_line(1, "(APIServer pid=1) INFO 03-04 05:06:07 [utils.py:325] ")

    assert ("", True) == (line.message, line.headed)


@pytest.mark.parametrize(
    ("process", "role"),
    [
        ("APIServer", Role.FRONT_END),
        ("ApiServer_1", Role.FRONT_END),
        ("MainProcess", Role.FRONT_END),
        ("EngineCore", Role.ENGINE_CORE),
        ("EngineCore_DP1", Role.ENGINE_CORE),
        ("EngineCore_0", Role.ENGINE_CORE),
        ("Worker_DP0_TP1_EP1", Role.WORKER),
        ("VllmWorker-0", Role.WORKER),
        ("RayWorkerWrapper", Role.WORKER),
        ("VLLM_DP_Coordinator", Role.UNKNOWN),
        ("", Role.UNKNOWN),
    ],
)
def test_roles_by_name(process: str, role: Role) -> None:
    """The names of any version."""
    assert role is role_of(process)


def test_a_record_of_the_json_formatter() -> None:
    """0.31's `--logging-config.formatter json`: level, process and stamp are fields."""
    record = {
        "asctime": "03-04 05:06:07",
        "levelname": "INFO",
        "name": "vllm.v1.engine.core",
        "processName": "EngineCore",
        "process": 12,
        "message": "hello",
    }

    assert ("EngineCore", 12, "INFO", AT, "hello", True) == head(read_line(1, json.dumps(record)))


def test_the_json_formatters_own_date_is_an_outer_stamp() -> None:
    """It has a year and milliseconds: vLLM gives that formatter no format of its own."""
    line = read_line(
        1, '{"asctime": "2026-03-04 05:06:07,250", "levelname": "INFO", "message": "x"}'
    )

    assert (None, 1_772_600_767_250_000_000, 1_000_000) == (
        line.engine_ns,
        line.outer_ns,
        line.outer_resolution_ns,
    )


def test_json_holds_several_lines() -> None:
    """A logo, and a traceback in a field of its own."""
    text = json.dumps({"levelname": "ERROR", "message": "a\nb", "exc_info": "Traceback\nE: x"})

    assert ["a", "b", "Traceback", "E: x"] == [r.message for r in read_records(1, peel(text))]


def test_two_writers_in_one_line() -> None:
    """Ranks race: what one wrote stands behind what the other did."""
    raw = (
        "(Worker_TP0 pid=1) INFO 03-04 05:06:07 [c.py:9] one"
        "(Worker_TP1 pid=2) INFO 03-04 05:06:07 [c.py:9] two"
    )

    assert [("one", 1), ("two", 2)] == [(r.message, r.pid) for r in read_records(1, peel(raw))]


@pytest.mark.parametrize(
    "raw",
    [
        "INFO 03-04 05:06:07 [l.py:9] Received request: 'x INFO 03-04 05:06:07 [c.py:9] y'",
        'INFO 03-04 05:06:07 [l.py:9] said "INFO 03-04 05:06:07 [c.py:9] y"',
    ],
)
def test_a_quoted_record_is_no_record(raw: str) -> None:
    """A prompt may hold any log."""
    assert 1 == len(read_records(1, peel(raw)))


def test_json_without_a_time_has_the_stamps_precision() -> None:
    """A record whose only time is vLLM's own is exact to a second."""
    line = read_line(1, '{"asctime": "03-04 05:06:07", "levelname": "INFO", "message": "x"}')

    assert (None, NS_PER_S) == (line.outer_ns, line.outer_resolution_ns)
