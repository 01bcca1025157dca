"""`firstlight cache`: compile caches that survive the pod, and why one was missed."""

import os
import shlex
from pathlib import Path
from typing import Any

import click

from firstlight.cli.cache_asked import ANYBODY, ENGINE, FACTORS, TRUST
from firstlight.cli.cache_output import (
    found_document,
    found_text,
    listed_document,
    listed_text,
    print_answer,
)
from firstlight.cli.cache_transfer import pull, push
from firstlight.cli.cluster_options import cluster_options
from firstlight.cli.output import output_option, print_json


@click.group(
    "cache",
    epilog="""\b
Examples:
  firstlight cache where
  eval "$(firstlight cache env /cache/engine)"
  firstlight cache push /cache/engine --to s3://BUCKET/PREFIX --engine 'vllm serve MODEL'
  firstlight cache pull --from s3://BUCKET/PREFIX --into /cache/engine --engine 'vllm serve MODEL'
  firstlight cache key --of deployment.yaml > expect.json
  firstlight cache explain filled.log missed.log
""",
)
def command() -> None:
    """Keep compile caches on a store, and take them from there into new pods."""


command.add_command(push)
command.add_command(pull)


@command.command("where")
@output_option
def where(output: str) -> None:
    """Show every cache of an engine with this environment, and what is in it."""
    from firstlight.wiring.caching.places import found  # noqa: PLC0415

    caches = found(os.environ)
    print_answer(output, lambda: found_document(caches), lambda: found_text(caches))


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
@ENGINE
@FACTORS
@click.option(
    "--of",
    "objects",
    metavar="FILE|FOLDER|deployment/NAME",
    help="of a workload's engine, wherever it will run; --factors adds what its objects do not say",
)
@click.option(
    "--target",
    metavar="KIND/NAME",
    help="the workload, where several of --of run vLLM; with -n where several have its name",
)
@cluster_options
@click.option("--public", is_flag=True, help="print this user's public key, made if there is none")
def key(
    engine: str | None,
    factors: Path | None,
    objects: str | None,
    target: str | None,
    *,
    public: bool,
    **access: Any,
) -> None:
    """Print what decides whether a cache fits an engine: a file for --expect and --factors."""
    if public:
        from firstlight.wiring.caching.keys import own_public  # noqa: PLC0415

        click.echo(own_public(os.environ))
        return
    from firstlight.caches.factors import key as key_of  # noqa: PLC0415
    from firstlight.caches.factors import known  # noqa: PLC0415
    from firstlight.wiring.caching.known import engine_elsewhere, engine_here  # noqa: PLC0415

    if objects:
        from firstlight.wiring.cluster_access import ClusterAccess  # noqa: PLC0415

        found = engine_elsewhere(objects, factors, target=target, access=ClusterAccess(**access))
    else:
        found = engine_here(engine, factors, os.environ)
    print_json(known(found))
    click.echo(f"key: {key_of(found)}", err=True)


@command.command("list")
@click.option("--from", "url", required=True, metavar="URL", help="s3://BUCKET/PREFIX, file:///DIR")
@TRUST
@ANYBODY
@output_option
def list_(url: str, trust: tuple[str, ...], output: str, *, trust_unsigned: bool) -> None:
    """Show what was published."""
    from firstlight.edges.object_store import ObjectStore  # noqa: PLC0415
    from firstlight.wiring.caching.keys import believed  # noqa: PLC0415
    from firstlight.wiring.caching.store import listed  # noqa: PLC0415

    trusted = believed(trust, os.environ, anybody=trust_unsigned)
    found = list(listed(ObjectStore(url), trusted))
    print_answer(output, lambda: listed_document(found), lambda: listed_text(url, found))


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
    print_answer(
        output,
        lambda: explained_document(first, second, found),
        lambda: explained_text(first, second, found),
    )
