"""
A published cache comes to pods of a real node, or they start without it.

Nothing here is an engine: what is asked is whether the image does its part with a volume and
nothing else, and how it ends where something is wrong.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import msgspec
import pytest
from onenode import Client, OneNode

from firstlight.core.signs import NOT_RESTORED, RESTORED
from firstlight.wiring.caching.factors_here import machine_factors, together
from tests.caches.made import FACTORS
from tests.caching import small
from tests.cluster import caching
from tests.cluster.caching import Bucket

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(120)]
NOBODY: dict[str, Any] = {"runAsUser": caching.UNKNOWN_USER}


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where pods of these tests run, and what is published for them."""

    kubectl: Client
    namespace: str
    image: str
    bucket: Bucket
    listing: dict[str, str]


def here(**more: Any) -> str:
    """A file of factors that fits the published cache, but for what is said."""
    told = msgspec.to_builtins(msgspec.structs.replace(FACTORS, **more))
    of_machine = ("machine", "instructions", "accelerator", "architecture")
    return json.dumps({n: v for n, v in told.items() if v is not None and n not in of_machine})


@pytest.fixture(scope="module")
def place(node: OneNode, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """A namespace, the image, and a bucket with one small cache."""
    at = caching.bucket(node, "pods")
    image = caching.firstlight_image(node, tmp_path_factory.mktemp("image"))
    filled = small.write(tmp_path_factory.mktemp("filled"))
    with pytest.MonkeyPatch.context() as patched, node.namespace("caches") as namespace:
        for name, value in {**caching.CREDENTIALS, "AWS_ENDPOINT_URL": at.outside}.items():
            patched.setenv(name, value)
        small.pushed(at.url, filled, factors=together(FACTORS, machine_factors()))
        objects = [caching.factors_map(namespace, here()), *caching.secrets(namespace)]
        other = here(arguments={"--max-num-seqs": "16"})
        node.kubectl.apply(*objects, caching.factors_map(namespace, other, "other"))
        expected = {f"./engine/{n}": digest(d) for n, d in small.FILES.items()}
        yield Place(
            kubectl=node.kubectl, namespace=namespace, image=image, bucket=at, listing=expected
        )


def digest(data: bytes) -> str:
    return sha256(data).hexdigest()


@dataclass(frozen=True, kw_only=True)
class Ran:
    """A pod that has ended: its initContainer's words and end, and what its volume held."""

    log: str
    ending: dict[str, Any]
    files: dict[str, str]

    @property
    def message(self) -> str:
        said: str = self.ending.get("message", "")
        return said.rstrip("\n")


def ran(at: Place, name: str, pull: dict[str, Any], *, factors: str = "factors") -> Ran:
    """Run a pod that takes a cache and then lists it."""
    spec = {
        "initContainers": [pull],
        "containers": [caching.lister()],
        "volumes": caching.volumes(factors),
    }
    at.kubectl.apply(caching.pod(at.namespace, name, spec))
    one = caching.ended(at.kubectl, at.namespace, name, within_s=100)
    assert 0 == caching.end_of(one, "listing")["exitCode"]
    return Ran(
        log=caching.said(at.kubectl, at.namespace, name, pull["name"]),
        ending=caching.end_of(one, pull["name"]),
        files=caching.listing(caching.said(at.kubectl, at.namespace, name, "listing")),
    )


@pytest.mark.parametrize(
    ("name", "security"),
    [("root", caching.ON_ROOT_ONLY), ("nobody", NOBODY), ("locked", caching.LOCKED)],
)
def test_a_cache_comes_to_a_pod(place: Place, name: str, security: dict[str, Any]) -> None:
    """As root; as a user whom nobody knows; with nothing to write and no rights beside."""
    pull = caching.puller(place.image, place.bucket, security=security)

    one = ran(place, f"taken-{name}", pull)

    assert place.listing == one.files, one.log
    assert 0 == one.ending["exitCode"]
    assert one.message.startswith(f"{RESTORED} from {place.bucket.url}:")
    assert 1 == one.log.count(one.message)


def test_a_pod_with_no_variables(place: Place) -> None:
    """HOME empty, no PATH of the image's: nothing but the bucket's variables is needed."""
    pull = caching.puller(place.image, place.bucket)
    pull["command"] = ["/usr/bin/env", "-u", "HOME", "-u", "PATH", "/opt/firstlight/bin/firstlight"]

    one = ran(place, "bare", pull)

    assert place.listing == one.files, one.log


def test_a_cache_for_another_engine(place: Place) -> None:
    """It stays on the store: the pod starts, and one line says which argument differs."""
    pull = caching.puller(place.image, place.bucket)

    one = ran(place, "wrong", pull, factors="other")

    assert {} == one.files
    assert 0 == one.ending["exitCode"]
    assert one.message.startswith(f"{NOT_RESTORED}: ")
    assert "--max-num-seqs is 16 here and 8 in the cache" in one.message
    assert 1 == one.log.count(one.message)
    assert 1 == one.log.count("--max-num-seqs")


def test_a_dead_store(place: Place) -> None:
    """Nobody answers: the pod starts after the time that was allowed for it."""
    dead = replace(place.bucket, endpoint=place.bucket.endpoint.replace(":9000", ":9"))
    pull = caching.puller(place.image, dead, "--timeout", "6")

    one = ran(place, "dead", pull)

    assert {} == one.files
    assert 0 == one.ending["exitCode"]
    assert one.message.startswith(f"{NOT_RESTORED}: ")
    assert "\n" not in one.message
    assert 1 == one.log.count(one.message)


def test_a_publisher_with_no_rights(place: Place) -> None:
    """It packs and signs as a user whom nobody knows; the key comes from a Secret."""
    at = replace(place.bucket, url=f"{place.bucket.url}-again")
    publisher = caching.publisher(place.image, at, security=caching.LOCKED)
    # The archive is packed into a file before it is sent.
    publisher["volumeMounts"].append({"name": "tmp", "mountPath": "/tmp"})
    spec = {
        "securityContext": {"fsGroup": caching.UNKNOWN_USER},
        "initContainers": [caching.puller(place.image, place.bucket)],
        "containers": [publisher],
        "volumes": [*caching.volumes(), {"name": "tmp", "emptyDir": {}}],
    }
    place.kubectl.apply(caching.pod(place.namespace, "published", spec))
    done = caching.ended(place.kubectl, place.namespace, "published")
    log = caching.said(place.kubectl, place.namespace, "published", "publisher")

    assert 0 == caching.end_of(done, "publisher")["exitCode"], log
    one = ran(place, "taken-again", caching.puller(place.image, at))
    assert place.listing == one.files, one.log
