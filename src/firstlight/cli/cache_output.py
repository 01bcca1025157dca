"""What the commands of `firstlight cache` print."""

import datetime as dt
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click
import msgspec

from firstlight.cli.cache_progress import MB, print_line
from firstlight.cli.output import console, print_json
from firstlight.core.errors import FirstlightError
from firstlight.core.shortened import shortened
from firstlight.core.signs import NOT_RESTORED, RESTORED
from firstlight.report.escape import visible

if TYPE_CHECKING:
    from rich.table import Table

    from firstlight.wiring.caching.places import Found
    from firstlight.wiring.caching.pulling import Pulled
    from firstlight.wiring.caching.pushing import Pushed
    from firstlight.wiring.caching.store import Listed

_SHORT = 12
"""Digits of a key that people read."""


def print_answer(
    output: str, document: Callable[[], dict[str, Any]], text: Callable[[], Any]
) -> None:
    """The answer for people, or for machines."""
    if output != "text":
        print_document(output, document())
    elif isinstance(said := text(), str):
        # As it is: a line that somebody looks for in a log is not wrapped.
        click.echo(said)
    else:
        console().print(said)


def print_document(output: str, document: dict[str, Any]) -> None:
    """The answer for machines; of many lines it is the last."""
    if output == "jsonl":
        print_line(document)
    else:
        print_json(document)


def found_document(caches: Sequence["Found"]) -> dict[str, Any]:
    """The caches of this environment, for machines."""
    return {
        "schema": "firstlight.caches/1",
        "caches": [
            {
                "kind": one.place.kind,
                "folder": one.place.folder,
                "variable": one.place.variable,
                "exists": one.exists,
                "files": one.files,
                "bytes": one.bytes,
            }
            for one in caches
        ],
    }


def found_text(caches: Sequence["Found"]) -> "Table":
    """The caches of this environment."""
    from rich.table import Table  # noqa: PLC0415 - only where there is one to print

    table = Table(box=None, pad_edge=False)
    for head in ("cache", "files", "MB", "folder", "moved by"):
        table.add_column(head, justify="right" if head in {"files", "MB"} else "left")
    for one in caches:
        counted = (str(one.files), f"{one.bytes / MB:.1f}") if one.exists else ("-", "-")
        table.add_row(one.place.kind, *counted, visible(one.place.folder), one.place.variable)
    return table


def pushed_document(url: str, done: "Pushed") -> dict[str, Any]:
    """What was published, for machines."""
    made = done.manifest
    return {
        "schema": "firstlight.cache.pushed/1",
        "url": url,
        "key": done.key,
        "published": made is not None,
        "found": done.found.state.value,
        "wrong": done.found.wrong,
        "archive": made and made.archive.name,
        "archive_bytes": made and made.archive.size_bytes,
        "files": made and len(made.files),
        "bytes": made and made.unpacked_bytes,
        "left_out": list(done.left_out),
        "seconds": round(done.seconds, 3),
    }


def pushed_text(url: str, done: "Pushed") -> str:
    """What was published, for people."""
    made = done.manifest
    if made is None:
        said = f"{url} has a cache of the key {done.key[:_SHORT]} already, {_stays(done)}"
    else:
        said = (
            f"published the cache {done.key[:_SHORT]} to {url}: {len(made.files)} files, "
            f"{_mb(made.unpacked_bytes)}, {_mb(made.archive.size_bytes)} packed, "
            f"{done.seconds:.1f} s{_instead(done)}"
        )
    return "\n".join(map(visible, (said, *done.left_out)))


def _stays(done: "Pushed") -> str:
    if done.found.state == "hidden":
        return "which cannot be looked at with these rights; --replace publishes anew"
    return "and it stays"


def _instead(done: "Pushed") -> str:
    match done.found.state:
        case "wrong":
            return f", in place of one that nobody could take: {done.found.wrong}"
        case "whole":
            return ", in place of the one that was there"
        case _:
            return ""


def pulled_document(url: str, done: "Pulled") -> dict[str, Any]:
    """What was taken, for machines."""
    return {
        "schema": "firstlight.cache.pulled/1",
        "pulled": True,
        "url": url,
        "key": done.manifest.key,
        "there_already": done.there_already,
        "signed_by": done.signed_by,
        "files": len(done.manifest.files),
        "bytes": done.manifest.unpacked_bytes,
        "archive_bytes": done.manifest.archive.size_bytes,
        "seconds": round(done.seconds, 3),
    }


def pulled_line(url: str, done: "Pulled") -> str:
    """What was taken, in the one line that `explain` knows again in a pod's logs."""
    made = done.manifest
    by = f"signed by {done.signed_by}" if done.signed_by else "no signature was asked for"
    here = ", it was here already" if done.there_already else ""
    return visible(
        f"{RESTORED} from {url}: {len(made.files)} files, {_mb(made.unpacked_bytes)} in "
        f"{done.seconds:.1f} s{here} ({made.key[:_SHORT]}, {by})"
    )


def not_pulled_document(url: str, wrong: FirstlightError) -> dict[str, Any]:
    """Why nothing was taken, for machines."""
    return {
        "schema": "firstlight.cache.pulled/1",
        "pulled": False,
        "url": url,
        "why": wrong.message,
        "remedy": wrong.remedy,
    }


def not_pulled_line(wrong: FirstlightError, *, required: bool) -> str:
    """Why nothing was taken and what to do, in the one line that `explain` knows again."""
    then = "" if required else "; the engine starts without it"
    return visible(f"{NOT_RESTORED}: {shortened(wrong.message)} ({shortened(wrong.remedy)}){then}")


def listed_document(found: Sequence["Listed"]) -> dict[str, Any]:
    """What lies on a store, for machines."""
    return {"schema": "firstlight.cache.list/1", "caches": [_listed(one) for one in found]}


def _listed(one: "Listed") -> dict[str, Any]:
    made = one.manifest
    return {
        "path": one.path,
        "refused": one.refused,
        "signed_by": one.signed_by,
        "key": made and made.key,
        "made_unix_s": made and made.made_unix_s,
        "made_by": made and made.made_by,
        "archive": made and made.archive.name,
        "archive_bytes": made and made.archive.size_bytes,
        "files": made and len(made.files),
        "bytes": made and made.unpacked_bytes,
        "factors": made and msgspec.to_builtins(made.factors),
        "engine_arguments": made and list(made.engine_arguments),
    }


def listed_text(url: str, found: Sequence["Listed"]) -> "Table | str":
    """What lies on a store."""
    if not found:
        return visible(f"nothing is published at {url}")
    from rich.table import Table  # noqa: PLC0415 - only where there is one to print

    table = Table(box=None, pad_edge=False)
    for head in ("key", "made (UTC)", "files", "MB", "packed MB", "vLLM", "model", "signed by"):
        table.add_column(head, justify="right" if head in {"files", "MB", "packed MB"} else "left")
    for one in found:
        made = one.manifest
        if made is None:
            table.add_row(visible(one.path), *("",) * 6, visible(f"refused: {one.refused}"))
            continue
        when = dt.datetime.fromtimestamp(made.made_unix_s, tz=dt.UTC)
        table.add_row(
            made.key[:_SHORT],
            f"{when:%Y-%m-%d %H:%M}",
            str(len(made.files)),
            f"{made.unpacked_bytes / MB:.1f}",
            f"{made.archive.size_bytes / MB:.1f}",
            visible(made.factors.vllm or "?"),
            visible(made.factors.model or "?"),
            one.signed_by or "not asked",
        )
    return table


def _mb(size_bytes: int) -> str:
    return f"{size_bytes / MB:.1f} MB"
