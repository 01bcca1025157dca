"""
A record of firstlight's own that is one value: JSON that says its form, and has all its fields.

Whatever is missing or of the wrong kind is damage, and a record is never half read. What its
fields mean is left to whoever names the value.
"""

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from firstlight.core.errors import BadInput
from firstlight.core.records import Form

_T = TypeVar("_T")


def read_record(form: Form, kind: type[_T], artefact: str, data: bytes, *, what: str) -> _T:
    """
    The value in a record.

    Args:
        form: which record it is.
        kind: the value's type.
        artefact: what to call it in an error.
        data: the file.
        what: what it holds, for the error: `serving check`.

    Raises:
        BadInput: it is damaged, or another file.
        NewerRecord: a newer firstlight wrote it.
    """
    try:
        said: Any = msgspec.json.decode(data)
        if isinstance(said, Mapping) and form.reads(said.get("schema"), artefact=artefact):
            return msgspec.convert(said, kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as broken:
        raise BadInput(f"{artefact} is damaged: {broken}", remedy="measure again") from broken
    raise BadInput(f"{artefact} is no {what} of firstlight", remedy="measure again")
