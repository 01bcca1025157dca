"""Request times out of a CSV: what is read, what is said, what is refused."""

import pytest

from firstlight.breakeven.request_times import RequestTimes, read_request_times
from firstlight.core.errors import BadInput


def read(text: str, column: str | None = None) -> RequestTimes:
    return read_request_times(text.splitlines(keepends=True), artefact="log.csv", column=column)


@pytest.mark.parametrize(
    "text",
    [
        "1700000000\n1700000001.5\n",
        "time\n1700000000\n1700000001.5\n",
        "anything\n\n1700000000\n\n1700000001.5\n",
        "2023-11-14T22:13:20Z\n2023-11-14T22:13:21.5Z\n",
        "2023-11-14T23:13:20+01:00\n2023-11-14 22:13:21.500+00:00\n",
        "id,Timestamp\n7,1700000000\n8,1700000001.5\n",
        '"ts","path"\n"2023-11-14T22:13:20Z","/v1,x"\n"2023-11-14T22:13:21.5Z","/v1"\n',
    ],
)
def test_times_are_read_as_people_write_them(text: str) -> None:
    """With a header or without, as seconds or as dates, alone or beside other columns."""
    assert RequestTimes(seconds=[1700000000, 1700000001.5]) == read(text)


def test_a_column_may_be_named() -> None:
    """By its name or its number."""
    text = "latency,when\n0.2,1700000000\n0.3,1700000009\n"

    assert [1700000000, 1700000009] == read(text, "when").seconds
    assert [1700000000, 1700000009] == read(text, "2").seconds
    assert [0.2, 0.3] == read(text, "latency").seconds


def test_lines_out_of_order_are_put_in_order_and_said() -> None:
    """With the line of the first."""
    found = read("30\n10\n20\n15\n")

    assert [10, 15, 20, 30] == found.seconds
    assert (
        "log.csv:2 is earlier than the line before it, as 2 lines are: they were put in order",
    ) == found.notes


def test_requests_at_one_moment_all_count_and_are_said() -> None:
    """Two users who come at once both wait."""
    found = read("time\n10\n20\n20\n20\n")

    assert [10, 20, 20, 20] == found.seconds
    assert (
        "log.csv:4 is at the same moment as one before it, as 2 requests are: all of them count",
    ) == found.notes


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "log.csv holds no request"),
        ("\n\n", "log.csv holds no request"),
        ("time\n", "log.csv holds a header and no request"),
        ("10\n10\n", "log.csv holds 2 requests, all at one moment: they are no trace"),
        ("1_0\n20\n", "log.csv:1 holds no time: '1_0'"),
        ("time\n\u0661\n20\n", "log.csv:2 holds no time: '\u0661'"),
        ("2026-W01-1T00:00:00Z\n", "log.csv:1 holds no time: '2026-W01-1T00:00:00Z'"),
        ("10\n", "log.csv holds one request, and nothing comes back after one"),
        ("time\n10\nten\n", "log.csv:3 holds no time: 'ten'"),
        ("10\n20\n\n-5\n", "log.csv:4 holds no time: '-5'"),
        ("-5\n20\n30\n", "log.csv:1 holds no time: '-5'"),
        ("10\n20\nnan\n", "log.csv:3 holds no time: 'nan'"),
        ("10\ninf\n", "log.csv:2 holds no time: 'inf'"),
        ("at,id\n10,1\n,2\n", "log.csv:3 holds no time: ''"),
        ("id,at\n1,10\n2\n", "log.csv:3 holds no time: ''"),
        (
            "2026-03-04T05:06:07\n",
            "log.csv:1 holds no time: '2026-03-04T05:06:07', which says no offset from UTC",
        ),
        (
            "time\n1700000000000\n",
            "log.csv:2 holds no time: '1700000000000', which is too large for seconds since 1970: milliseconds?",  # noqa: E501
        ),
        (
            "0.2,1700000000\n",
            "log.csv:1 has 2 columns, and it is not clear which one holds the time of the request",
        ),
        (
            "start,end\n1,2\n",
            "log.csv:1 has 2 columns, and it is not clear which one holds the time of the request",
        ),
    ],
)
def test_what_holds_no_time_is_refused_with_its_line(text: str, said: str) -> None:
    """In one sentence; a line that is left out would be a user who does not wait."""
    with pytest.raises(BadInput) as refused:
        read(text)

    assert said == refused.value.message


@pytest.mark.parametrize(
    ("text", "column", "said"),
    [
        ("a,b\n1,2\n", "c", "log.csv has no column c: its columns are a, b"),
        ("a,b\n1,2\n", "3", "log.csv has no column 3: its columns are a, b"),
        ("1,2\n", "0", "log.csv has no column 0: it has 2 columns"),
    ],
)
def test_a_column_that_is_not_there_is_refused(text: str, column: str, said: str) -> None:
    """With those that are."""
    with pytest.raises(BadInput) as refused:
        read(text, column)

    assert said == refused.value.message


def test_a_cell_without_end_is_refused() -> None:
    """What the CSV reader says becomes one sentence."""
    with pytest.raises(BadInput, match=r"log.csv:1 is no line of a CSV"):
        read("9" * 200_000 + "\n1\n")


def test_small_letters_are_as_good_in_a_moment() -> None:
    """RFC 3339 lets `t` and `z` stand for `T` and `Z`."""
    found = read_request_times(["2026-01-01T00:00:00Z\n", "2026-01-01t00:00:01.5z\n"], artefact="x")
    assert 1.5 == found.seconds[1] - found.seconds[0]
