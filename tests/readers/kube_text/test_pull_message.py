"""What the kubelet says about an image."""

import pytest

from firstlight.readers.kube.pull_message import Pull, pulled

WHOLE = (
    'Successfully pulled image "example.com/vllm:1" in 4m4.956s (4m8.602s including waiting). '
    "Image size: 9612695005 bytes."
)
S = 1_000_000_000


@pytest.mark.parametrize(
    ("message", "pull"),
    [
        ('Successfully pulled image "a:1"', Pull(image="a:1")),
        ('Successfully pulled image "a:1" in 146.51335ms', Pull(image="a:1", pull_ns=146_513_350)),
        (
            'Successfully pulled image "a:1" in 1.2s (1m1.3s including waiting)',
            Pull(image="a:1", pull_ns=1_200_000_000, with_waiting_ns=61_300_000_000),
        ),
        (
            WHOLE,
            Pull(
                image="example.com/vllm:1",
                pull_ns=244_956_000_000,
                with_waiting_ns=248_602_000_000,
                image_bytes=9_612_695_005,
            ),
        ),
        ('Container image "a:1" already present on machine', Pull(image="a:1", present=True)),
        (
            'Container image "a:1" already present on machine and can be accessed by the pod',
            Pull(image="a:1", present=True),
        ),
    ],
)
def test_every_version_is_read(message: str, pull: Pull) -> None:
    """From before 1.20, which says no time, to the newest, which says four things."""
    assert pull == pulled(message)


@pytest.mark.parametrize(
    "message",
    [
        "",
        'Pulling image "a:1"',
        'Failed to pull image "a:1": not found',
        'Container image "a:1" is not present with pull policy of Never',
    ],
)
def test_other_messages_are_no_pull(message: str) -> None:
    """A pull that began or failed is none."""
    assert None is pulled(message)


@pytest.mark.parametrize("columns", range(len("Successfully pulled image "), len(WHOLE)))
def test_a_cut_message_never_tells_a_wrong_number(columns: int) -> None:
    """At any column: what is said is what the whole says, or nothing."""
    whole, cut = pulled(WHOLE), pulled(WHOLE[:columns])

    assert whole is not None
    assert cut is not None
    assert cut.image in ("", whole.image)
    assert cut.pull_ns in (None, whole.pull_ns)
    assert cut.with_waiting_ns in (None, whole.with_waiting_ns)
    assert cut.image_bytes in (None, whole.image_bytes)


def test_a_cut_message_keeps_what_is_whole() -> None:
    """The pull's time is whole when the bracket behind it is cut."""
    expected = Pull(image="a:1", pull_ns=244_956_000_000)

    assert expected == pulled('Successfully pulled image "a:1" in 4m4.956s (4m8.602')


def test_minutes_alone_are_a_cut_duration() -> None:
    """Go prints `4m0s`: what ends in minutes lost its seconds."""
    assert Pull(image="a:1") == pulled('Successfully pulled image "a:1" in 4m')
