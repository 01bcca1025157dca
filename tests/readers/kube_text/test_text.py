"""Whole texts: what is mixed, what is hostile, what is none."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firstlight.readers.kube.model import ClusterSeen
from firstlight.readers.kube.reading import read_cluster
from firstlight.readers.kube.text import looks_like_text, read_text
from tests.readers.kube_text import samples
from tests.readers.kube_text.reading import at, counts_back, event, read, whole

ALL = {
    "pod": samples.POD,
    "node": samples.NODE,
    "claim": samples.NODE_CLAIM,
    "deployment": samples.DEPLOYMENT,
    "replica set": samples.REPLICA_SET,
    "events": samples.EVENTS,
    "wide": samples.WIDE,
    "karpenter": samples.KARPENTER,
}


@pytest.mark.parametrize("name", ALL)
def test_texts_of_a_cluster_are_recognised(name: str) -> None:
    """Alone, and with a vLLM log behind them."""
    assert looks_like_text(ALL[name])
    assert looks_like_text(ALL[name] + samples.VLLM_LOG)


@pytest.mark.parametrize(
    "text",
    [
        "",
        samples.VLLM_LOG,
        "model.safetensors: 100%|####| 3.09G/3.09G [00:58<00:00, 53.1MB/s]\n",
        "LAST SEEN   TYPE   REASON   OBJECT   MESSAGE\n",
        "No resources found in default namespace.\n",
        '{"apiVersion": "v1", "kind": "Pod", "status": {"phase": "Running"}}',
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nstatus:\n  phase: Running\n",
    ],
)
def test_others_are_not(text: str) -> None:
    """A vLLM log, an empty table, objects, which have a reader of their own."""
    assert not looks_like_text(text)
    assert read(text).is_empty


def test_a_log_behind_a_table_disturbs_nothing() -> None:
    """Its lines are passed over."""
    assert read(samples.EVENTS).events == read(samples.EVENTS + samples.VLLM_LOG).events


def test_everything_in_one_text() -> None:
    """Each part as if it were alone; ages where the text proves their moment."""
    seen = read("\n".join(ALL.values()))

    assert ["qwen-6c9d7f5b8-x2k4p"] == [p.name for p in seen.pods]
    assert 1 == len(seen.nodes)
    assert ["gpu-7xk2m", "gpu-7xk2m"] == [c.name for c in seen.node_claims]
    assert {"Deployment", "ReplicaSet"} == {w.kind for w in seen.workloads}
    assert not counts_back(seen)
    assert whole("2025-06-10T10:05:21") == at(event(seen, "Started").last)


@pytest.mark.parametrize("name", ["pod", "node", "claim", "events", "karpenter"])
def test_line_ends_of_windows_change_nothing(name: str) -> None:
    """A carriage return at every end."""
    assert read(ALL[name]) == read(ALL[name].replace("\n", "\r\n"))


@pytest.mark.parametrize("name", ["pod", "node", "claim", "replica set", "karpenter"])
def test_a_ci_stamp_before_each_line_changes_no_moment(name: str) -> None:
    """The indentation behind it counts."""
    stamped = "".join(
        f"2025-06-11T08:00:0{i % 10}.1234567Z {line}\n"
        for i, line in enumerate(ALL[name].splitlines())
    )
    plain, behind = read(ALL[name]), read(stamped)

    moments = [(e.reason, e.name, e.first and e.first.at_ns) for e in plain.events]
    assert moments == [(e.reason, e.name, e.first and e.first.at_ns) for e in behind.events]
    assert [c.name for c in plain.node_claims] == [c.name for c in behind.node_claims]
    images = [(p.name, [c.image for c in p.containers]) for p in plain.pods]
    assert images == [(p.name, [c.image for c in p.containers]) for p in behind.pods]


@pytest.mark.parametrize("name", ALL)
def test_colours_change_nothing(name: str) -> None:
    """kubectl's plugins paint their output, and clear the screen."""
    painted = "\x1b[2J" + ALL[name].replace("Normal", "\x1b[32mNormal\x1b[0m")

    plain, seen = read(ALL[name]), read_cluster("a", painted.encode())

    said = {(e.type, e.reason, e.name) for e in plain.events}
    assert said == {(e.type, e.reason, e.name) for e in seen.events}


@given(st.text(max_size=400))
def test_any_text_is_read(text: str) -> None:
    """Nothing is an error."""
    read_text("a", text, None)


PIECES = sorted({piece for text in ALL.values() for piece in text.splitlines(keepends=True)})
ODD = st.one_of(
    st.sampled_from(PIECES),
    st.sampled_from(
        ["\n", "  ", "\t", ":", "{", '"', "9" * 5000, "Name:", "Events:\n", "1m", "\x00"]
    ),
    st.text(max_size=8),
)


@settings(max_examples=150)
@given(st.lists(ODD, max_size=40), st.one_of(st.none(), st.integers(-(10**20), 10**20)))
def test_any_mixture_is_read(pieces: list[str], captured_ns: int | None) -> None:
    """Lines of every form, cut, doubled, in any order."""
    text = "".join(pieces)
    seen = read_text("a", text, captured_ns)

    assert {e.evidence.line for e in seen.events} <= set(range(1, text.count("\n") + 2))


@given(st.sampled_from(sorted(ALL)), st.data())
def test_a_cut_text_never_gains_a_moment(name: str, data: st.DataObject) -> None:
    """Whatever its end is cut off: each run of a container is one of the whole text's."""
    text = ALL[name]
    cut = read(text[: data.draw(st.integers(0, len(text)))])

    def runs(seen: ClusterSeen) -> set[int]:
        found = [c.current for p in seen.pods for c in p.containers if c.current]
        return {r.started.at_ns for r in found if r.started}

    assert runs(cut) <= runs(read(text))


HOSTILE = {
    "spaces": " " * 1_000_000,
    "spaces in lines": (" " * 8000 + "x" + " " * 8000 + "\n") * 60,
    "braces": ("{" * 60_000 + "\n") * 16,
    "controllers": ('{"controller":' * 4000 + "\n") * 18,
    "margins": "Labels: a=b\n  c=d\n" * 12_000,
    "indents": "\n".join(" " * i + "a:" for i in range(1400)),
    "sections": "Name: a\n" * 20_000,
    "brackets": ("Aa: " + "(a." * 2000 + ")\n") * 160,
    "quotes": ('1m  Normal  Aa  pod/a  Container image "' * 100 + "\n") * 250,
    "pods": ("1m  Normal  Aa  pod/a  " + " in pod a_b(" * 500 + "\n") * 160,
}


@pytest.mark.timeout(20)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_costs_what_it_is_long(name: str) -> None:
    """Twice the text takes about twice the time, and a megabyte no more than seconds."""
    text = HOSTILE[name]
    half = text[: len(text) // 2]

    def seconds(part: str) -> float:
        begin = time.process_time()
        read_text("a", part, None)
        return time.process_time() - begin

    assert seconds(text) < max(1.0, 4 * min(seconds(half), seconds(half)))
