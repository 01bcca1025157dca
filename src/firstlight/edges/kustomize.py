"""
A kustomization, built by the tool that its owner has.

What a folder with a `kustomization.yaml` means only kustomize knows, so it is asked: the one
in kubectl, as `kubectl apply -k` does, or the one by itself. It may fetch a remote base and
run as long as the network lets it; the time it gets is bounded, and what it started ends
with it.
"""

import os
import shutil
import signal
import subprocess
from pathlib import Path

from firstlight.core.errors import BadInput, OutsideFailed

_FILES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
"""The names that kustomize itself looks for."""
_COMMANDS = (("kubectl", "kustomize"), ("kustomize", "build"))
_LONGEST_REASON = 600
PATIENCE_S = 120.0


def is_kustomization(folder: Path) -> bool:
    """Whether kustomize has something to build there."""
    return any((folder / name).is_file() for name in _FILES)


def built(folder: Path, *, patience_s: float = PATIENCE_S) -> bytes:
    """
    The objects of a kustomization, as YAML.

    Raises:
        BadInput: kustomize refuses it; the reason is its own.
        OutsideFailed: there is no kustomize here, or it does not come to an end.
    """
    command = _command()
    try:
        with subprocess.Popen(
            [*command, str(folder)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        ) as process:
            try:
                out, err = process.communicate(timeout=patience_s)
            except BaseException:
                # A git that it started would keep the pipes open, and us waiting.
                os.killpg(process.pid, signal.SIGKILL)
                raise
    except subprocess.TimeoutExpired as e:
        raise OutsideFailed(
            f"{command[0]} did not build {folder} within {patience_s:g} s",
            remedy="a remote base may hang: build it yourself, and give the output with `-`",
        ) from e
    except OSError as e:
        raise OutsideFailed(
            f"{command[0]} cannot be run: {e.strerror}", remedy="install kubectl 1.21 or newer"
        ) from e
    if process.returncode != 0:
        reason = " ".join(err.decode("utf-8", "replace").split()).removeprefix("error: ")
        raise BadInput(
            f"{folder} cannot be built: {reason[:_LONGEST_REASON] or 'no reason was given'}",
            remedy=f"see what `{' '.join(command)} {folder}` says; components need kubectl 1.21",
        )
    return out


def _command() -> tuple[str, ...]:
    for program, verb in _COMMANDS:
        if found := shutil.which(program):
            return (found, verb)
    raise OutsideFailed(
        "neither kubectl nor kustomize is installed, and only they can build a kustomization",
        remedy="install one, or build it elsewhere and give the output with `-`",
    )
