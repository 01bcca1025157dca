"""Messages read alike, whoever says them."""

import ast
from collections.abc import Iterator
from pathlib import Path

import firstlight
from firstlight.core import errors

SOURCES = sorted(Path(firstlight.__file__).parent.rglob("*.py"))
ERRORS = {name for name in vars(errors) if name in errors.__doc__} if errors.__doc__ else set()
NAMES = {"CRI", "Karpenter", "Kubernetes", "NodeClaim", "Python"}
"""Written with a capital wherever they stand."""


def sentences(path: Path) -> Iterator[tuple[str, str, str]]:
    """Where an error is made, how its message or remedy begins, and how it ends."""
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Call) or getattr(node.func, "id", "") not in ERRORS:
            continue
        remedies = [word.value for word in node.keywords if word.arg == "remedy"]
        for text in (*node.args[:1], *remedies):
            pieces = text.values if isinstance(text, ast.JoinedStr) else [text]
            begin, end = (
                str(piece.value) if isinstance(piece, ast.Constant) else ""
                for piece in (pieces[0], pieces[-1])
            )
            yield f"{path.name}:{text.lineno}", begin, end


def test_messages_are_parts_of_a_line() -> None:
    """They begin small and end without a stop: `cli` puts them into a line of its own."""
    said = [sentence for path in SOURCES for sentence in sentences(path)]

    capitals = [
        where
        for where, begin, _ in said
        if begin[:1].isupper() and not begin[:2].isupper() and begin.split()[0] not in NAMES
    ]
    assert [] == capitals
    assert [] == [where for where, _, end in said if end.rstrip().endswith(".")]
    assert len(said) > len(SOURCES) / 2
