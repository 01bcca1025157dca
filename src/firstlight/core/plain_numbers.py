"""
Numbers as everybody writes them.

Python reads `1_000`, Arabic digits and `nan` as numbers too. In a column of times or behind an
option they are a slip, and a slip that is read is an answer about something else.
"""


def plain_number(text: str) -> float:
    """
    A number in plain digits, with or without an exponent; it may be too large, and infinite.

    Raises:
        ValueError: it is none.
    """
    if not text.isascii() or "_" in text:
        raise ValueError(text)
    return float(text)
