"""What firstlight writes for itself to read."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from firstlight.core.errors import NewerRecord
from firstlight.core.records import BUNDLE, LISTING, MARKS, MEASURED, ROUND, Form
from firstlight.readers.bundle import read_bundle_notes
from firstlight.readers.measured import read_measured

FORMS = (BUNDLE, MEASURED, ROUND, MARKS, LISTING)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_each_form_reads_what_it_writes_and_no_other(form: Form) -> None:
    """A schema's name and version are one text."""
    assert [form] == [one for one in FORMS if one.reads(form.schema)]
    assert f"firstlight.{form.name}/1" == form.schema


@pytest.mark.parametrize(
    "schema", [None, 1, "", "bundle/1", "firstlight.bundle", "firstlight.bundle/x", "x/2", {}]
)
def test_what_says_something_else_is_no_record(schema: object) -> None:
    """Also where a file of that name is somebody else's; there was no version 0."""
    assert not BUNDLE.reads(schema)
    assert not BUNDLE.reads("firstlight.bundle/0")


def test_a_newer_record_is_refused_by_its_name() -> None:
    """With the name that the user gave, where there is one."""
    with pytest.raises(NewerRecord) as raised:
        MEASURED.reads("firstlight.measured/12", artefact="runs/a/measured.json")

    words = (
        "runs/a/measured.json was written by a newer firstlight "
        "(version 12 of its format, this one reads 1)"
    )
    assert (words, "upgrade firstlight") == (raised.value.message, raised.value.remedy)


@pytest.mark.parametrize(("form", "read"), [(BUNDLE, read_bundle_notes), (MEASURED, read_measured)])
def test_its_reader_refuses_what_is_newer(form: Form, read: Callable[[bytes], Any]) -> None:
    """A bundle whose notes are passed over would look as if nothing were missing in it."""

    def written(schema: object) -> bytes:
        return json.dumps({"schema": schema, "captured_at_ns": 5}).encode()

    assert read(written(form.schema)) is not None
    assert None is read(written("somebody.else/7"))
    assert None is read(b"[]")
    assert None is read(b"not JSON")
    with pytest.raises(NewerRecord, match=rf"^{form.file} was written by a newer"):
        read(written(f"firstlight.{form.name}/2"))
