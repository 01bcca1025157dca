"""What can be written under a mount."""

from typing import Any

import pytest

from firstlight.manifests.mounts import is_read_only


@pytest.mark.parametrize(
    ("volume", "mount", "expected"),
    [
        ({"image": {"reference": "registry.example/model:1"}}, {}, True),
        ({"configMap": {"name": "settings"}}, {}, True),
        ({"persistentVolumeClaim": {"claimName": "m", "readOnly": True}}, {}, True),
        ({"persistentVolumeClaim": {"claimName": "m"}}, {"readOnly": True}, True),
        ({"persistentVolumeClaim": {"claimName": "m"}}, {}, False),
        ({"emptyDir": {}}, {}, False),
        ({}, {}, False),
    ],
)
def test_what_nothing_can_be_written_to(
    volume: dict[str, Any], mount: dict[str, Any], *, expected: bool
) -> None:
    """By the mount, by the volume, or by the kind of it: an image is only read."""
    assert expected is is_read_only({"name": "m"} | volume, {"name": "m"} | mount)
