"""
Stamps of Kubernetes objects.

Nearly all are whole seconds; `eventTime` has microseconds. Go writes the year 1
where it has no time, and a node without a clock writes 1970: neither is a moment.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from firstlight.core.evidence import Evidence
from firstlight.core.marks import Clock
from firstlight.core.units import NS_PER_S
from firstlight.readers.kube.fields import text
from firstlight.readers.kube.model import Stamp
from firstlight.readers.stamps import unix_ns

_FIRST_NS = 1_388_534_400 * NS_PER_S
"""2014-01-01: there was no Kubernetes before."""
_LAST_NS = 4_102_444_800 * NS_PER_S
"""2100-01-01."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The object that is being read, and where it stands."""

    artefact: str
    thing: str
    """`Pod demo/vllm-0`; the kind alone where there is no name."""
    line: int | None = None
    """Of an object that is one line of its artefact."""

    def evidence(self, path: str, words: str) -> Evidence:
        """Words found in this object."""
        place = f"{self.thing}: {path}" if path else self.thing
        return Evidence(artefact=self.artefact, text=words, line=self.line, path=place)

    def stamp(
        self, holder: Mapping[str, Any], key: str, clock: Clock, *, within: str = "", note: str = ""
    ) -> Stamp | None:
        """The stamp under this key; None where none is there, or where it is no moment.

        Args:
            holder: the map that has the key.
            key: the field's name.
            clock: whose time it is.
            within: the path of that map.
            note: words that say what the stamp is of.
        """
        written = text(holder.get(key))
        moment = unix_ns(written)
        if moment is None or not is_plausible(moment[0]):
            return None
        return Stamp(
            at_ns=moment[0],
            resolution_ns=moment[1],
            clock=clock,
            evidence=self.evidence(
                f"{within}.{key}" if within else key,
                f'{key}: "{written}"' + (f" ({note})" if note else ""),
            ),
        )


def is_plausible(at_ns: int) -> bool:
    """Whether a cluster can have been there at that moment."""
    return _FIRST_NS <= at_ns < _LAST_NS
