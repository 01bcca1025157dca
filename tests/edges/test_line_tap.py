from firstlight.edges.line_tap import LineTap


def texts(tap: LineTap) -> list[str]:
    return [text for _, text in tap.fetch()]


def test_a_line_is_offered_once_with_the_moment_of_its_end() -> None:
    """Half a line is not offered."""
    tap = LineTap()

    tap.add("stdout", b"one\ntw", at_ns=1)
    first = tap.fetch()
    tap.add("stdout", b"o\n", at_ns=2)

    assert ([(1, "one")], [(2, "two")]) == (first, tap.fetch())


def test_the_streams_do_not_mix() -> None:
    """Half a line of one is not finished by the other."""
    tap = LineTap()

    tap.add("stdout", b"out", at_ns=1)
    tap.add("stderr", b"err\n", at_ns=2)
    tap.add("stdout", b"put\n", at_ns=3)

    assert ["err", "output"] == texts(tap)


def test_of_a_line_that_redraws_itself_the_last_state_is_kept() -> None:
    """Wherever the carriage returns stand, and however the reads cut it."""
    tap = LineTap()

    tap.add("stderr", b"\r 0%", at_ns=1)
    tap.add("stderr", b"\r 100%", at_ns=2)
    tap.add("stderr", b"\n0%\r", at_ns=3)
    tap.add("stderr", b"50%\n", at_ns=4)
    tap.add("stderr", b"50%\r100%\r\n", at_ns=5)

    assert [" 100%", "50%", "100%"] == texts(tap)


def test_an_unfinished_last_line_is_offered_at_the_end() -> None:
    """A crash often ends without a line end."""
    tap = LineTap()

    tap.add("stderr", b"Segmentation fault", at_ns=1)
    tap.end("stderr", at_ns=2)

    assert [(2, "Segmentation fault")] == tap.fetch()


def test_memory_is_bounded_for_a_line_without_an_end() -> None:
    """A gigabyte without a line end keeps its head."""
    tap = LineTap()

    for _ in range(100):
        tap.add("stdout", b"x" * 65536, at_ns=1)
    tap.add("stdout", b"\n", at_ns=2)

    assert ["x" * 4096] == texts(tap)


def test_of_lines_that_nobody_fetched_the_newest_are_kept() -> None:
    """The last words matter most."""
    tap = LineTap()

    tap.add("stdout", b"".join(b"%d\n" % n for n in range(5000)), at_ns=1)

    kept = texts(tap)
    assert (1000, "4999") == (len(kept), kept[-1])
