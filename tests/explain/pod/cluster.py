"""
A small cluster to be explained: objects as the API gives them, in seconds of a day.

Nothing here is more than a start needs. Each builder returns the JSON object; `told`
reads them as `kubectl get -o json` would have printed them, and explains them with logs.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from firstlight.core.starts import Start
from firstlight.core.units import NS_PER_S
from firstlight.explain.together import Together, explain_together
from firstlight.readers.kube.reading import join, read_cluster
from firstlight.readers.vllm_log import read_log

DAY = int(datetime(2026, 9, 1, tzinfo=UTC).timestamp())
Object = dict[str, Any]


def stamp(at_s: float, digits: int = 0) -> str:
    """A moment of the day, as Kubernetes writes it."""
    at_ns = DAY * NS_PER_S + round(at_s * NS_PER_S)
    whole = datetime.fromtimestamp(at_ns // NS_PER_S, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    fraction = f".{at_ns % NS_PER_S:09d}"[: digits + 1] if digits else ""
    return f"{whole}{fraction}Z"


def condition(type_: str, at_s: float, status: str = "True", **more: str) -> Object:
    return {"type": type_, "status": status, "lastTransitionTime": stamp(at_s), **more}


def pod(
    *,
    created: float | None = 0,
    scheduled: float | None = 1,
    started: float | None = 3,
    ready: float | None = None,
    node: str = "node-1",
    name: str = "vllm-0",
    container: Mapping[str, Any] | None = None,
    status: Mapping[str, Any] | None = None,
    init: Sequence[tuple[str, float, float]] = (),
    conditions: Sequence[Object] = (),
    state: Mapping[str, Any] | None = None,
    **fields: Any,
) -> Object:
    """A pod with one container that runs vLLM."""
    said: list[Object] = []
    if scheduled is not None:
        said.append(condition("PodScheduled", scheduled))
    if ready is not None:
        said.append(condition("Ready", ready))
    elif scheduled is not None:
        said.append(condition("Ready", scheduled, "False", reason="ContainersNotReady"))
    said += conditions
    running = {"running": {"startedAt": stamp(started)}} if started is not None else {"waiting": {}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": "demo",
            "uid": f"uid-{name}",
            **({"creationTimestamp": stamp(created)} if created is not None else {}),
        },
        "spec": {
            "nodeName": node if scheduled is not None else None,
            "initContainers": [{"name": n, "image": f"{n}:1"} for n, _, _ in init],
            "containers": [
                {"name": "vllm", "image": "vllm/vllm-openai:v0.26.0", **(container or {})}
            ],
        },
        "status": {
            "phase": "Running",
            **({"startTime": stamp(scheduled)} if scheduled is not None else {}),
            "conditions": said,
            "initContainerStatuses": [
                {
                    "name": n,
                    "restartCount": 0,
                    "state": {
                        "terminated": {
                            "exitCode": 0,
                            "startedAt": stamp(begin),
                            "finishedAt": stamp(end),
                        }
                    },
                }
                for n, begin, end in init
            ],
            "containerStatuses": [
                {
                    "name": "vllm",
                    "restartCount": 0,
                    "ready": ready is not None,
                    "state": running,
                    **(state or {}),
                }
            ],
            **(status or {}),
        },
        **fields,
    }


def event(
    at_s: float,
    reason: str,
    message: str = "",
    *,
    of: str = "vllm-0",
    container: str = "",
    init: bool = False,
    by: str = "kubelet",
    exact: bool = True,
    recorded: float | None = None,
    **fields: Any,
) -> Object:
    """An event of the core API; with an exact name it tells its moment to the nanosecond."""
    at_ns = DAY * NS_PER_S + round(at_s * NS_PER_S)
    suffix = f"{at_ns:x}" if exact else f"table-{reason}-{at_s}"
    spec = "initContainers" if init else "containers"
    about: Object = {"kind": "Pod", "name": of, "namespace": "demo", "uid": f"uid-{of}"}
    if container:
        about["fieldPath"] = f"spec.{spec}{{{container}}}"
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {
            "name": f"{of}.{suffix}",
            "namespace": "demo",
            "creationTimestamp": stamp(at_s if recorded is None else recorded),
        },
        "involvedObject": about,
        "reason": reason,
        "message": message,
        "type": "Normal",
        "firstTimestamp": stamp(at_s),
        "lastTimestamp": stamp(at_s),
        "count": 1,
        "source": {"component": by},
        **fields,
    }


def scheduled(at_s: float, **fields: Any) -> Object:
    return event(at_s, "Scheduled", "Successfully assigned", by="default-scheduler", **fields)


def arrival(
    pulling: float | None,
    pulled: float,
    created: float,
    started: float,
    *,
    container: str = "vllm",
    init: bool = False,
    message: str = "",
) -> list[Object]:
    """The kubelet's events of one container; without a pull its image was there."""
    said = message or f'Successfully pulled image "{container}:1" in 1s'
    if pulling is None and not message:
        said = f'Container image "{container}:1" already present on machine'
    where: dict[str, Any] = {"container": container, "init": init}
    events = [] if pulling is None else [event(pulling, "Pulling", "Pulling image", **where)]
    return [
        *events,
        event(pulled, "Pulled", said, **where),
        event(created, "Created", f"Created container: {container}", **where),
        event(started, "Started", f"Started container {container}", **where),
    ]


def node(created: float, ready: float, name: str = "node-1") -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "creationTimestamp": stamp(created)},
        "status": {"conditions": [condition("Ready", ready)]},
    }


def claim(
    created: float,
    conditions: Iterable[Object],
    node: str = "node-1",
    version: str = "v1",
) -> Object:
    return {
        "apiVersion": f"karpenter.sh/{version}",
        "kind": "NodeClaim",
        "metadata": {"name": "gpu-abc12", "creationTimestamp": stamp(created)},
        "status": {"nodeName": node, "conditions": list(conditions)},
    }


def whole_claim(created: float, launched: float, registered: float, initialized: float) -> Object:
    """A NodeClaim whose node came; its conditions are in no order."""
    return claim(
        created,
        [
            condition("Initialized", initialized),
            condition("Launched", launched),
            condition("Registered", registered),
        ],
    )


def engine_log(begins: float, *, load: float, weights: float, ready: float, up: float) -> str:
    """The lines that bound an engine's phases, as `kubectl logs --timestamps` gives them."""
    lines = [
        (begins, "(APIServer pid=1) INFO {} [utils.py:1]  █▄█▀ █   version 0.26.0"),
        (load, "(EngineCore pid=9) INFO {} [gpu_model_runner.py:1] Starting to load model /m..."),
        (
            weights,
            "(EngineCore pid=9) INFO {} [a.py:1] Model loading took 1.0 GiB memory and 2.0 seconds",
        ),
        (
            ready,
            "(EngineCore pid=9) INFO {} [a.py:1] init engine (profile, create kv cache) took 3.0 s",
        ),
        (up, "(APIServer pid=1) INFO:     Application startup complete."),
    ]
    return "".join(f"{stamp(at, 9)} {text.format(own(at))}\n" for at, text in lines)


def own(at_s: float) -> str:
    """vLLM's own stamp of a moment."""
    return datetime.fromtimestamp(DAY + int(at_s), UTC).strftime("%m-%d %H:%M:%S")


def told(
    *objects: Object | Iterable[Object],
    logs: Mapping[str, str] | None = None,
    beside: Mapping[str, str] | None = None,
    captured_ns: int | None = None,
    **more: Any,
) -> list[Start]:
    """The starts that these objects, logs, and cluster texts beside them tell about."""
    flat: list[Object] = []
    for given in objects:
        flat += [given] if isinstance(given, dict) else list(given)
    document = json.dumps({"apiVersion": "v1", "kind": "List", "items": flat})
    seen = [read_cluster("objects.json", document.encode())]
    for name, text in (beside or {}).items():
        seen.append(read_cluster(name, text.encode(), captured_ns=captured_ns))
    return explain_together(
        Together(
            cluster=join(seen),
            logs=[read_log(name, [text.encode()]) for name, text in (logs or {}).items()],
            **more,
        )
    )


def one(*objects: Object | Iterable[Object], **more: Any) -> Start:
    """The only start that they tell about."""
    (start,) = told(*objects, **more)
    return start


def lengths(start: Start) -> dict[str, float]:
    """Each phase in seconds."""
    return {span.name: span.length_ns / NS_PER_S for span in start.phases}


def parts(start: Start, phase: str) -> dict[str, float]:
    """What a phase consists of, in seconds."""
    spans = [span for span in start.phases if span.name == phase]
    return {c.name: c.length_ns / NS_PER_S for span in spans for c in span.children}


def codes(start: Start) -> set[str]:
    return {finding.code for finding in start.findings}
