"""
Joining `report` to runs, documents and artefacts, and to the files it writes.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firstlight.core.errors import BadInput
from firstlight.core.records import LEDGER
from firstlight.core.starts import Start
from firstlight.edges.decision_files import read_kept
from firstlight.edges.report_files import write_over
from firstlight.experiment.contract import SCHEMA as EXPERIMENT
from firstlight.report.json_contract import SCHEMA as EXPLAIN
from firstlight.report.json_contract import explanation
from firstlight.wiring.explaining import explain_inputs

_KINDS = (".perfetto.json", ".html", ".md", ".csv", ".json", ".svg", ".png")


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What a report is made of."""

    document: Mapping[str, Any]
    starts: tuple[Start, ...] = ()
    """Empty where a document was given, which does not hold every activity."""


def material(given: Sequence[str], targets: Iterable[Path] = ()) -> Material:
    """
    What was named: a run of an experiment, a saved document, or artefacts to explain.

    Args:
        given: names.
        targets: what will be written: what draws it is made ready while rounds are read.

    Raises:
        BadInput: it cannot be read, or several runs or documents were named.
        NothingFound: there is no start in it.
    """
    for path in map(Path, given):
        is_run = (path / LEDGER.file).is_file()
        document = None if is_run else _document(path)
        if not is_run and document is None:
            continue
        if len(given) > 1:
            raise BadInput(
                f"{path} is {'a run' if is_run else 'a document'}, and a page is made of one",
                remedy="name it alone",
            )
        found = _run(path, targets) if is_run else document or {}
        return Material(document=found)
    starts = explain_inputs(given)
    return Material(document=explanation(starts), starts=tuple(starts))


def written(found: Material, target: Path) -> None:
    """
    One file, its kind told by its name.

    Raises:
        BadInput: the name tells no kind, what was named has nothing of that kind, or what draws
            it is not installed.
        OutsideFailed: the file cannot be written.
    """
    write_over(target, _made(found, target))


def _made(found: Material, target: Path) -> bytes:
    kind = next((k for k in _KINDS if target.name.endswith(k)), None)
    match kind:
        case None:
            raise BadInput(
                f"{target.name} does not tell what to write",
                remedy=f"let it end in one of {', '.join(_KINDS)}",
            )
        case ".html":
            page = _drawing("html").page
            return str(page(found.document)).encode()
        case ".svg" | ".png":
            picture = _drawing("picture").picture
            return bytes(picture(found.document, kind=kind.removeprefix(".")))
        case ".json":
            return (json.dumps(found.document, indent=1) + "\n").encode()
        case ".perfetto.json":
            return _trace(found, target)
        case ".csv":
            from firstlight.report.rounds_csv import rounds_csv  # noqa: PLC0415

            return rounds_csv(found.document).encode()
        case _:
            from firstlight.report.markdown import markdown  # noqa: PLC0415

            return markdown(found.document).encode()


def _drawing(module: str) -> Any:
    from importlib import import_module  # noqa: PLC0415

    try:
        return import_module(f"firstlight.report.page.{module}")
    except ModuleNotFoundError as e:
        if e.name and e.name.startswith("firstlight"):
            raise
        raise BadInput(
            f"this needs the extra for pages and charts ({e.name} is not installed)",
            remedy="pip install 'firstlight[report]'",
        ) from e


def _trace(found: Material, target: Path) -> bytes:
    from firstlight.report.perfetto import trace  # noqa: PLC0415

    if len(found.starts) != 1:
        raise BadInput(
            f"{target.name} would hold one start, and this is "
            + (f"{len(found.starts)} of them" if found.starts else "a document"),
            remedy="name the folder of one round, or one log",
        )
    return (json.dumps(trace(found.starts[0])) + "\n").encode()


def _run(path: Path, targets: Iterable[Path]) -> Mapping[str, Any]:
    from firstlight.wiring.experimenting_report import report  # noqa: PLC0415

    def drawing() -> None:
        if any(target.name.endswith(".html") for target in targets):
            _drawing("vega").begun()
            _drawing("html")

    return report(path, drawing)


def _document(path: Path) -> Mapping[str, Any] | None:
    """A document that firstlight printed; None for anything else."""
    if path.suffix != ".json" or not path.is_file():
        return None
    try:
        document = json.loads(read_kept(path))
    except (ValueError, RecursionError):
        return None
    if isinstance(document, dict) and document.get("schema") in {EXPLAIN, EXPERIMENT}:
        return document
    return None
