"""What a word names."""

import pytest

from firstlight.core.errors import BadInput
from firstlight.core.workloads import Target, names_a_workload
from firstlight.measure.pod.target import parsed_target


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("deployment/vllm", "deployment"),
        ("deploy/vllm", "deployment"),
        ("Deployment.apps/vllm", "deployment"),
        ("sts/vllm", "statefulset"),
        ("statefulsets/vllm", "statefulset"),
    ],
)
def test_words_as_kubectl_has_them(word: str, kind: str) -> None:
    """Long, short and plural."""
    assert names_a_workload(word)
    assert Target(kind=kind, name="vllm") == parsed_target(word, follow=False)


@pytest.mark.parametrize(
    "word", ["vllm", "./deploy/run.sh", "deploy/", "/deploy", "deploy/a/b", "bin/vllm", "--x"]
)
def test_other_words_are_of_a_command(word: str) -> None:
    """A path is a program."""
    assert not names_a_workload(word)


@pytest.mark.parametrize(
    ("word", "follow", "remedy"),
    [
        ("job/load", False, "--follow"),
        ("ds/agent", True, "deployment"),
        ("pod/vllm-1", False, "pod/vllm-1 --follow"),
    ],
)
def test_what_nobody_starts_again_is_refused(word: str, *, follow: bool, remedy: str) -> None:
    """With what to do instead."""
    assert names_a_workload(word)
    with pytest.raises(BadInput) as refused:
        parsed_target(word, follow=follow)

    assert remedy in refused.value.remedy


def test_one_pod_may_be_waited_for() -> None:
    """Whoever makes it."""
    assert "pod" == parsed_target("po/vllm-0", follow=True).kind
