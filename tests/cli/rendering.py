"""`firstlight render` as a process, and what it and kubectl make of each other's output."""

import subprocess
from pathlib import Path
from typing import Any

from firstlight.readers.manifests import kubernetes_objects
from firstlight.readers.marked_yaml import marked_documents
from tests.cli.console import firstlight, said


def rendered(*arguments: str | Path, stdin: bytes = b"") -> str:
    """What stood on standard output."""
    done = firstlight("render", *arguments, stdin=stdin)
    assert 0 == done.returncode, said(done)
    said(done)
    return done.stdout.decode()


def objects(text: str | bytes) -> list[Any]:
    """The objects of a text; anything else in it fails."""
    data = text.encode() if isinstance(text, str) else text
    found, others = kubernetes_objects("output", marked_documents("output", data))
    assert () == others
    return [one.value for one in found]


def by_name(found: list[Any]) -> dict[tuple[str, str], Any]:
    return {(one["kind"], one["metadata"]["name"]): one for one in found}


def kubectl(binary: Path, *arguments: str | Path) -> bytes:
    done = subprocess.run([binary, *arguments], capture_output=True, check=False)
    assert 0 == done.returncode, done.stderr
    return done.stdout
