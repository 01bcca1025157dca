"""A workload in a fake cluster, and everything to measure its start with."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from firstlight.core.workloads import Target
from firstlight.edges.run_store import RunStore
from firstlight.measure.pod.order import PodOrder, Scenario
from firstlight.measure.pod.ports import PodInstruments
from firstlight.measure.pod.round import PodRound, measure_pod
from tests.measure.pod.fake_cluster import (
    FakeChange,
    FakeChanges,
    FakeClock,
    FakeCluster,
    Object,
    node,
    pod,
)

TARGET = Target(kind="deployment", name="vllm", namespace="ns")


@dataclass(frozen=True, kw_only=True)
class FakeAnswer:
    """What a pod's server answers."""

    ok: bool = True
    status: int | None = 200
    words: str = "it answered"
    model: str | None = None
    own: bool = False
    asked_ns: int = 0
    answered_ns: int = 0


@dataclass
class FakeServer:
    """Answers by route; time passes while it does."""

    clock: FakeClock
    models_answer: FakeAnswer = field(default_factory=lambda: FakeAnswer(model="tiny"))
    tokens: dict[bool, FakeAnswer] = field(default_factory=dict)
    """The answer of the completions route (False) and of the chat route (True)."""
    asked: list[tuple[str, int, bool, str | None]] = field(default_factory=list)

    def models(
        self, namespace: str, pod: str, port: int, *, https: bool, timeout_ns: int
    ) -> FakeAnswer:
        del namespace, timeout_ns
        self.asked.append((f"models of {pod}", port, https, None))
        return self.models_answer

    def first_token(
        self,
        namespace: str,
        pod: str,
        port: int,
        *,
        https: bool,
        timeout_ns: int,
        model: str | None,
        chat: bool,
    ) -> FakeAnswer:
        del namespace, pod, timeout_ns
        self.asked.append(("chat" if chat else "completions", port, https, model))
        self.clock.now_ns += 40_000_000
        return self.tokens.get(chat) or FakeAnswer(answered_ns=self.clock.now_ns)


@dataclass
class PodBench:
    """One deployment whose pod vllm-1 serves on node a, of two open nodes and a closed one."""

    out: Path
    clock: FakeClock = field(default_factory=FakeClock)
    cluster: FakeCluster = field(default_factory=FakeCluster)
    script: list[tuple[int, FakeChange | BaseException]] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    progress: list[str] = field(default_factory=list)
    captured: list[str] = field(default_factory=list)
    """The pods whose start was to be saved."""
    on_undisturbed: Callable[[], None] = lambda: None
    """Called whenever an interrupt may come again."""
    capture_fails: BaseException | None = None
    probe_fails: BaseException | None = None

    def __post_init__(self) -> None:
        self.cluster.guarded = 0
        self.server = FakeServer(self.clock)
        self.changes = FakeChanges(self.clock, self.script)
        self.cluster.put(
            "deployments",
            {
                "metadata": {"name": "vllm"},
                "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "vllm"}}},
            },
        )
        owner = {"kind": "Deployment", "uid": "uid-deployments-vllm", "controller": True}
        self.cluster.put("replicasets", {"metadata": {"name": "rs", "ownerReferences": [owner]}})
        self.cluster.put("pods", pod(1, node="a", ready=True, phase="Running"))
        for name, closed in (("a", False), ("b", False), ("theirs", True)):
            self.cluster.put("nodes", node(name, closed=closed))

    @property
    def closed(self) -> list[str]:
        """The nodes that are cordoned now, or carry our annotation."""
        nodes = self.cluster.items(self.cluster.path("nodes"))
        assert isinstance(nodes, dict)
        return [
            one["metadata"]["name"]
            for one in nodes["items"]
            if one["spec"].get("unschedulable") or one["metadata"].get("annotations")
        ]

    def measured(self, scenario: Scenario | None = Scenario.WARM, **changed: Any) -> PodRound:
        order = {"target": TARGET, "confirmed": True, "label": "run", **changed}
        return measure_pod(PodOrder(scenario=scenario, **order), self.instruments)

    @property
    def instruments(self) -> PodInstruments:
        return PodInstruments(
            run="run-1",
            clock=self.clock,
            cluster=self.cluster,
            watch=self._watch,
            server=self.server,
            capture=self._capture,
            fetch_probe=self._fetch_probe,
            store=RunStore(self.out),
            progress=self.progress.append,
            say=self.said.append,
            undisturbed=self._undisturbed,
        )

    def _watch(
        self, path: str, params: Mapping[str, str], *, since_version: str, known: Iterable[Object]
    ) -> FakeChanges:
        assert (self.cluster.path("pods", namespace="ns"), {"labelSelector": "app=vllm"}) == (
            path,
            params,
        )
        assert since_version
        assert [] == self.cluster.changes, "the watch begins before anything is changed"
        del known
        return self.changes

    def _capture(self, target: Target, *, folder: str) -> None:
        assert ("pod", "ns") == (target.kind, target.namespace)
        self.captured.append(target.name)
        if self.capture_fails is not None:
            raise self.capture_fails
        (Path(folder) / "bundle.json").touch()

    def _fetch_probe(
        self, *, namespace: str, pod: str, container: str | None, source: str, folder: str
    ) -> Sequence[str]:
        del namespace
        if self.probe_fails is not None:
            raise self.probe_fails
        return (f"fetched {source} of {container} in {pod} into {Path(folder).name}",)

    @contextmanager
    def _undisturbed(self) -> Iterator[None]:
        self.cluster.guarded += 1
        try:
            yield
        finally:
            self.cluster.guarded -= 1
            self.on_undisturbed()


@pytest.fixture
def bench(tmp_path: Path) -> PodBench:
    return PodBench(tmp_path / "runs")


def change(*args: Any, type_: str = "MODIFIED", listed: bool = False, **of: Any) -> FakeChange:
    return FakeChange(object=pod(*args, **of), type=type_, listed=listed)


def a_start(node: str = "a", number: int = 2, at_ms: int = 0) -> list[Any]:
    """A pod that waits, is bound, and is Ready nine seconds after it was made."""
    return [
        (at_ms + 1000, change(number, type_="ADDED")),
        (at_ms + 2000, change(number, node=node)),
        (at_ms + 10000, change(number, node=node, ready=True)),
    ]


def record(folder: str) -> dict[str, Any]:
    written: dict[str, Any] = json.loads((Path(folder) / "measured.json").read_text())
    return written
