"""The engine's development endpoints on an address that others reach."""

from collections.abc import Iterator

from firstlight.core.hosts import is_loopback
from firstlight.lint.dev_mode import DEV_MODE, is_in_dev_mode
from firstlight.lint.engine import Engine, Known
from firstlight.lint.policies import fence
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.techniques.sources import Origin, Source


def _check(scene: Scene) -> Iterator[Hit]:
    for engine in scene.engines:
        yield from _of(engine, scene)


def _of(engine: Engine, scene: Scene) -> Iterator[Hit]:
    if not is_in_dev_mode(engine):
        return
    if any(engine.argument(a).known is not Known.ABSENT for a in ("--uds", "--headless")):
        return
    host = engine.argument("--host")
    address = engine.text_of(host)
    if host.known is Known.UNKNOWN or (host.known is Known.GIVEN and address is None):
        return
    if address is not None and is_loopback(address):
        return
    fenced = fence(engine, scene)
    if fenced.holds and scene.stated.policies_enforced:
        return
    listens = f"--host {address}" if address else "no --host, so on all addresses"
    yield Hit(
        manifest=engine.manifest,
        pointer=host.pointer if address else engine.variable_pointer(DEV_MODE),
        what=f"{DEV_MODE} opens /sleep, /wake_up and /collective_rpc to whoever reaches the pod, "
        f"with {listens}" + fenced.says(enforced=scene.stated.policies_enforced),
    )


RULE = Rule(
    code="dev-endpoints-exposed",
    severity=Severity.ERROR,
    title="Development endpoints must listen on loopback only",
    why=(
        "They have no authentication: an API key guards /v1 and not them. Whoever reaches the pod "
        "can put the engine to sleep, and run methods in its workers by /collective_rpc. A "
        "NetworkPolicy cannot tell /sleep from /v1 on one port, and a cluster whose network plugin "
        "does not enforce policies takes them without a word, as EKS does until that is switched "
        "on."
    ),
    remedy="give the engine --host 127.0.0.1, put a gateway beside it that passes only /v1, and "
    "move the probes and the Service to the gateway's port",
    sources=(
        Source(origin=Origin.REFERENCE_CASE, where="traps: the sleep endpoints"),
        Source(origin=Origin.UPSTREAM, where="vllm/entrypoints/serve/middleware/authenticate.py"),
        Source(origin=Origin.UPSTREAM, where="docs.vllm.ai/en/stable/usage/security"),
        Source(
            origin=Origin.UPSTREAM,
            where="docs.aws.amazon.com/eks/latest/userguide/cni-network-policy-configure.html",
        ),
    ),
    check=_check,
    techniques=("sleep-wake",),
    live=True,
)
