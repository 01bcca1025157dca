"""
What two starts must have in common before one may be called faster than the other.

A fingerprint holds what is known of a start that can change its seconds: the engine and its
arguments, the machine and its software, the model, the state of the caches. What the input
does not tell is absent, which is not the same as equal. Names are those of `NAMES`, or one of
the kinds in `KINDS` and what follows, one entry each, so that a change can be declared by
the very name that differs.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

NAMES = (
    "scenario",
    "engine version",
    "image",
    "image digest",
    "model",
    "command",
    "accelerator",
    "accelerators",
    "driver",
    "node type",
    "machine image",
    "region",
    "zone",
    "capacity type",
    "kubelet",
    "container runtime",
    "node provisioner",
    "kernel",
    "architecture",
    "processor",
    "processors",
    "memory",
    "memory limit",
    "network",
    "host",
    "volumes",
    "compile cache",
    "page cache",
    "probe",
    "timed",
)
"""`scenario`: cold, warm or wake, where somebody said so or the cluster shows it. `timed`: from
which moment to which the total runs. `volumes`: where weights and caches lie, by kind (`hostPath
/var/cache`). `compile cache` is its verdict: what was done, not what was meant. `command`: what
starts the engine, without its arguments. `accelerators`: how many."""
ARGUMENT = "argument:"
"""Before the name of a command-line argument; the value is the argument's, empty for a flag,
`false` for one that is denied (`--no-NAME`)."""
ENVIRONMENT = "environment:"
"""Before the name of an environment variable; secrets blacked out."""
SETTING = "setting:"
"""Before what the engine said of its settings, defaults included; only where nothing tells its
arguments."""
KINDS = (ARGUMENT, ENVIRONMENT, SETTING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """What is known of a start that can change how long it takes."""

    values: Mapping[str, str] = field(default_factory=dict)
    whole: frozenset[str] = frozenset()
    """The kinds of which all is known, even if there is nothing of them."""

    def differences(self, other: "Fingerprint") -> dict[str, tuple[str | None, str | None]]:
        """
        What is not the same in both: here, there; None where one of them does not have it.

        An argument or variable that one side lacks differs where both sides know that kind.
        Another name that one side lacks is not known there, and is no difference.
        """
        mine, theirs = self.values, other.values
        both = tuple(k for k in (ARGUMENT, ENVIRONMENT) if self.knows(k) and other.knows(k))
        names = [name for name in mine if name in theirs or name.startswith(both)]
        names += [name for name in theirs if name not in mine and name.startswith(both)]
        pairs = {name: (mine.get(name), theirs.get(name)) for name in names}
        return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}

    def knows(self, kind: str) -> bool:
        """Whether the names of a kind (`argument:`) are known."""
        return kind in self.whole or any(name.startswith(kind) for name in self.values)

    def completed_by(self, other: "Fingerprint") -> "Fingerprint":
        """
        With what another source knows and this one does not.

        A kind that is known here is taken from here alone: two sources name different parts of
        it, such as all arguments, or those that are no defaults.
        """
        here = tuple(kind for kind in KINDS if self.knows(kind))
        if ARGUMENT in here:
            here = (*here, SETTING)
        more = {name: v for name, v in other.values.items() if not name.startswith(here)}
        values = more | dict(self.values)
        return Fingerprint(
            values=dict(sorted(values.items(), key=_order)), whole=self.whole | other.whole
        )


def _order(entry: tuple[str, str]) -> tuple[int, str]:
    """Names in the order of `NAMES`, then the kinds."""
    name = entry[0]
    return (NAMES.index(name) if name in NAMES else len(NAMES), name)
