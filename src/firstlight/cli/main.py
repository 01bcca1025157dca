"""
The command line: `firstlight COMMAND ...`, and `kubectl firstlight COMMAND ...`.

Commands are imported when they are used: `firstlight --help` must answer at once,
also on a machine that has none of the extras.
"""

import errno
import os
import sys
import traceback
from importlib import import_module

import click

from firstlight import __version__
from firstlight.cli.exit_codes import INTERRUPTED, OUR_BUG, OUTSIDE_FAILED, exit_code
from firstlight.cli.streams import let_readers_go
from firstlight.core.errors import FirstlightError

COMMANDS = {
    "breakeven": "Price staying awake, sleep, a kept node and scale to zero: which costs least.",
    "cache": "Keep compile caches on a store: pack, sign, publish, take, tell why one is missed.",
    "capture": "Save what a start left in the cluster, secrets removed.",
    "compare": "Hold one set of starts against another: which phase moved, and how sure that is.",
    "decide": "Hold what was decided about techniques against the facts: what stands, what flips.",
    "experiment": "Prove what each change buys: one change at a time, neighbours taking turns.",
    "explain": "Attribute every second of a start, from its logs and the cluster's objects.",
    "gate": "Be the door of an engine that sleeps while nobody asks, and wakes when somebody does.",
    "lint": "Find settings that are right by themselves and wrong together, and say what to do.",
    "measure": "Start an engine, here or in a cluster, watch it, explain where the time went.",
    "render": "Show a technique as a change to your manifests, or write the steps of an intent.",
    "report": "Make one HTML page of a run or of starts; Markdown, CSV, charts, traces as well.",
}
"""Each command with the line that `--help` shows for it; the module has its name."""


class Commands(click.Group):
    """A group whose commands are imported when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"firstlight.cli.{cmd_name}")
        command = module.command
        if not isinstance(command, click.Command):
            raise TypeError(f"firstlight.cli.{cmd_name}.command is no command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.command(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done · 1 done, and the answer is no · 2 wrong usage · "
    "3 the outside failed · 70 our bug · 130 interrupted.",
)
@click.version_option(__version__, message="firstlight %(version)s")
def firstlight() -> None:
    """Show where every second of a vLLM start goes."""


def run() -> None:
    """The console script: one sentence and one remedy for every error that is not ours."""
    let_readers_go()
    try:
        code = firstlight.main(standalone_mode=False)
        sys.stdout.flush()
    except FirstlightError as e:
        from firstlight.cli.output import tell  # noqa: PLC0415

        tell(e)
        code = exit_code(e)
    except click.ClickException as e:
        e.show()
        code = e.exit_code
    except (click.Abort, KeyboardInterrupt):
        code = INTERRUPTED
    except OSError as e:
        code = _unwritable(e)
    except Exception:  # noqa: BLE001
        code = _our_bug()
    sys.exit(code or 0)


def _unwritable(error: OSError) -> int:
    """A full disk behind standard output is not our bug; any other such error is."""
    if error.errno not in (errno.ENOSPC, errno.EIO):
        return _our_bug()
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    click.echo(f"firstlight: the answer cannot be written: {error.strerror}", err=True)
    return OUTSIDE_FAILED


def _our_bug() -> int:
    traceback.print_exc()
    click.echo(
        "firstlight: this is a bug of firstlight; please report it with the lines above", err=True
    )
    return OUR_BUG


if __name__ == "__main__":
    run()
