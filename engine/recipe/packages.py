"""
pip's words, understood: how far it is, and why it failed.

With a file as its output pip prints no moving bar, but it names each wheel and
its size when it begins to fetch it. `--no-deps` makes the number of wheels the
number of lines in the lock, less those meant for another machine.
"""

import re
from pathlib import Path

from recipe.failures import CannotPrepare
from recipe.progress import size

FOUND = re.compile(r"^(?:Collecting|Processing) ", re.MULTILINE)
NOT_HERE = re.compile(r"^Ignoring .* markers ", re.MULTILINE)
# Newer indexes give the metadata alone first, as `NAME.whl.metadata`: no wheel yet.
WHEEL = re.compile(
    r"^(?:Processing|\s+Downloading|\s+Using cached) \S+\.whl(?:$| (?:\((?P<size>[\d.]+ \w+)\))?)",
    re.MULTILINE,
)
SIZE = re.compile(r"(?P<number>[\d.]+) (?P<unit>bytes|kB|MB|GB)")
UNITS = {"bytes": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9}
INSTALLING = "Installing collected packages"

NO_NETWORK = (
    "Max retries exceeded",
    "NewConnectionError",
    "ConnectTimeout",
    "Read timed out",
    "Connection broken",
    "Connection aborted",
    "ConnectionResetError",
    "name resolution",
    "ProxyError",
    "SSLError",
)
NO_PROJECT = "(from versions: none)"


def fetched_bytes(output: str) -> int:
    """Add up the sizes that pip printed, which it rounds."""
    total = 0.0
    for wheel in WHEEL.finditer(output):
        said = SIZE.match(wheel["size"] or "")
        if said:
            total += float(said["number"]) * UNITS[said["unit"]]
    return round(total)


def how_far(output: str, *, wanted: int, site_packages: Path) -> str:
    """Say in a few words what pip is doing with the packages of the lock."""
    wanted -= len(NOT_HERE.findall(output))
    wheels = len(WHEEL.findall(output))
    if INSTALLING in output:
        # The environment began with pip, which the lock does not name.
        names = {path.name.split("-")[0] for path in site_packages.glob("*.dist-info")} - {"pip"}
        return f"{min(len(names), wanted)} of {wanted} installed"
    if wheels:
        return f"{wheels} of {wanted} fetched ({size(fetched_bytes(output))})"
    return f"{len(FOUND.findall(output))} of {wanted} found"


def how_far_beyond(output: str) -> str:
    """Say the same where pip itself finds out which packages are wanted."""
    done = "installing" if INSTALLING in output else "fetched"
    return f"{done} {len(WHEEL.findall(output))} ({size(fetched_bytes(output))})"


def why_failed(output: str, *, log: Path, home_variable: str) -> CannotPrepare:
    """Turn the end of pip's output into one sentence and a remedy."""
    errors = [line for line in output.splitlines() if line.startswith("ERROR: ")]
    words = errors[-1].removeprefix("ERROR: ") if errors else "it printed no reason"
    again = "run this again"
    if "No space left on device" in output or "Errno 28" in output:
        remedy = (
            f"free some space or set {home_variable} to a folder on a larger disk; then {again}"
        )
    elif any(sign in output for sign in NO_NETWORK):
        remedy = f"check the network, a proxy and pip's own configuration; then {again}"
    elif NO_PROJECT in output:
        # pip says the same of an index that is out of reach and of one that lacks the project.
        remedy = (
            "check that pip reaches its index (network, proxy, pip's own configuration) "
            f"and that the index has it; then {again}"
        )
    elif "No matching distribution" in output:
        remedy = (
            "pip's index has other wheels of it, and none for this Python and processor: "
            "use Python 3.11 to 3.13 on x86_64 or aarch64"
        )
    else:
        remedy = f"read the end of the log; then {again}"
    return CannotPrepare(f"pip could not install vLLM: {words} (log: {log})", remedy=remedy)
