"""
The host, as far as it tells: what must be alike for two starts to be compared.

Each fact is read from /proc or /sys and is None where that says nothing: in a
container, on another architecture, behind a virtual NIC. The host's name is
kept as a digest: enough to see that two rounds ran on one host, not where.
"""

import hashlib
import os
import platform
import re
import socket
from contextlib import suppress
from pathlib import Path, PurePosixPath

_CGROUPS = Path("/sys/fs/cgroup")
_NICS, _ROUTES, _ANYWHERE = Path("/sys/class/net"), Path("/proc/net/route"), "00000000"
_NVIDIA = Path("/proc/driver/nvidia")
_DRIVER = re.compile(r"NVRM version:.*?\s(\d+(?:\.\d+)+)\s")
_MODEL = re.compile(r"^Model:\s*(\S.*?)\s*$", re.MULTILINE)


class HostFacts:
    """What is fixed for as long as the host runs, and what was the case just now."""

    def __init__(self, *, page_cache: str | None = None) -> None:
        """
        Args:
            page_cache: what somebody did to it before the start; None where nobody did anything.
        """
        # No kernel says which of the files to come are already in memory.
        self._page_cache = page_cache or "unknown"

    def fixed(self) -> dict[str, object]:
        """The facts that two comparable rounds share."""
        cpu = _first_cpu()
        return {
            "host": hashlib.sha256(socket.gethostname().encode()).hexdigest()[:16],
            "kernel": platform.release(),
            "machine": platform.machine(),
            "cpu_model": cpu.get("model name"),
            "cpu_count": os.cpu_count(),
            "cpus_allowed": len(os.sched_getaffinity(0)),
            "cpu_flags": _digest(cpu.get("flags") or cpu.get("Features")),
            "cgroup_millicpus": _cgroup_millicpus(),
            "memory_bytes": _memory_bytes(),
            "nic_mbit_per_s": nic_speeds(),
            **nvidia_facts(),
            "tool_python": platform.python_version(),
        }

    def now(self) -> dict[str, object]:
        """What changes from round to round; for judging, not for refusing."""
        return {
            "load_average": [round(load, 2) for load in os.getloadavg()],
            "page_cache": self._page_cache,
        }


def nvidia_facts(driver: Path = _NVIDIA) -> dict[str, object]:
    """The driver's version and the model of each GPU it shows; in a container, its own GPUs."""
    version = _DRIVER.search(_text(driver / "version") or "")
    told: list[str | None] = []
    with suppress(OSError):
        told = [_text(gpu / "information") for gpu in sorted((driver / "gpus").iterdir())]
    models = [found[1] for text in told if (found := _MODEL.search(text or ""))]
    return {"accelerators": models, "nvidia_driver": version[1] if version else None}


def instruction_flags() -> tuple[str, ...]:
    """What the first processor lists as its flags; empty where it does not."""
    cpu = _first_cpu()
    return tuple((cpu.get("flags") or cpu.get("Features") or "").split())


def _first_cpu() -> dict[str, str]:
    """The first processor's block of /proc/cpuinfo; a host's cores are taken to be alike."""
    lines = (_text(Path("/proc/cpuinfo")) or "").partition("\n\n")[0].splitlines()
    return {name.strip(): value.strip() for name, _, value in (x.partition(":") for x in lines)}


def _digest(flags: str | None) -> str | None:
    if flags is None:
        return None
    return hashlib.sha256(" ".join(sorted(flags.split())).encode()).hexdigest()[:16]


def _memory_bytes() -> int | None:
    found = re.search(r"MemTotal:\s+(\d+) kB", _text(Path("/proc/meminfo")) or "")
    return int(found[1]) * 1024 if found else None


def _cgroup_millicpus() -> int | None:
    """The tightest CPU limit on the way up from our cgroup; None where there is none."""
    own = next(
        (
            PurePosixPath(line.split(":", 2)[2])
            for line in (_text(Path("/proc/self/cgroup")) or "").splitlines()
            if line.startswith("0::")
        ),
        PurePosixPath("/"),
    )
    limits: list[int] = []
    for at in (own, *own.parents):
        # Inside a container the path is the host's, while the mount begins at our own.
        quota, _, period = (_text(_CGROUPS / str(at).lstrip("/") / "cpu.max") or "").partition(" ")
        if quota.isdigit() and period.strip().isdigit():
            limits.append(int(quota) * 1000 // int(period))
    old = _CGROUPS / "cpu"
    with suppress(ValueError, ZeroDivisionError):
        quota_us = int(_text(old / "cpu.cfs_quota_us") or "-1")
        period_us = int(_text(old / "cpu.cfs_period_us") or "0")
        if quota_us > 0:
            limits.append(quota_us * 1000 // period_us)
    return min(limits, default=None)


def nic_speeds(devices: Path = _NICS, routes: Path = _ROUTES) -> dict[str, int]:
    """
    The interfaces of the machine that say how fast they are, in Mbit/s.

    Those of containers come and go and say what they like. Only where there is no other, which
    is inside a container, the one that leads outside is taken.
    """
    speeds: dict[str, int] = {}
    real: set[str] = set()
    with suppress(OSError):
        for nic in sorted(devices.iterdir()):
            with suppress(ValueError):
                speed = int(_text(nic / "speed") or "")
                if speed > 0:
                    speeds[nic.name] = speed
                    real |= {nic.name} if (nic / "device").exists() else set()
    shown = real or {
        words[0]
        for line in (_text(routes) or "").splitlines()
        if (words := line.split())[1:2] == [_ANYWHERE]
    }
    return {name: speed for name, speed in speeds.items() if name in shown}


def _text(path: Path) -> str | None:
    try:
        return path.read_text("utf-8", errors="replace")
    except OSError:
        return None
