"""`firstlight cache`: compile caches that survive the pod, and why one was missed."""

import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from firstlight.cli.cache_output import (
    found_text,
    listed_text,
    pulled_document,
    pulled_text,
    pushed_document,
    pushed_text,
)
from firstlight.cli.exit_codes import DONE, exit_code
from firstlight.cli.output import console, output_option, print_json, tell
from firstlight.cli.progress import shown_progress
from firstlight.core.errors import BadInput, FirstlightError

_GIB = 1024**3
_ENGINE = click.option("--engine", metavar="COMMAND", help="how it is started: 'vllm serve ...'")
_TRUST = click.option(
    "--trust",
    multiple=True,
    metavar="KEY|FILE",
    help="a publisher's public key; none for those that this user trusts",
)
_ANYBODY = click.option(
    "--trust-unsigned",
    is_flag=True,
    help="take a cache from anybody: only where nobody else can write to the store",
)
_FACTORS = click.option(
    "--factors",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="what the cache is for, as `cache key` prints it, instead of the command",
)
_MOST_GIB = click.option(
    "--max-bytes",
    type=click.IntRange(1),
    default=16 * _GIB,
    show_default=True,
    help="of all files together",
)


@click.group("cache")
def command() -> None:
    """Keep compile caches on a store, and take them from there into new pods."""


@command.command("where")
@output_option
def where(output: str) -> None:
    """Show every cache of an engine with this environment, and what is in it."""
    from firstlight.wiring.caching.places import found  # noqa: PLC0415

    caches = found(os.environ)
    if output == "json":
        print_json(
            {
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
        )
        return
    console().print(found_text(caches))


@command.command("env")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--bytecode", is_flag=True, help="Python's bytecode too")
@click.option(
    "--format",
    "form",
    type=click.Choice(["shell", "yaml", "json"]),
    default="shell",
    show_default=True,
    help="for a shell's eval, for a container's env, for a program",
)
def env(folder: Path, *, bytecode: bool, form: str) -> None:
    """Print the variables that put every cache below one folder."""
    from firstlight.core.cache_places import under_one  # noqa: PLC0415

    variables = under_one(str(folder.absolute()), bytecode=bytecode)
    match form:
        case "json":
            print_json(dict(variables))
        case "yaml":
            for name, value in variables.items():
                click.echo(f"- name: {name}\n  value: {value}")
        case _:
            for name, value in variables.items():
                click.echo(f"export {name}={shlex.quote(value)}")


@command.command("key")
@_ENGINE
@_FACTORS
@click.option(
    "--of",
    "objects",
    metavar="FILE|FOLDER|deployment/NAME",
    help="of a workload's engine, wherever it will run; --factors adds what its objects do not say",
)
@click.option("--public", is_flag=True, help="print this user's public key, made if there is none")
def key(engine: str | None, factors: Path | None, objects: str | None, *, public: bool) -> None:
    """Print what decides whether a cache fits an engine: a file for --expect and --factors."""
    if public:
        from firstlight.wiring.caching.keys import own_public  # noqa: PLC0415

        click.echo(own_public(os.environ))
        return
    import msgspec  # noqa: PLC0415

    from firstlight.caches.factors import key as key_of  # noqa: PLC0415

    known = _of_workload(objects, factors) if objects else _known(engine, factors)
    told = {n: v for n, v in msgspec.to_builtins(known).items() if v is not None}
    print_json(told)
    click.echo(f"key: {key_of(known)}", err=True)


@command.command("push")
@click.argument("folders", nargs=-1, metavar="[DIR|KIND=DIR]...")
@click.option("--to", "url", required=True, metavar="URL", help="s3://BUCKET/PREFIX, file:///DIR")
@_ENGINE
@_FACTORS
@click.option(
    "--key",
    "key_file",
    type=click.Path(path_type=Path),
    help="the private key to sign with; none for this user's own",
)
@click.option("--unsigned", is_flag=True, help="sign with no key; few will take it")
@_MOST_GIB
@output_option
def push(
    folders: tuple[str, ...],
    url: str,
    engine: str | None,
    factors: Path | None,
    key_file: Path | None,
    *,
    unsigned: bool,
    max_bytes: int,
    output: str,
) -> None:
    """Publish the caches of an engine that has started and answered once."""
    from firstlight.wiring.caching.keys import signers  # noqa: PLC0415
    from firstlight.wiring.caching.places import sources  # noqa: PLC0415
    from firstlight.wiring.caching.pushing import Parcel  # noqa: PLC0415
    from firstlight.wiring.caching.pushing import push as pushed_to  # noqa: PLC0415

    parcel = Parcel(
        sources=sources(folders, os.environ),
        factors=_known(engine, factors),
        command=_words(engine or ""),
        private_keys=signers(key_file, os.environ, sign=not unsigned),
        most_bytes=max_bytes,
    )
    with shown_progress() as progress:
        done = pushed_to(url, parcel, progress)
    _print(output, lambda: pushed_document(url, done), lambda: pushed_text(url, done))


@command.command("pull")
@click.option("--from", "url", required=True, metavar="URL", help="s3://BUCKET/PREFIX, file:///DIR")
@click.option("--into", type=click.Path(path_type=Path), required=True, metavar="DIR")
@_ENGINE
@click.option(
    "--expect",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="what the cache must be for, as `cache key` or `render` wrote it",
)
@_TRUST
@_ANYBODY
@click.option("--require", is_flag=True, help="fail where no cache can be taken")
@click.option("--replace", is_flag=True, help="what was filled here may go")
@click.option("--timeout", "timeout_s", type=click.FloatRange(1), default=120, show_default=True)
@_MOST_GIB
@click.option("--not-before", type=click.DateTime(), help="take none that was made earlier (UTC)")
@output_option
@click.pass_context
def pull(ctx: click.Context, /, url: str, output: str, *, require: bool, **given: Any) -> None:
    """
    Take the cache that fits into a folder, whole or not at all.

    Whatever is wrong is said in one line and ends with 0: the engine starts without the cache.
    """
    try:
        with shown_progress() as progress:
            done = _pulled(url, progress, **given)
    except FirstlightError as wrong:
        if output == "json":
            print_json(
                {"schema": "firstlight.cache.pulled/1", "pulled": False, "why": wrong.message}
            )
        tell(wrong)
        if not require:
            click.echo("the engine starts without a published cache", err=True)
        ctx.exit(exit_code(wrong) if require else DONE)
    _print(output, lambda: pulled_document(url, done), lambda: pulled_text(url, done))


@command.command("list")
@click.option("--from", "url", required=True, metavar="URL", help="s3://BUCKET/PREFIX, file:///DIR")
@_TRUST
@_ANYBODY
@output_option
def list_(url: str, trust: tuple[str, ...], output: str, *, trust_unsigned: bool) -> None:
    """Show what was published."""
    from firstlight.edges.object_store import ObjectStore  # noqa: PLC0415
    from firstlight.wiring.caching.keys import believed  # noqa: PLC0415
    from firstlight.wiring.caching.store import listed  # noqa: PLC0415

    trusted = believed(trust, os.environ, anybody=trust_unsigned)
    found = list(listed(ObjectStore(url), trusted))
    _print(
        output,
        lambda: {"schema": "firstlight.cache.list/1", "caches": [_listed(one) for one in found]},
        lambda: listed_text(url, found),
    )


def _listed(one: Any) -> dict[str, Any]:
    import msgspec  # noqa: PLC0415

    made = one.manifest
    return {
        "path": one.path,
        "refused": one.refused,
        "signed_by": one.signed_by,
        "key": made and made.key,
        "made_unix_s": made and made.made_unix_s,
        "archive": made and made.archive.name,
        "archive_bytes": made and made.archive.size_bytes,
        "files": made and len(made.files),
        "bytes": made and made.unpacked_bytes,
        "factors": made and msgspec.to_builtins(made.factors),
    }


def _pulled(url: str, progress: Callable[[str], None], **given: Any) -> Any:
    from firstlight.wiring.caching.keys import believed  # noqa: PLC0415
    from firstlight.wiring.caching.pulling import Order  # noqa: PLC0415
    from firstlight.wiring.caching.pulling import pull as pulled_from  # noqa: PLC0415

    since = given["not_before"]
    order = Order(
        into=given["into"].absolute(),
        here=_known(given["engine"], given["expect"]),
        trusted=believed(given["trust"], os.environ, anybody=given["trust_unsigned"]),
        timeout_s=given["timeout_s"],
        most_bytes=given["max_bytes"],
        not_before_unix_s=int(since.timestamp()) if since else 0,
        replaces=given["replace"],
    )
    return pulled_from(url, order, progress)


def _known(engine: str | None, file: Path | None) -> Any:
    from firstlight.caches.factors import Factors  # noqa: PLC0415
    from firstlight.wiring.caching import factors_here  # noqa: PLC0415

    if not engine and file is None:
        raise BadInput(
            "it is not known for which engine",
            remedy="say how it is started (--engine 'vllm serve ...'), or name a file of factors",
        )
    said = factors_here.engine_factors(_words(engine), os.environ) if engine else Factors()
    written = factors_here.read_factors(file) if file is not None else Factors()
    return factors_here.together(factors_here.machine_factors(), said, written)


def _of_workload(objects: str, file: Path | None) -> Any:
    from firstlight.caches.factors import Factors  # noqa: PLC0415
    from firstlight.wiring.caching import factors_here  # noqa: PLC0415
    from firstlight.wiring.caching.workload_factors import workload_factors  # noqa: PLC0415

    written = factors_here.read_factors(file) if file is not None else Factors()
    return factors_here.together(workload_factors(objects), written)


def _words(engine: str) -> list[str]:
    try:
        return shlex.split(engine)
    except ValueError as broken:
        raise BadInput(f"--engine cannot be read: {broken}", remedy="close its quotes") from broken


def _print(output: str, document: Callable[[], dict[str, Any]], text: Callable[[], Any]) -> None:
    if output == "json":
        print_json(document())
    else:
        console().print(text())


@command.command("explain")
@click.argument("filled")
@click.argument("missed")
@output_option
def explain(filled: str, missed: str, output: str) -> None:
    """
    Say why MISSED did not use the cache that FILLED wrote.

    Each is a log, a bundle, a round's folder, a pod's object, a cache_key_factors.json, a manifest
    of a store or a file of `cache key`.
    """
    from firstlight.caches.explaining import explained  # noqa: PLC0415
    from firstlight.cli.cache_explained import explained_document, explained_text  # noqa: PLC0415
    from firstlight.wiring.caching.sides import side  # noqa: PLC0415

    first, second = side(filled), side(missed)
    found = explained(first, second)
    _print(
        output,
        lambda: explained_document(first, second, found),
        lambda: explained_text(first, second, found),
    )
