"""Peeling off what others put around a line."""

import json

import pytest

from firstlight.core.units import NS_PER_S
from firstlight.readers.outer_layers import Peeler, last_redraw, peel

SAID = "(EngineCore pid=7) INFO 03-04 05:06:07 [core.py:12] Warming up done."
AT = 1_772_600_767 * NS_PER_S  # 2026-03-04T05:06:07Z


@pytest.mark.parametrize(
    "before",
    [
        "2026-03-04T05:06:07Z stdout F ",
        "2026-03-04T05:06:07Z ",
        "2026-03-04 05:06:07 | ",
        "2026-03-04 05:06:07 UTC | ",
        "[2026-03-04T05:06:07Z] ",
        "2026-03-04T05:06:07Z\t",
        "2026-03-04T07:06:07+0200 host vllm[12]: ",
        "<14>1 2026-03-04T05:06:07Z host vllm 12 - - ",
        "vllm-1  | 2026-03-04T05:06:07Z ",
        "[pod/a-0/vllm] 2026-03-04T05:06:07Z ",
        "a-0-x2 vllm 2026-03-04T05:06:07Z ",
        '2026-03-04T05:06:07Z {app="m", pod="a-0"} ',
        "job\tstep\t2026-03-04T05:06:07Z ",
        "17:2026-03-04T05:06:07Z ",
        "> 2026-03-04T05:06:07Z ",
    ],
)
def test_a_layer_goes_and_leaves_its_time(before: str) -> None:
    """Runtime, kubectl, stern, compose, CI, syslog, journald, Loki, grep, a mail's quote."""
    peeled = peel(before + SAID)

    assert (SAID, AT) == (peeled.text, peeled.outer_ns)


@pytest.mark.parametrize(
    ("before", "service"),
    [
        ("vllm-1  | ", "vllm-1"),
        ("vllm1-1 | ", "vllm1-1"),
        ("qwen3.5-9b  | ", "qwen3.5-9b"),
        ("vllm | ", "vllm"),
        ("[pod/a-0/vllm] ", "pod/a-0/vllm"),
        ("a-0 vllm ", "a-0 vllm"),
    ],
)
def test_woven_logs_say_whose_line_it_is(before: str, service: str) -> None:
    """The service is kept: several logs in one are told apart by it."""
    peeled = peel(before + SAID)

    assert (SAID, service) == (peeled.text, peeled.service)


@pytest.mark.parametrize(
    "record",
    [
        {"log": SAID + "\n", "stream": "stdout", "time": "2026-03-04T05:06:07Z"},
        {"message": SAID, "@timestamp": "2026-03-04T05:06:07Z"},
        {"MESSAGE": SAID, "__REALTIME_TIMESTAMP": "1772600767000000"},
        {"MESSAGE": list(SAID.encode()), "__REALTIME_TIMESTAMP": "1772600767000000"},
        {"textPayload": SAID, "timestamp": "2026-03-04T05:06:07Z"},
        {"jsonPayload": {"message": SAID}, "timestamp": "2026-03-04T05:06:07Z"},
        {"line": SAID, "timestamp": "1772600767000000000"},
        {"msg": SAID, "ts": 1772600767},
        {"body": SAID, "time": 1772600767.0},
    ],
    ids=lambda r: next(iter(r)),
)
def test_json_around_a_line(record: dict[str, object]) -> None:
    """Each shipper has its names for the same things."""
    peeled = peel(json.dumps(record))

    assert (SAID, AT) == (peeled.text, peeled.outer_ns)


@pytest.mark.parametrize(
    ("record", "service"),
    [
        ({"kubernetes": {"pod_name": "a-0", "container_name": "vllm"}}, "a-0/vllm"),
        ({"resource": {"labels": {"pod_name": "a-0"}}}, "a-0"),
        ({"_SYSTEMD_UNIT": "vllm.service"}, "vllm.service"),
        ({"labels": {"pod": "a-0"}}, "a-0"),
        ({}, ""),
    ],
)
def test_json_says_whose_line_it_is(record: dict[str, object], service: str) -> None:
    """A pod or a container is named at any of several depths."""
    assert service == peel(json.dumps({"log": SAID, **record})).service


@pytest.mark.parametrize(
    "text",
    ["{", "{}", '{"a": 1}', '{"message": 7}', '{"log": [1, 999]}', "[1]", '{"log": "x"'],
)
def test_json_without_a_message_stays_as_it_is(text: str) -> None:
    """A dump in a log is text like any other."""
    assert text == peel(text).text


def test_docker_cuts_long_lines() -> None:
    """Its record without a line end goes on in the next one; a shipper's is whole."""
    dockers = peel('{"log": "half", "stream": "stdout", "time": "2026-03-04T05:06:07Z"}')
    shippers = peel('{"log": "whole", "stream": "stdout", "time": "1", "kubernetes": {}}')

    assert (True, False) == (dockers.unfinished, shippers.unfinished)


def test_a_runtime_cuts_long_lines() -> None:
    """CRI's P goes on in the next record of its stream."""
    peeled = peel("2026-03-04T05:06:07Z stderr P half")

    assert ("half", "stderr", True) == (peeled.text, peeled.stream, peeled.unfinished)


@pytest.mark.parametrize(
    "coloured",
    [
        "\x1b[1;36m(EngineCore pid=7)\x1b[0;0m INFO",
        "[1;36m(EngineCore pid=7)[0;0m INFO",
        "^[[1;36m(EngineCore pid=7)^[[0m INFO",
        "\\x1b[1;36m(EngineCore pid=7)\\x1b[0m INFO",
        "\x1b]0;title\x07(EngineCore pid=7) INFO",
    ],
)
def test_colours_go_whole_or_damaged(coloured: str) -> None:
    """A terminal's, one that lost its escape characters, one that spells them."""
    assert "(EngineCore pid=7) INFO" == peel(coloured).text


@pytest.mark.parametrize(
    "text",
    [
        "Loading safetensors checkpoint shards: 100% Completed | 4/4 [00:01<00:00, 9.12it/s]",
        "INFO | vllm.core | Warming up done.",
        "2025-12-25 04:53:55,211 - INFO - autotuner.py:256 - flashinfer.jit: [Autotuner]: x",
        "took [10m] and [5] of 12",
        "May I ask: what?",
        "12-25 | a table",
        "",
    ],
)
def test_text_that_only_looks_like_a_layer(text: str) -> None:
    """Bars, other programs' formats and sentences keep their words."""
    assert text == peel(text).text


def test_a_name_once_known_goes_everywhere() -> None:
    """Behind stern's name a progress bar looks like any text, but for the lines before it."""
    peeler = Peeler()
    peeler.peel("a-0 vllm " + SAID)

    peeled = peeler.peel("a-0 vllm Loading safetensors checkpoint shards:  50% | 1/2")

    assert ("Loading safetensors checkpoint shards:  50% | 1/2", "a-0 vllm") == (
        peeled.text,
        peeled.service,
    )


@pytest.mark.parametrize(
    ("text", "last"), [("10%\r20%\rdone", "done"), ("10%\r20%\r", "20%"), ("\r\r", ""), ("a", "a")]
)
def test_the_last_state_of_a_bar_counts(text: str, last: str) -> None:
    """A carriage return draws over what stood there."""
    assert last == last_redraw(text)
