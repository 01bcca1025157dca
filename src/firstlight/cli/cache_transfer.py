"""`firstlight cache push` and `pull`."""

import datetime as dt
import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from firstlight.caches import variables
from firstlight.cli.cache_asked import (
    ANYBODY,
    ENGINE,
    FACTORS,
    MOST_BYTES,
    TRANSFER_OUTPUT,
    TRUST,
)
from firstlight.cli.cache_output import (
    not_pulled_document,
    not_pulled_line,
    print_answer,
    print_document,
    pulled_document,
    pulled_line,
    pushed_document,
    pushed_text,
)
from firstlight.cli.cache_progress import shown_steps
from firstlight.cli.exit_codes import DONE, OUTSIDE_FAILED, exit_code
from firstlight.cli.hard_stop import hard_stop
from firstlight.cli.output import MONTH_S, Finite
from firstlight.core.errors import FirstlightError, OutsideFailed

if TYPE_CHECKING:
    from firstlight.wiring.caching.pulling import Pulled
    from firstlight.wiring.caching.pushing import Pushed
    from firstlight.wiring.caching.shared_folder import SharedFolder
    from firstlight.wiring.caching.steps import Progress

_GRACE_S = 10.0
"""Beyond its time, before what hangs is ended."""


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
@click.option("--replace", is_flag=True, help="publish anew, whatever is there of the same signer")
@MOST_BYTES
@click.option(
    "--served-by",
    "served_by",
    metavar="URL",
    help="wait until the engine at http://127.0.0.1:8000 is healthy, and ask it for one token, "
    "before the folders are read; its key is taken from VLLM_API_KEY",
)
@click.option(
    "--wait-s",
    type=Finite(0, MONTH_S),
    default=1800,
    show_default=True,
    help="how long to wait for it",
)
@click.option(
    "--shared",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="a folder that the engine's container has too: a file engine-ended in it ends the "
    "waiting; published or not-published is left there at the end",
)
@TRANSFER_OUTPUT
def push(url: str, output: str, *, shared: Path | None, **given: Any) -> None:
    """Publish the caches of an engine that has started and answered once."""
    from firstlight.wiring.caching.reporting import reporting  # noqa: PLC0415

    with reporting(shared) as left, shown_steps(output) as progress:
        done = _pushed(url, progress, left, **given)
    print_answer(output, lambda: pushed_document(url, done), lambda: pushed_text(url, done))


def _pushed(url: str, progress: "Progress", left: "SharedFolder | None", **given: Any) -> "Pushed":
    from firstlight.wiring.caching.keys import signers  # noqa: PLC0415
    from firstlight.wiring.caching.known import engine_here, words_of  # noqa: PLC0415
    from firstlight.wiring.caching.places import check_kinds, sources  # noqa: PLC0415
    from firstlight.wiring.caching.pushing import Parcel  # noqa: PLC0415
    from firstlight.wiring.caching.pushing import push as pushed_to  # noqa: PLC0415

    # What is given wrongly is said before anybody waits, and before the store is asked.
    command, folders = given["engine"], given["folders"]
    factors = engine_here(command, given["factors"], os.environ, variable=variables.EXPECT)
    private_keys = signers(given["key_file"], os.environ, sign=not given["unsigned"])
    check_kinds(folders)
    if given["served_by"] is None:
        here = sources(folders, os.environ)
        found: Callable[[], Mapping[str, Path]] = lambda: here  # noqa: E731 - nothing to name
    else:
        found = partial(_when_served, progress, left, given)
    parcel = Parcel(
        sources=found,
        factors=factors,
        command=words_of(command) if command is not None else (),
        private_keys=private_keys,
        most_bytes=given["max_bytes"],
        beside_engine=given["served_by"] is not None,
        replaces=given["replace"],
    )
    return pushed_to(url, parcel, progress)


def _when_served(
    progress: "Progress", left: "SharedFolder | None", given: Mapping[str, Any]
) -> Mapping[str, Path]:
    """The folders, when the engine beside us has answered: it may make them only then."""
    from firstlight.wiring.caching.places import sources  # noqa: PLC0415
    from firstlight.wiring.caching.serving import Served, until_served  # noqa: PLC0415

    engine = Served(
        url=given["served_by"],
        api_key=os.environ.get("VLLM_API_KEY") or None,
        wait_s=given["wait_s"],
    )
    until_served(engine, left, progress)
    return sources(given["folders"], os.environ)


@click.command("pull")
@click.option("--from", "url", required=True, metavar="URL", help="s3://BUCKET/PREFIX, file:///DIR")
@click.option("--into", type=click.Path(path_type=Path), required=True, metavar="DIR")
@ENGINE
@click.option(
    "--expect",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="what the cache must be for, as `cache key` wrote it; without a file "
    f"{variables.EXPECT} counts",
)
@TRUST
@ANYBODY
@click.option("--require", is_flag=True, help="fail where no cache can be taken")
@click.option("--replace", is_flag=True, help="what was filled here may go")
@click.option("--timeout", "timeout_s", type=Finite(1, MONTH_S), default=120, show_default=True)
@MOST_BYTES
@click.option("--not-before", type=click.DateTime(), help="take none that was made earlier (UTC)")
@click.option(
    "--termination-log",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="leave the last line here too: /dev/termination-log in a container",
)
@TRANSFER_OUTPUT
@click.pass_context
def pull(
    ctx: click.Context,
    /,
    url: str,
    output: str,
    *,
    require: bool,
    termination_log: Path | None,
    **given: Any,
) -> None:
    """
    Take the cache that fits into a folder, whole or not at all.

    Whatever is wrong is said in one line and ends with 0: the engine starts without the cache.
    """
    from firstlight.edges.termination_log import leave_words  # noqa: PLC0415
    from firstlight.wiring.caching.refusals import in_our_words  # noqa: PLC0415

    def give_up() -> None:
        late = OutsideFailed("the time is up, and something hangs", remedy="look at the store")
        line = not_pulled_line(late, required=require)
        if termination_log is not None:
            leave_words(termination_log, line)
        click.echo(line, err=True)

    wrong: FirstlightError | None = None
    stop = hard_stop(given["timeout_s"] + _GRACE_S, give_up, OUTSIDE_FAILED if require else DONE)
    try:
        with stop, in_our_words("pulling a cache"), shown_steps(output) as progress:
            done = _pulled(url, progress, **given)
        line = pulled_line(url, done)
    except FirstlightError as error:
        wrong, line = error, not_pulled_line(error, required=require)
    if termination_log is not None:
        leave_words(termination_log, line)
    if wrong is not None:
        if output != "text":
            print_document(output, not_pulled_document(url, wrong))
        click.echo(line, err=True)
        ctx.exit(exit_code(wrong) if require else DONE)
    if output == "text":
        # No table, and no width to break it at: it is looked for by its beginning.
        click.echo(line)
    else:
        print_document(output, pulled_document(url, done))


def _pulled(url: str, progress: "Progress", **given: Any) -> "Pulled":
    from firstlight.wiring.caching.keys import believed  # noqa: PLC0415
    from firstlight.wiring.caching.known import engine_here  # noqa: PLC0415
    from firstlight.wiring.caching.pulling import Order  # noqa: PLC0415
    from firstlight.wiring.caching.pulling import pull as pulled_from  # noqa: PLC0415

    since, expect = given["not_before"], given["expect"]
    order = Order(
        into=given["into"].absolute(),
        here=engine_here(given["engine"], expect, os.environ, variable=variables.EXPECT),
        trusted=believed(given["trust"], os.environ, anybody=given["trust_unsigned"]),
        timeout_s=given["timeout_s"],
        most_bytes=given["max_bytes"],
        not_before_unix_s=int(since.replace(tzinfo=dt.UTC).timestamp()) if since else 0,
        replaces=given["replace"],
    )
    return pulled_from(url, order, progress)
