"""
The forms of what firstlight writes for itself to read.

Each is a JSON object that says its form and an integer version, `firstlight.bundle/1`.
Whoever writes one and whoever reads it back live in different layers and may not import
each other, so the names they must agree on stand here. An older version is lifted by its
reader; a newer one is refused with a sentence, because guessing at its fields would be
worse; anything else is no record of ours, and that is for the reader to judge.
"""

import re
from dataclasses import dataclass

from firstlight.core.errors import NewerRecord

_SCHEMA = re.compile(r"firstlight\.([a-z]+)/([0-9]{1,9})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """One kind of record, as this firstlight writes it."""

    name: str
    version: int = 1
    file: str = ""
    """What its file is called; empty where there are several."""

    @property
    def schema(self) -> str:
        """The value of the record's `schema`."""
        return f"firstlight.{self.name}/{self.version}"

    def reads(self, schema: object, *, artefact: str = "") -> bool:
        """
        Whether a record that says this of itself is of this form, in a version that is known.

        Args:
            schema: the value of its `schema`, whatever that is.
            artefact: what to call the record in an error; the form's file if empty.

        Raises:
            NewerRecord: it is of this form, and a newer firstlight wrote it.
        """
        found = _SCHEMA.fullmatch(schema) if isinstance(schema, str) else None
        if found is None or found[1] != self.name:
            return False
        version = int(found[2])
        if version > self.version:
            raise NewerRecord(
                f"{artefact or self.file} was written by a newer firstlight (version {version} "
                f"of its format, this one reads {self.version})",
                remedy="upgrade firstlight",
            )
        return version > 0


BUNDLE = Form(name="bundle", file="bundle.json")
"""What `capture` says about the raw objects and logs beside it."""
MEASURED = Form(name="measured", file="measured.json")
"""What `measure` saw of a pod's start, beside the bundle of it."""
ROUND = Form(name="round", file="round.json")
"""What `measure` saw of a process's start."""
MARKS = Form(name="marks", file="marks.json")
"""The moments of a round."""
LISTING = Form(name="listing")
"""What lay in the cache folders, before a round and after it."""
SERVING = Form(name="serving", file="serving.json")
"""What a ready engine answered to fixed requests, and how long it took."""
WAKE = Form(name="wake", file="wake.json")
"""How an engine was put to sleep after a round, and woken."""
LEDGER = Form(name="ledger", file="ledger.jsonl")
"""What was run of a plan, one line a round."""

ALL = (BUNDLE, MEASURED, ROUND, MARKS, LISTING, SERVING, WAKE, LEDGER)
