"""RFC 3339 to nanoseconds and back."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.core.moments import Moment, read_moment, rfc3339, stamp_ns
from firstlight.core.units import NS_PER_S

SIX = 1_795_975_203 * NS_PER_S  # 2026-11-29T18:00:03Z
ZONES = st.integers(min_value=-23 * 60 - 59, max_value=23 * 60 + 59)
MOMENTS = st.integers(min_value=-(2**62), max_value=2**62)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-29T18:00:03Z", (SIX, NS_PER_S, True)),
        ("2026-11-29t18:00:03z", (SIX, NS_PER_S, True)),
        ("2026-11-29T19:00:03+01:00", (SIX, NS_PER_S, True)),
        ("2026-11-29T18:00:03.600Z", (SIX + 600_000_000, 1_000_000, True)),
        ("2026-11-29T18:00:03.999999999Z", (SIX + 999_999_999, 1, True)),
        ("2026-11-29T18:00:03", (SIX, NS_PER_S, False)),
        ("1969-12-31T23:59:59.5Z", (-NS_PER_S // 2, NS_PER_S // 10, True)),
        ("0001-01-01T00:00:00Z", (-62_135_596_800 * NS_PER_S, NS_PER_S, True)),
        ("2026-11-29T18:00:03.Z", None),
        ("2026-11-29T18:00:03+24:00", None),
        ("2026-11-29T18:00:63Z", None),
        ("2026-11-29", None),
        ("2026-11-29T18:00:03Z and more", None),
        ("\u0662026-11-29T18:00:03Z", None),
    ],
)
def test_a_stamp_to_the_nanosecond(text: str, expected: tuple[int, int, bool] | None) -> None:
    """Nothing is rounded, and what is no moment is None."""
    assert (Moment(*expected) if expected else None) == read_moment(text)


@pytest.mark.parametrize("value", ["2026-11-29T18:00:03", "", "now", None, 3, {}])
def test_an_objects_stamp_has_a_zone(value: object) -> None:
    """Without one it would be somebody's guess."""
    assert SIX == stamp_ns("2026-11-29T18:00:03Z")
    assert None is stamp_ns(value)


def test_a_moment_is_cut_never_rounded() -> None:
    """A stamp that lies ahead of what it stands for would be the only one in the project."""
    at_ns = SIX + 999_999_999

    assert "2026-11-29T18:00:03Z" == rfc3339(at_ns)
    assert "2026-11-29T18:00:03.999Z" == rfc3339(at_ns, digits=3)
    assert "1969-12-31T23:59:59.999999999Z" == rfc3339(-1, digits=9)


@given(MOMENTS)
def test_what_is_printed_reads_back(at_ns: int) -> None:
    """All of a nanosecond clock's range."""
    assert Moment(at_ns, 1, has_zone=True) == read_moment(rfc3339(at_ns, digits=9))


@given(MOMENTS, ZONES)
def test_a_zone_moves_no_moment(at_ns: int, minutes: int) -> None:
    """The same moment, by clocks that are hours apart."""
    zone = timezone(timedelta(minutes=minutes))
    local = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=at_ns // NS_PER_S)
    written = local.astimezone(zone).strftime("%Y-%m-%dT%H:%M:%S")
    sign, ahead = ("-", -minutes) if minutes < 0 else ("+", minutes)

    read = read_moment(f"{written}{sign}{ahead // 60:02}:{ahead % 60:02}")

    assert Moment(at_ns // NS_PER_S * NS_PER_S, NS_PER_S, has_zone=True) == read
