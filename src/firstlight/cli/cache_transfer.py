"""`firstlight cache push` and `pull`."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from firstlight.cli.cache_asked import (
    ANYBODY,
    ENGINE,
    FACTORS,
    MOST_BYTES,
    TRUST,
    known,
    print_answer,
    words,
)
from firstlight.cli.cache_output import (
    pulled_document,
    pulled_text,
    pushed_document,
    pushed_text,
)
from firstlight.cli.exit_codes import DONE, exit_code
from firstlight.cli.output import output_option, print_json, tell
from firstlight.cli.progress import shown_progress
from firstlight.core.errors import FirstlightError


@click.command("push")
@click.argument("folders", nargs=-1, metavar="[DIR|KIND=DIR]...")
@click.option("--to", "url", required=True, metavar="URL", help="s3://BUCKET/PREFIX, file:///DIR")
@ENGINE
@FACTORS
@click.option(
    "--key",
    "key_file",
    type=click.Path(path_type=Path),
    help="the private key to sign with; none for this user's own",
)
@click.option("--unsigned", is_flag=True, help="sign with no key; few will take it")
@MOST_BYTES
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
        factors=known(engine, factors),
        command=words(engine or ""),
        private_keys=signers(key_file, os.environ, sign=not unsigned),
        most_bytes=max_bytes,
    )
    with shown_progress() as progress:
        done = pushed_to(url, parcel, progress)
    print_answer(output, lambda: pushed_document(url, done), lambda: pushed_text(url, done))


@click.command("pull")
@click.option("--from", "url", required=True, metavar="URL", help="s3://BUCKET/PREFIX, file:///DIR")
@click.option("--into", type=click.Path(path_type=Path), required=True, metavar="DIR")
@ENGINE
@click.option(
    "--expect",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="what the cache must be for, as `cache key` or `render` wrote it",
)
@TRUST
@ANYBODY
@click.option("--require", is_flag=True, help="fail where no cache can be taken")
@click.option("--replace", is_flag=True, help="what was filled here may go")
@click.option("--timeout", "timeout_s", type=click.FloatRange(1), default=120, show_default=True)
@MOST_BYTES
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
    print_answer(output, lambda: pulled_document(url, done), lambda: pulled_text(url, done))


def _pulled(url: str, progress: Callable[[str], None], **given: Any) -> Any:
    from firstlight.wiring.caching.keys import believed  # noqa: PLC0415
    from firstlight.wiring.caching.pulling import Order  # noqa: PLC0415
    from firstlight.wiring.caching.pulling import pull as pulled_from  # noqa: PLC0415

    since = given["not_before"]
    order = Order(
        into=given["into"].absolute(),
        here=known(given["engine"], given["expect"]),
        trusted=believed(given["trust"], os.environ, anybody=given["trust_unsigned"]),
        timeout_s=given["timeout_s"],
        most_bytes=given["max_bytes"],
        not_before_unix_s=int(since.timestamp()) if since else 0,
        replaces=given["replace"],
    )
    return pulled_from(url, order, progress)
