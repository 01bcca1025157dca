"""A log, read for what it says about starting."""

import pytest

from firstlight.readers import vllm_log
from firstlight.readers.skimming import ENOUGH
from firstlight.readers.statements import statements
from firstlight.readers.vllm_log import Log, read_log
from firstlight.readers.wordings.wording import Say

HEAD = "(EngineCore pid=7) INFO 03-04 10:00:00 [core.py:12] "
WEIGHTS = "Loading weights took 19.80 seconds"


def read(*lines: str) -> Log:
    return read_log("a.log", ["\n".join([*lines, ""]).encode()])


def said(log: Log) -> list[tuple[Say, str | None]]:
    """What was said, with its seconds; the first words of processes aside."""
    return [(o.say, o.values.get("s")) for o in log.observations if o.say is not Say.PROCESS_SPEAKS]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Loading weights took 19.80 seconds", "19.80"),
        ("Loading weights took 11 secs", "11"),
        ("Loading weights took 12.5 s", "12.5"),
        ("Loading weights took 12.5s", "12.5"),
        ("Loading weights took 1,234.50 seconds", "1234.50"),
        ("Loading weights took 182.98", "182.98"),
        ("Loading weights took 182.9", None),
        ("Loading weights took 182.98 GB", None),
        ("Reloading weights took 3.00 seconds", None),
        ("Loading weights took seconds", None),
    ],
)
def test_a_number_needs_its_unit_or_all_its_decimals(message: str, expected: str | None) -> None:
    """Units may be short; a line cut inside its number states none."""
    took = [v["s"] for say, v in statements(message) if say is Say.WEIGHTS_TOOK]

    assert ([expected] if expected else []) == took


@pytest.mark.parametrize(
    "message",
    [
        f"INFO:vllm.worker p:1 t:2: {WEIGHTS}",
        f"2026-03-04 10:00:00 | INFO | vllm.worker - {WEIGHTS}",
        f"done; {WEIGHTS}",
        f"- {WEIGHTS}",
        f"**{WEIGHTS}**",
        f"worker       {WEIGHTS}",
        f"[backbone] {WEIGHTS}",
        f"\u65e5\u5fd7\uff1a{WEIGHTS}",
    ],
)
def test_other_peoples_formats(message: str) -> None:
    """A line without vLLM's head may have anything in front, set off by a separator."""
    assert [(Say.WEIGHTS_TOOK, {"s": "19.80"})] == list(statements(message))


@pytest.mark.parametrize(
    "message",
    [
        f"I saw that {WEIGHTS}",
        f"prompt: '{WEIGHTS}'",
        f'{{"content": "{WEIGHTS}"}}',
        f"print('{WEIGHTS}')",
        f"asked 'why: {WEIGHTS}'",
    ],
)
def test_a_quotation_says_nothing(message: str) -> None:
    """What somebody repeats was not measured here."""
    assert [] == list(statements(message))


def test_a_record_says_a_thing_from_its_first_word_on() -> None:
    """Behind vLLM's head even a separator begins nothing: a request's text may have it."""
    assert [] == list(statements(f"Received request; {WEIGHTS}", headed=True))
    assert [] == said(read(HEAD + f"see: {WEIGHTS}"))
    assert [(Say.WEIGHTS_TOOK, "19.80")] == said(read(HEAD + WEIGHTS))


def test_a_message_wrapped_at_a_blank_is_one() -> None:
    """Whoever pasted it chose the width."""
    log = read(HEAD + "Loading weights", "took 19.80", "seconds")

    assert [(Say.WEIGHTS_TOOK, "19.80")] == said(log)


def test_a_message_wrapped_inside_a_word_is_one() -> None:
    """A terminal cuts at its width, a number too."""
    log = read(HEAD + "Loading weights took 19.", "80 seconds")

    assert [(Say.WEIGHTS_TOOK, "19.80")] == said(log)


def test_a_short_line_is_not_joined_inside_a_word() -> None:
    """Two numbers in two short lines are two numbers."""
    assert [] == said(read("Loading weights took 1", "9.80 seconds"))


def test_the_rest_of_a_wrapped_message_adds_what_was_missing() -> None:
    """The size stood in the first line, the seconds in the second; each counts once."""
    log = read(HEAD + "Model loading took 15.02 GiB memory and", "21.25 seconds")

    assert [{"gib": "15.02"}, {"s": "21.25"}] == [
        o.values for o in log.observations if o.say is Say.MODEL_LOADED
    ]


def test_a_new_record_ends_the_one_before() -> None:
    """Only lines without a head continue anything."""
    assert [] == said(read(HEAD + "Loading weights", HEAD + "took 19.80 seconds"))


def test_what_a_runtime_cut_is_one_line() -> None:
    """Streams are cut each for itself, and their pieces may mix."""
    cri = "2026-03-04T10:00:00Z "
    log = read(
        cri + "stdout P " + HEAD + "Loading weights",
        cri + "stderr P ValueError: no",
        cri + "stdout F  took 19.80 seconds",
        cri + "stderr F thing",
    )

    assert [(Say.WEIGHTS_TOOK, "19.80"), (Say.EXCEPTION, None)] == said(log)


def test_a_piece_without_an_end_is_read_at_the_end() -> None:
    """The artefact may end before the line does."""
    log = read("2026-03-04T10:00:00Z stdout P " + HEAD + WEIGHTS)

    assert [(Say.WEIGHTS_TOOK, "19.80")] == said(log)


def test_the_first_word_of_each_process() -> None:
    """Its birth is over, whatever it says."""
    log = read(
        "(APIServer pid=1) INFO 03-04 10:00:00 [a.py:1] one",
        "(EngineCore pid=7) INFO 03-04 10:00:09 [a.py:1] two",
        "(EngineCore pid=7) INFO 03-04 10:00:10 [a.py:1] three",
        "(Worker pid=9) INFO 03-04 10:00:20 [a.py:1] four",
    )

    assert ["one", "two", "four"] == [
        o.line.message for o in log.observations if o.say is Say.PROCESS_SPEAKS
    ]


def test_silences_lie_between_neighbours() -> None:
    """Half a second and more; lines without a stamp are no neighbours."""
    log = read(
        "2026-03-04T10:00:00.000Z a",
        "b",
        "2026-03-04T10:00:00.400Z c",
        "2026-03-04T10:00:01.000Z d",
    )

    assert [("c", "d")] == [(s.before.message, s.after.message) for s in log.silences]


def test_a_prefix_of_records_is_one_of_bars_too() -> None:
    """A stream's name stands before every line; only records show that it is one."""
    log = read(
        "ecs/vllm/8c1f " + HEAD + "one",
        "ecs/vllm/8c1f " + HEAD + "two",
        "ecs/vllm/8c1f " + WEIGHTS,
    )

    assert [(Say.WEIGHTS_TOOK, "19.80")] == said(log)


def test_silent_kinds_are_passed_over_and_telling_ones_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """However many lines a debugging engine prints, what it says about the start counts."""
    monkeypatch.setattr(vllm_log, "_LINES_WHILE_STARTING", 0)
    noise = [
        f"(EngineCore pid=7) DEBUG 03-04 10:00:00 [utils.py:183] Loaded {n}" for n in range(99)
    ]
    other = [f"something else {n}" for n in range(99)]
    request = '(APIServer pid=1) INFO:     10.0.0.1:5 - "POST /v1/completions HTTP/1.1" 200 OK'
    lines = [*noise, *other, *[request] * 99, HEAD + WEIGHTS, *noise, HEAD + WEIGHTS]

    log = read(*lines, '(A pid=1) INFO:     10.0.0.1:5 - "POST /sleep?level=1 HTTP/1.1" 200 OK')

    assert [(Say.WEIGHTS_TOOK, "19.80")] * 2 + [(Say.SLEEP_ASKED, None)] == said(log)
    assert [298, 398] == [o.line.number for o in log.observations if o.say is Say.WEIGHTS_TOOK]


def test_a_place_that_spoke_once_is_listened_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """Below a failure's first line come many that say nothing, and then the exception."""
    monkeypatch.setattr(vllm_log, "_LINES_WHILE_STARTING", 0)
    head = "(EngineCore pid=7) ERROR 03-04 10:00:00 [core.py:718] "
    frames = [head + f"    frame {n}" for n in range(3 * ENOUGH)]

    log = read(head + "EngineCore failed to start.", *frames, head + "ValueError: no")

    assert [(Say.FATAL, None), (Say.EXCEPTION, None)] == said(log)


def test_lines_and_nuls_are_counted() -> None:
    """A last line without an end is a line; a NUL may mean that this is no log."""
    log = read_log("x", [b"a\nb\0\nc"])

    assert (3, True) == (log.lines, log.has_nul)
