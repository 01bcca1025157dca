"""What is to be captured, in kubectl's words."""

import pytest

from firstlight.capture.targets import Target, parsed_target
from firstlight.core.errors import BadInput


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("deployment/vllm", "deployment"),
        ("deploy/vllm", "deployment"),
        ("deployments.apps/vllm", "deployment"),
        ("Pod/vllm", "pod"),
        ("po/vllm", "pod"),
        ("sts/vllm", "statefulset"),
        ("rs/vllm", "replicaset"),
    ],
)
def test_kinds_by_any_of_their_names(text: str, kind: str) -> None:
    """As kubectl takes them."""
    assert Target(kind=kind, name="vllm") == parsed_target(text)


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("vllm", "say deployment/vllm or pod/vllm"),
        ("job/vllm", "say deployment/NAME, pod/NAME, statefulset/NAME, replicaset/NAME"),
        ("pod/", "say pod/NAME"),
        ("pod/a/b", "say pod/NAME"),
    ],
)
def test_anything_else_is_refused_with_what_would_do(text: str, remedy: str) -> None:
    """Before any cluster is asked."""
    with pytest.raises(BadInput) as raised:
        parsed_target(text)

    assert remedy == raised.value.remedy
