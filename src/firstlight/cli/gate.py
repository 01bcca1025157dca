"""`firstlight gate`: the door of an engine that sleeps."""

import errno
import os
import re
from pathlib import Path
from typing import Any

import click

from firstlight.cli.output import MONTH_S, Finite
from firstlight.core.errors import BadInput, FirstlightError
from firstlight.core.units import NS_PER_S

_PORT = re.compile(r"[0-9]{1,5}")
_MB = 1_000_000
_MOST_MB = 1_000_000
_SECONDS = Finite(0, MONTH_S)
_EXTRA = {"aiohttp", "prometheus_client", "multidict", "yarl"}


def _address(_: click.Context, __: click.Parameter, said: str) -> tuple[str | None, int]:
    """HOST:PORT, [HOST]:PORT for one with colons, or :PORT for all addresses, as host and port."""
    host, colon, port = said.rpartition(":")
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    whole = colon and (host != bare or ":" not in host)
    if not whole or not _PORT.fullmatch(port) or not int(port) < 1 << 16:
        raise click.BadParameter(f"{said!r} is no address to listen on: say :8080.")
    if int(port) == 0:
        raise click.BadParameter(f"{said!r} is a port that nobody would find: say :8080.")
    return bare or None, int(port)


@click.command(
    "gate",
    epilog="""\b
Examples:
  firstlight gate --engine http://127.0.0.1:8000 --listen :8080
  firstlight gate --engine http://127.0.0.1:8000 --listen :8080 --idle-s 300 --level 2
  firstlight gate --engine http://127.0.0.1:8000 --listen :8080 --admin-token-file /etc/gate/token
""",
)
@click.option("--engine", required=True, metavar="URL", help="http://127.0.0.1:8000")
@click.option(
    "--listen",
    callback=_address,
    required=True,
    metavar="[HOST]:PORT",
    help=":8080 for every address",
)
@click.option(
    "--idle-s",
    type=_SECONDS,
    default=600,
    show_default=True,
    help="sleep after so long without a request; 0 for never by itself",
)
@click.option(
    "--min-awake-s",
    type=_SECONDS,
    default=60,
    show_default=True,
    help="stay awake so long after a start or a wake-up, however idle",
)
@click.option(
    "--level",
    type=click.IntRange(1, 2),
    default=1,
    show_default=True,
    help="1 keeps the weights in the host's memory; 2 drops them, and loads them anew",
)
@click.option(
    "--wait-s",
    type=_SECONDS,
    default=60,
    show_default=True,
    help="a request waits so long for a wake-up",
)
@click.option(
    "--max-waiting", type=click.IntRange(1), default=1000, show_default=True, help="at once"
)
@click.option(
    "--max-waiting-mb",
    type=Finite(0.001, _MOST_MB),
    default=64,
    show_default=True,
    help="of their bodies in all, as far as they are kept",
)
@click.option(
    "--max-body-mb", type=Finite(0.001, _MOST_MB), default=64, show_default=True, help="of one"
)
@click.option(
    "--max-connections", type=click.IntRange(1), default=4096, show_default=True, help="at once"
)
@click.option(
    "--sleep-within-s",
    type=_SECONDS,
    default=180,
    show_default=True,
    help="an engine that does not fall asleep in this time failed; the first time fills the "
    "host's memory",
)
@click.option(
    "--wake-within-s",
    type=_SECONDS,
    default=120,
    show_default=True,
    help="an engine that does not wake up in this time failed",
)
@click.option(
    "--engine-silent-s",
    type=Finite(1, MONTH_S),
    default=60,
    show_default=True,
    help="an engine that says nothing for so long failed",
)
@click.option(
    "--token-every-s",
    type=Finite(1, MONTH_S),
    default=60,
    show_default=True,
    help="awake, it has to give a token so often to be ready; it is asked for one if nobody else "
    "asks",
)
@click.option(
    "--admin-token-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="with the bearer token for POST /-/sleep, POST /-/wake and GET /-/state; without it "
    "there are no such routes",
)
@click.option(
    "--prime",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="requests to ask again after each wake-up, one JSON object a line with path and body",
)
@click.option(
    "--state-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="keeps what a gateway has to know that is started beside a sleeping engine",
)
@click.option(
    "--engine-log",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="the engine's log, where it says how much memory is still in use asleep",
)
@click.option(
    "--drain-delay-s",
    type=_SECONDS,
    default=5,
    show_default=True,
    help="told to end, go on so long as not ready before nothing new is let in",
)
@click.option(
    "--drain-s",
    type=_SECONDS,
    default=60,
    show_default=True,
    help="then wait so long for what is there",
)
def command(engine: str, listen: tuple[str | None, int], **given: Any) -> None:
    """Stand between clients and one engine: put it to sleep while nobody asks, wake it in time.

    The engine listens on loopback, with VLLM_SERVER_DEV_MODE=1 and --enable-sleep-mode; this is
    its only door. On a CPU vLLM refuses --enable-sleep-mode: there it needs firstlight's sleeping
    worker instead. What it was asked for while it sleeps waits and is answered. Routes that steer
    the engine are not passed. Its API key, if it has one, is taken from VLLM_API_KEY for what the
    gateway asks itself; clients send their own.
    """
    try:
        from firstlight.wiring.gating.priming import read_prefixes  # noqa: PLC0415
        from firstlight.wiring.gating.running import run  # noqa: PLC0415
        from firstlight.wiring.gating.settings import check_engine, check_host  # noqa: PLC0415
    except ImportError as missing:
        if missing.name not in _EXTRA:
            raise
        raise _no_extra(missing) from missing
    host, port = listen
    if host:
        check_host(host)
    check_engine(engine, host=host, port=port)
    prefixes = read_prefixes(given["prime"]) if given["prime"] else ()
    if given["admin_token_file"]:
        _check_token(given["admin_token_file"])
    if given["engine_log"]:
        _check_log(given["engine_log"])
    run(_settings(engine, host, port, given), prefixes)


def _settings(engine: str, host: str | None, port: int, given: dict[str, Any]) -> Any:
    from firstlight.edges.gate.limits import Limits  # noqa: PLC0415
    from firstlight.gateway.policy import Policy  # noqa: PLC0415
    from firstlight.wiring.gating.looking import Pace  # noqa: PLC0415
    from firstlight.wiring.gating.settings import Settings  # noqa: PLC0415

    return Settings(
        engine=engine,
        host=host,
        port=port,
        api_key=os.environ.get("VLLM_API_KEY") or None,
        level=given["level"],
        wait_s=given["wait_s"],
        token_every_s=given["token_every_s"],
        drain_delay_s=given["drain_delay_s"],
        drain_s=given["drain_s"],
        policy=Policy(
            idle_ns=_ns(given["idle_s"]) or None,
            min_awake_ns=_ns(given["min_awake_s"]),
            sleep_within_ns=_ns(given["sleep_within_s"]),
            wake_within_ns=_ns(given["wake_within_s"]),
            silent_within_ns=_ns(given["engine_silent_s"]),
            most_waiting=given["max_waiting"],
            most_waiting_bytes=round(given["max_waiting_mb"] * _MB),
        ),
        limits=Limits(
            connections=given["max_connections"],
            body_bytes=round(given["max_body_mb"] * _MB),
        ),
        pace=Pace(silent_s=given["engine_silent_s"]),
        admin_token_file=given["admin_token_file"],
        state_file=given["state_file"],
        engine_log=given["engine_log"],
    )


def _ns(length_s: float) -> int:
    return round(length_s * NS_PER_S)


def _check_token(file: Path) -> None:
    """A file that is wrong at the start is wrong by mistake; later it may be on its way."""
    from firstlight.edges.gate.token_file import NoToken, TokenFile  # noqa: PLC0415

    try:
        TokenFile(file).read()
    except NoToken as problem:
        raise BadInput(
            str(problem), remedy="mount a Secret there, with the token and nothing else"
        ) from problem


def _check_log(file: Path) -> None:
    """It may be made later, and may not be readable yet; it will never be what it is not now."""
    from firstlight.edges.gate.regular_file import open_regular  # noqa: PLC0415

    try:
        open_regular(file).close()
    except OSError as problem:
        if problem.errno in {errno.EINVAL, errno.EISDIR}:
            raise BadInput(
                f"{file} is no log of an engine: {problem.strerror}",
                remedy="have the engine's output written to a file, as by: 2>&1 | tee FILE",
            ) from problem


def _no_extra(missing: ImportError) -> FirstlightError:
    return BadInput(
        f"the gateway needs its extra ({missing.name} is not installed)",
        remedy="pip install 'firstlight[gateway]'",
    )
