"""No number is stated that nobody printed; one that cannot be believed is left out."""

import pytest

from tests.robustness.explaining import as_json, as_text, check, explain

BANNER = b"(APIServer pid=1) INFO 03-04 05:06:07 [api.py:1] vLLM API server version 0.26.0\n"
HEAD = b"(EngineCore pid=7) INFO 03-04 05:06:09 [core.py:12] "
RECORD = b"2026-03-04T05:06:09.123456789Z stderr "


def facts(log: bytes) -> dict[str, list[float]]:
    """The facts that are there."""
    (start,) = as_json(check(log))["starts"]
    return {name: values for name, values in start["facts"].items() if values}


@pytest.mark.parametrize(
    "said",
    [
        b"Loading weights took nan seconds",
        b"Loading weights took inf seconds",
        b"Loading weights took . seconds",
        b"Loading weights took .5 seconds",
        b"Loading weights took 1.2.3 seconds",
        b"Loading weights took -3 seconds",
        b"Loading weights took 1e5 seconds",
        b"Loading weights took 0x1F seconds",
        b"Loading weights took 12\x00.5 seconds",
        b"Loading weights took 1\xff9 seconds",
        b"Loading weights took %s seconds" % (b"9" * 30),
        b"Loading weights took %s seconds" % (b"9" * 400),
        b"Loading weights took %s.5 seconds" % (b"9" * 400),
        b"Loading weights took %s seconds" % (b"9" * 5000),
        b"Model loading took ... GiB memory and . seconds",
        b"Model loading took 1.2.3 GiB",
        b"Model loading took %s GiB" % (b"9" * 400),
        b"Available KV cache memory: 1.2.3 GiB",
        b"Available KV cache memory: - GiB",
        b"Filesystem type for checkpoints: EXT4. Checkpoint size: 3..1 GiB.",
        b"Sleep mode freed 1.2.3 GiB memory, . GiB memory is still in use.",
    ],
)
def test_what_is_no_number_is_no_fact(said: bytes) -> None:
    """A value that cannot be read, or that no clock prints, is absent: the others stay."""
    got = facts(BANNER + HEAD + said + b"\n" + HEAD + b"Graph capturing finished in 2.5 secs\n")

    assert {"graph_capture_s": [2.5]} == got


@pytest.mark.parametrize(
    ("size", "took"),
    [(b"9" * 400, b"4"), (b"1.2.3", b"4"), (b"4.5", b"9" * 400), (b"4.5", b"0"), (b"0", b"4")],
)
def test_a_rate_needs_two_numbers(size: bytes, took: bytes) -> None:
    """Bytes over nothing, or over a number that is none, is no rate."""
    starts = check(
        BANNER
        + (HEAD + b"Loading weights took %s seconds\n" % took)
        + (HEAD + b"Filesystem type for checkpoints: EXT4. Checkpoint size: %s GiB.\n" % size)
    )

    assert [] == as_json(starts)["starts"][0]["transfers"]
    assert "Gbps" not in as_text(starts)


def test_a_line_whose_middle_was_dropped_joins_no_digits() -> None:
    """Two halves of a number on either side of what was left out are not a number."""
    half = 32 * 1024
    head = b"(EngineCore pid=7) INFO 03-04 05:06:09 "
    first = head + b"z" * (half - len(head) - 23) + b"; Loading weights took 1"
    last = b"9.5 seconds " + b"k" * (half - 12)

    starts = explain(
        (RECORD + b"F " + BANNER)
        + (RECORD + b"P " + first + b"q" * 1000 + b"\n")
        + (RECORD + b"F " + b"w" * 70_000 + last + b"\n")
    )

    assert [] == as_json(starts)["starts"][0]["facts"]["weights_s"]


@pytest.mark.parametrize("position", range(64 * 1024 - 40, 64 * 1024 + 4))
def test_an_overlong_line_cut_inside_a_number(position: int) -> None:
    """Wherever the head of a line of ten megabytes ends, no part of a number is taken for it."""
    said = b"; Loading weights took 1234.5 seconds"
    line = HEAD + b"x" * (position - len(HEAD) - len(said)) + said + b"y" * 200_000

    assert {"weights_s": [1234.5]} == facts(BANNER + line + b"\n") or {} == facts(
        BANNER + line + b"\n"
    )


def test_a_long_line_and_a_short_one_are_not_one_message() -> None:
    """A message that was cut for keeping is not finished by the line below it."""
    said = b"; Loading weights took 12345.6 seconds"
    cut = 2000 - len(b"; Loading weights took 1234")

    got = facts(BANNER + HEAD + b"x\n" + b"a" * cut + said + b"\nseconds flat\n")

    assert {12345.6} >= set(got.get("weights_s", []))


def test_a_number_split_by_the_runtime_is_whole_again() -> None:
    """A record that goes on in the next one is one line: its number is what was printed."""
    log = (
        (RECORD + b"F " + BANNER)
        + (RECORD + b"P " + HEAD + b"Loading weights took 1\n")
        + (RECORD + b"F 9.5 seconds\n")
    )

    (start,) = as_json(explain(log))["starts"]

    assert [19.5] == start["facts"]["weights_s"]


def test_the_same_number_is_kept_as_often_as_it_was_printed() -> None:
    """Every rank prints its own; nothing is averaged and nothing merged."""
    said = [b"Loading weights took 3.10 seconds", b"Loading weights took 3.1 seconds"]

    got = facts(BANNER + b"".join(HEAD + s + b"\n" for s in [*said, b"Loading weights took 4 s"]))

    assert {"weights_s": [3.1, 3.1, 4]} == got


def test_digits_of_another_script_are_no_digits() -> None:
    """vLLM prints ASCII; anything else in a number's place is somebody's joke."""
    said = "Loading weights took \u0661\u0669.\u0665 seconds\n".encode()

    assert {} == facts(BANNER + HEAD + said)


@pytest.mark.parametrize("between", [b"", b"\x00", b"\n", b"# ", b"$ vllm serve\n"])
def test_a_pasted_session_may_hold_a_command_twice(between: bytes) -> None:
    """With nothing in between that anybody printed."""
    starts = check(b"$ vllm serve /m\n" + between + b"\n$ vllm serve /m\n" + BANNER)

    assert "0.26.0" == starts[-1].engine_version
