"""What the restoring initContainer really says, read by whoever explains the pod's start."""

import pytest

from firstlight.core.effects import EffectState
from firstlight.core.signs import RESTORES_CACHE, Sign
from firstlight.core.starts import Start
from firstlight.techniques.effect import effect
from tests.explain.pod import cluster
from tests.techniques.own_cards import DECK, operation
from tests.techniques.restoring import CACHE, Node, Store, node, packed, server, store

__all__ = ["node", "server", "store"]
pytestmark = pytest.mark.timeout(20)
CARD = DECK.card("compile-cache-published")


def started(*, message: str = "", log: str = "") -> Start:
    """A pod whose initContainer left this behind."""
    pod = cluster.pod(created=0, scheduled=1, started=9, ready=43, init=[(RESTORES_CACHE, 4, 8)])
    ended = pod["status"]["initContainerStatuses"][0]["state"]["terminated"]
    ended |= {"exitCode": 0, "message": message}
    logs = {f"b/logs/vllm-0/{RESTORES_CACHE}.log": f"{log}\n"} if log else {}
    return cluster.one(pod, cluster.scheduled(1), logs=logs)


@pytest.fixture(params=["restored", "nothing published", "one was there"])
def case(request: pytest.FixtureRequest, store: Store, node: Node) -> str:
    """What the bucket and the node hold before."""
    told = str(request.param)
    if told != "nothing published":
        store.publish(packed(CACHE))
    if told == "one was there":
        node.restore(store)
    return told


def test_the_scripts_own_line_is_the_sign(case: str, store: Store, node: Node) -> None:
    """As its log and as its termination message, and by the card it means what happened."""
    restored = case == "restored"
    sign = Sign.CACHE_RESTORED if restored else Sign.CACHE_NOT_RESTORED
    state = EffectState.APPLIED if restored else EffectState.NOT_APPLIED

    line = node.restore(store)

    for start in (started(log=line), started(message=line)):
        assert [line] == [e.text for e in start.signs[sign]]
        assert state is effect(CARD, start.signs).state


def test_the_container_is_called_as_it_is_looked_for() -> None:
    """By the card's own name for it."""
    made = operation(
        CARD.id, "add-init-container", cache_uri="s3://b/p", engine_image="vllm/vllm-openai:v1"
    )

    assert RESTORES_CACHE == made["container"]["name"]
