"""Rows of `kubectl get pods`."""

import pytest

from tests.readers.kube_text.reading import at, read, whole

HEADER = "NAME   READY   STATUS   RESTARTS   AGE\n"


@pytest.mark.parametrize(
    ("status", "phase"),
    [
        ("OutOfnvidia.com/gpu", "Failed"),
        ("OutOfcpu", "Failed"),
        ("Evicted", "Failed"),
        ("UnexpectedAdmissionError", "Failed"),
        ("CrashLoopBackOff", ""),
        ("ImagePullBackOff", ""),
        ("ErrImagePull", ""),
        ("OOMKilled", ""),
        ("Error", ""),
        ("Init:Error", ""),
        ("Init:ImagePullBackOff", ""),
        ("Init:ExitCode:3", ""),
        ("CreateContainerConfigError", ""),
    ],
)
def test_a_failure_is_a_pod(status: str, phase: str) -> None:
    """With its reason; Failed only where the whole pod is given up."""
    (pod,) = read(f"{HEADER}qwen-768b77d764-74k4m   0/2   {status}   0   5m55s\n").pods

    assert ("qwen-768b77d764-74k4m", status, phase) == (pod.name, pod.reason, pod.phase)


@pytest.mark.parametrize(
    "status", ["Running", "Pending", "Completed", "ContainerCreating", "Init:0/1", "Terminating"]
)
def test_anything_else_says_nothing_about_a_start(status: str) -> None:
    """That it ran at an unknown moment, or waits, is no failure."""
    assert read(f"{HEADER}qwen-0   1/1   {status}   0   5m55s\n").is_empty


def test_a_row_of_all_namespaces_with_restarts() -> None:
    """Restarts say how long ago."""
    (pod,) = read(
        "models   qwen-0   0/1   CrashLoopBackOff   4 (33s ago)   5m   10.0.0.1   n1\n"
    ).pods

    assert ("models", "qwen-0") == (pod.namespace, pod.name)


def test_its_age_is_its_creation_where_the_capture_is_known() -> None:
    """Else nothing is dated."""
    now = whole("2025-06-10T10:00:00")
    row = "qwen-0   0/1   Evicted   0   5m55s\n"

    assert now - 355_000_000_000 == at(read(row, now).pods[0].created)
    assert None is read(row).pods[0].created
