"""Single lines that people paste."""

from firstlight.core.marks import Clock
from tests.readers.kube_text.reading import at, event, read, whole

S = 1_000_000_000
NOON = whole("2025-06-10T12:00:00")


def test_a_counted_message_with_the_events_name() -> None:
    """The nanoseconds of its name are its first occurrence; the last is not said."""
    line = f"    12x Nominated: Pod should schedule on: nodeclaim/gpu-1 (qwen-0.{NOON + 7:x})"
    found = event(read(line), "Nominated")

    assert ("qwen-0", 12) == (found.name, found.count)
    assert "Pod should schedule on: nodeclaim/gpu-1" == found.message
    assert NOON + 7 == at(found.first)
    assert None is found.last


def test_a_message_without_a_count_happened_once() -> None:
    """First and last are one."""
    found = event(read(f"FailedScheduling: no node (qwen-0.{NOON:x})"), "FailedScheduling")

    assert (1, NOON, NOON) == (found.count, at(found.first), at(found.last))


def test_count_and_last_without_first() -> None:
    """Four times, and when the last: the first is not known."""
    text = (
        'Failed: count=4; last=2025-06-10T12:00:00+00:00; Error: failed to start container "vllm"'
    )
    found = event(read(text), "Failed")

    assert (4, NOON, None) == (found.count, at(found.last), found.first)
    assert "vllm" == found.container
    assert found.last is not None
    assert Clock.NODE == found.last.clock


def test_conditions_one_a_line() -> None:
    """A pod without a name, known by the types of its conditions."""
    text = "\n".join(
        f'{{"type": "{kind}", "status": "{status}", "reason": null, "message": null, '
        f'"last_transition_time": "2025-06-10T12:00:0{second}+00:00"}}'
        for kind, status, second in [("Ready", "False", 0), ("PodScheduled", "True", 1)]
    )
    (pod,) = read(text).pods

    assert "" == pod.name
    ready, scheduled = pod.condition("Ready"), pod.condition("PodScheduled")
    assert ready is not None
    assert scheduled is not None
    assert not ready.is_true
    assert NOON + S == at(scheduled.transition)
    assert scheduled.transition is not None
    assert Clock.CONTROL_PLANE == scheduled.transition.clock


def test_conditions_of_a_claim_one_a_line() -> None:
    """Launched counts, Registered=Unknown does not."""
    text = "\n".join(
        f'{{"type": "{kind}", "status": "{status}", "lastTransitionTime": "2025-06-10T12:00:00Z"}}'
        for kind, status in [("Launched", "True"), ("Registered", "Unknown")]
    )
    (claim,) = read(text).node_claims

    assert NOON == at(claim.launched)
    assert None is claim.registered


def test_steps_without_a_date() -> None:
    """Nanoseconds since one midnight; a clock that falls back has passed another."""
    text = (
        "23:44:13.944 registered nodeclaim general-1\n"
        "23:59:59.012 Pod should schedule on: nodeclaim/general-1\n"
        "00:35:14.286 initialized nodeclaim general-1\n"
    )
    seen = read(text)
    (claim,) = seen.node_claims

    assert 3060_342_000_000 == at(claim.initialized) - at(claim.registered)
    assert at(claim.registered) < at(event(seen, "Nominated").first) < at(claim.initialized)
    assert claim.registered is not None
    assert 1_000_000 == claim.registered.resolution_ns


def test_steps_with_a_date() -> None:
    """The same line with a whole stamp."""
    (claim,) = read("2025-06-10T12:00:00.500Z launched nodeclaim gpu-1").node_claims

    assert NOON + S // 2 == at(claim.launched)


def test_times_of_day_beside_dates_are_dropped() -> None:
    """They would lie decades away."""
    text = (
        '2025-06-10T12:00:00Z   Pulling   Pulling image "a"\n17:44:13.944 registered nodeclaim a\n'
    )
    seen = read(text)

    assert 1 == len(seen.events)
    assert () == seen.node_claims


def test_a_clock_in_front_of_other_words_says_nothing() -> None:
    """Any log has such lines."""
    assert read("17:44:13.944 Started vLLM\n17:44:13 registered nodeclaims: 4\n").is_empty
