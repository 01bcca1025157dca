"""What `cache pull` says as the card's initContainer, read by whoever explains the pod's start."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from firstlight.core.effects import EffectState
from firstlight.core.signs import NOT_RESTORED, RESTORES_CACHE, Sign
from firstlight.core.starts import Start
from firstlight.techniques.effect import effect
from tests.cli.console import firstlight
from tests.explain.pod import cluster
from tests.techniques.own_cards import DECK, operation

pytestmark = pytest.mark.timeout(20)
CARD = DECK.card("compile-cache-published")
EXPECTED = {"image": "docker.io/vllm/vllm-openai:v0.26.0", "model": "/m", "arguments": {}}


def started(*, message: str = "", log: str = "") -> Start:
    """A pod whose initContainer left this behind."""
    pod = cluster.pod(created=0, scheduled=1, started=9, ready=43, init=[(RESTORES_CACHE, 4, 8)])
    ended = pod["status"]["initContainerStatuses"][0]["state"]["terminated"]
    ended |= {"exitCode": 0, "message": message}
    logs = {f"b/logs/vllm-0/{RESTORES_CACHE}.log": f"{log}\n"} if log else {}
    return cluster.one(pod, cluster.scheduled(1), logs=logs)


class Node:
    """A folder for the caches, a store, and keys of its own."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.store = f"file://{home}/store"
        self.environment = {
            "XDG_CONFIG_HOME": str(home / "config"),
            "FIRSTLIGHT_CACHE_EXPECT": json.dumps(EXPECTED),
        }

    def publish(self) -> None:
        """As the Job does it, from the folder that all pods have."""
        tree = self.home / "engine" / "vllm"
        tree.mkdir(parents=True)
        (tree / "graph.py").write_text("compiled")
        self._run("push", str(tree.parent), "--to", self.store)
        shutil.rmtree(tree.parent)

    def restore(self) -> tuple[str, str]:
        """The last line of the card's initContainer, and its termination message."""
        made = operation(
            CARD.id,
            "add-init-container",
            cache_uri="STORE",
            cache_dir=str(self.home / "engine"),
            firstlight_image="firstlight:1",
            trusted_key="KEY",
        )
        log = self.home / "termination-log"
        log.write_text("")
        key = self._run("key", "--public").strip()
        given = {"STORE": self.store, "KEY": key, "/dev/termination-log": str(log)}
        command, *words = [given.get(word, word) for word in made["container"]["args"]]
        assert "cache" == command
        return self._run(*words).splitlines()[-1], log.read_text()

    def _run(self, *words: str) -> str:
        done = firstlight("cache", *words, env=self.environment)
        assert 0 == done.returncode, done.stderr.decode()
        return (done.stdout or done.stderr).decode()


@pytest.fixture(params=["restored", "nothing published", "one was there"])
def case(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Node]:
    """What the bucket and the node hold before."""
    told, node = str(request.param), Node(tmp_path)
    if told != "nothing published":
        node.publish()
    if told == "one was there":
        (tmp_path / "engine").mkdir()
        (tmp_path / "engine" / "own").write_text("compiled here")
    return told, node


def test_the_line_of_the_pull_is_the_sign(case: tuple[str, Node]) -> None:
    """As its log and as its termination message, and by the card it means what happened."""
    told, node = case
    restored = told == "restored"
    sign = Sign.CACHE_RESTORED if restored else Sign.CACHE_NOT_RESTORED
    state = EffectState.APPLIED if restored else EffectState.NOT_APPLIED

    line, message = node.restore()

    assert line == message.strip()
    for start in (started(log=line), started(message=message)):
        assert [line] == [e.text for e in start.signs[sign]]
        assert state is effect(CARD, start.signs).state


@pytest.mark.parametrize(("ends", "said"), [(0, ""), (2, "ended with 2"), (137, "ended with 137")])
def test_whatever_happens_the_container_ends_well(tmp_path: Path, ends: int, said: str) -> None:
    """Also where an older image does not know a word, or the command is killed: it is said."""
    made = operation(
        CARD.id,
        "add-init-container",
        cache_uri="s3://b/p",
        firstlight_image="firstlight:1",
        trusted_key="KEY",
    )
    words = [*made["container"]["command"], *made["container"]["args"]]
    log = tmp_path / "termination-log"
    words[2] = words[2].replace("/dev/termination-log", str(log))
    program = tmp_path / "firstlight"
    program.write_text(f"#!/bin/sh\nexit {ends}\n")
    program.chmod(0o755)
    path = f"{tmp_path}:/usr/bin:/bin"

    done = subprocess.run(words, env={"PATH": path}, capture_output=True, text=True, check=False)

    assert 0 == done.returncode
    assert said in done.stdout
    if said:
        assert done.stdout.startswith(NOT_RESTORED)
        assert done.stdout == log.read_text()


def test_the_container_is_called_as_it_is_looked_for() -> None:
    """By the card's own name for it."""
    names = [
        one.container["name"]
        for one in CARD.change.kubernetes.operations
        if hasattr(one, "container")
    ]

    assert [RESTORES_CACHE] == names
