"""
Joining `report` to runs, documents and artefacts, and to the files it writes.
"""

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firstlight.core.errors import BadInput, FirstlightError
from firstlight.core.records import LEDGER
from firstlight.core.starts import Start
from firstlight.edges.decision_files import read_kept
from firstlight.edges.kept_text import kept_text
from firstlight.edges.report_files import write_over
from firstlight.report.escape import all_visible
from firstlight.report.json_contract import explanation
from firstlight.report.saved_document import damaged, read_saved
from firstlight.wiring.explaining import explain_inputs

_KINDS = (".perfetto.json", ".html", ".md", ".csv", ".json", ".svg", ".png")


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What a report is made of."""

    document: Mapping[str, Any]
    starts: tuple[Start, ...] = ()
    """Empty where a document was given, which does not hold every activity."""
    saved_in: str | None = None
    """The document's file; None where it was made just now."""


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
        if not is_run:
            return Material(document=document or {}, saved_in=str(path))
        pages = any(target.name.endswith(".html") for target in targets)
        drawing = (lambda: _drawing("html")) if pages else (lambda: None)
        return Material(document=_run(path, drawing))
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
    write_over(target, _shown(found, target))


def _shown(found: Material, target: Path) -> bytes:
    """The file's bytes; of a document that was saved, what is wrong is its fault and not ours."""
    if found.saved_in is None:
        return _made(found, target)
    try:
        return _made(found, target)
    except FirstlightError:
        raise
    except Exception as broken:
        raise damaged(found.saved_in, f"it cannot be shown ({broken!r})") from broken


def _made(found: Material, target: Path) -> bytes:
    document = found.document
    if not target.name.endswith(".json"):
        document = all_visible(document)
    kind = next((k for k in _KINDS if target.name.endswith(k)), None)
    match kind:
        case None:
            raise BadInput(
                f"{target.name} does not tell what to write",
                remedy=f"let it end in one of {', '.join(_KINDS)}",
            )
        case ".html":
            return str(_drawing("html").page(document, script=_script())).encode()
        case ".svg" | ".png":
            picture = _drawing("picture").picture
            return bytes(picture(document, kind=kind.removeprefix(".")))
        case ".json":
            return (json.dumps(found.document, indent=1) + "\n").encode()
        case ".perfetto.json":
            return _trace(found, target)
        case ".csv":
            from firstlight.report.rounds_csv import rounds_csv  # noqa: PLC0415

            return rounds_csv(document).encode()
        case _:
            from firstlight.report.markdown import markdown  # noqa: PLC0415

            return markdown(document).encode()


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
    return (json.dumps(all_visible(trace(found.starts[0]))) + "\n").encode()


def _script() -> str:
    """The charts' library, which takes a second to put together."""
    vega = _drawing("vega")
    return kept_text(vega.library_name(), vega.library, environment=os.environ, home=Path.home())


def _run(path: Path, meanwhile: Callable[[], object] = lambda: None) -> Mapping[str, Any]:
    from firstlight.wiring.experimenting.run_document import run_document  # noqa: PLC0415

    return run_document(path, meanwhile)


def _document(path: Path) -> Mapping[str, Any] | None:
    """A document that firstlight printed; None for anything else."""
    if path.suffix != ".json" or not path.is_file():
        return None
    return read_saved(str(path), read_kept(path))
