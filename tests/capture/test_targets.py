"""What can be captured."""

import pytest

from firstlight.capture.targets import parsed_target
from firstlight.core.errors import BadInput
from firstlight.core.workloads import Target


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("deployment/vllm", "deployment"),
        ("deployments.apps/vllm", "deployment"),
        ("po/vllm", "pod"),
        ("sts/vllm", "statefulset"),
        ("rs/vllm", "replicaset"),
    ],
)
def test_whatever_has_pods_that_are_looked_for(text: str, kind: str) -> None:
    """By any of its names."""
    assert Target(kind=kind, name="vllm") == parsed_target(text)


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("vllm", "say deployment/vllm or pod/vllm"),
        ("cj/vllm", "say deployment/NAME, pod/NAME, statefulset/NAME, replicaset/NAME"),
        ("job/vllm", "say deployment/NAME, pod/NAME, statefulset/NAME, replicaset/NAME"),
    ],
)
def test_anything_else_is_refused_with_what_would_do(text: str, remedy: str) -> None:
    """Before any cluster is asked."""
    with pytest.raises(BadInput) as raised:
        parsed_target(text)

    assert remedy == raised.value.remedy
