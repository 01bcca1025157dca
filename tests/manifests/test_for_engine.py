"""A container that fills a folder of the engine's: what it has from the engine's container."""

from typing import Any

import pytest

from firstlight.core.errors import BadInput
from firstlight.manifests.applying import applied
from tests.manifests.operating import change_of, done, on_pod
from tests.manifests.shapes import deployment, objects

FOLDER = "/data/caches"
INIT: dict[str, Any] = {
    "do": "add-init-container",
    "for_engine": FOLDER,
    "container": {"name": "restore", "image": "firstlight:1", "env": [{"name": "E", "value": "e"}]},
}
MOUNT = {"name": "data", "mountPath": "/data"}
ENGINE = {"args": ["m"], "volumeMounts": [MOUNT]}
VOLUMES = [{"name": "data", "emptyDir": {}}]
CONTEXT = {"runAsUser": 1000, "allowPrivilegeEscalation": False}


def restored(engine: dict[str, Any], **pod: Any) -> dict[str, Any]:
    """The container that was added."""
    found: dict[str, Any] = on_pod(ENGINE | engine, INIT, volumes=VOLUMES, **pod)["initContainers"][
        -1
    ]
    return found


def test_it_sees_the_folder_where_the_engine_sees_it() -> None:
    """On the same part of the same volume, and always to be written."""
    part = {"name": "data", "mountPath": "/data", "subPath": "of-this-pod"}

    assert [MOUNT] == restored({})["volumeMounts"]
    assert [part] == restored({"volumeMounts": [part]})["volumeMounts"]


@pytest.mark.parametrize(
    ("mounts", "why"),
    [
        ([], "/data/caches lies on no volume"),
        ([{"name": "data", "mountPath": "/data/caches"}], "is where the volume data is mounted"),
        ([MOUNT | {"readOnly": True}], "which is mounted to be read only"),
    ],
)
def test_a_folder_that_it_cannot_fill_is_refused(mounts: list[Any], why: str) -> None:
    """Before anybody applies it: at the start it would only be a line in a log."""
    on = objects(deployment(ENGINE | {"volumeMounts": mounts}, volumes=VOLUMES))

    with pytest.raises(BadInput, match=why):
        change_of(on, INIT)


def test_it_runs_as_the_engine() -> None:
    """Whatever its image is: the engine adds to what it left."""
    assert CONTEXT == restored({"securityContext": CONTEXT})["securityContext"]
    assert "securityContext" not in restored({})


def test_a_user_that_only_the_engines_image_knows_is_refused() -> None:
    """Another image may be root's, and a pod that must not be root's would not start."""
    for where in ("container", "pod"):
        context = {"securityContext": {"runAsNonRoot": True}}
        engine = ENGINE | (context if where == "container" else {})
        pod = {"volumes": VOLUMES} | (context if where == "pod" else {})

        with pytest.raises(BadInput, match=r"no user is said \(Deployment/llm"):
            change_of(objects(deployment(engine, **pod)), INIT)
        said = {"securityContext": {"runAsNonRoot": True, "runAsUser": 7}}
        assert not change_of(objects(deployment(engine, **(pod | said))), INIT).is_empty


def test_it_finds_the_store_as_the_engine_does() -> None:
    """By the variables that say where it is and who one is, wherever their values come from."""
    key = {"name": "AWS_ACCESS_KEY_ID", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}
    place = {"name": "AWS_ENDPOINT_URL", "value": "http://minio:9000"}
    others = [
        {"name": "AWS_CA_BUNDLE", "value": "/certs/ca.pem"},
        {"name": "AWS_CONFIG_FILE", "value": "/root/.aws/config"},
        {"name": "VLLM_API_KEY", "value": "x"},
    ]

    assert [{"name": "E", "value": "e"}, key, place] == restored({"env": [key, *others, place]})[
        "env"
    ]


def test_a_folder_of_a_variable_has_its_variable() -> None:
    """Kubernetes puts in what the container itself has, and starts no container without it."""
    name = {"name": "POD", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}
    base = {"name": "BASE", "value": "$(POD)-caches"}
    region = {"name": "AWS_REGION", "value": "$(R)"}
    other, unused = {"name": "R", "value": "eu-west-1"}, {"name": "U", "value": "u"}
    part = MOUNT | {"subPathExpr": "$(BASE)"}

    there = restored({"volumeMounts": [part], "env": [name, base, other, unused, region]})

    assert ["E", "POD", "BASE", "R", "AWS_REGION"] == [one["name"] for one in there["env"]]
    missing = ENGINE | {"volumeMounts": [part], "envFrom": [{"configMapRef": {"name": "x"}}]}
    with pytest.raises(BadInput, match="BASE is not among the variables"):
        change_of(objects(deployment(missing, volumes=VOLUMES)), INIT)


def test_what_follows_the_engine_is_put_right_again() -> None:
    """The engine has moved to another store and got a user; what somebody added stays."""
    on = objects(deployment(ENGINE, volumes=VOLUMES))
    before = done(on, INIT)
    pod = before.manifests[0].value["spec"]["template"]["spec"]
    place = {"name": "AWS_ENDPOINT_URL", "value": "http://other:9000"}
    pod["containers"][0] |= {"env": [place], "securityContext": CONTEXT}
    pod["initContainers"][0]["env"].append({"name": "RUST_LOG", "value": "debug"})

    after = applied(change_of(before, INIT), before)

    there = after.manifests[0].value["spec"]["template"]["spec"]["initContainers"][0]
    assert {"E", "AWS_ENDPOINT_URL", "RUST_LOG"} == {v["name"] for v in there["env"]}
    assert CONTEXT == there["securityContext"]


def test_another_image_is_put_in_its_place() -> None:
    """It is ours: a newer one is an update, and no stranger's container of that name."""
    on = done(objects(deployment(ENGINE, volumes=VOLUMES)), INIT)
    newer = INIT | {"container": INIT["container"] | {"image": "firstlight:2"}}

    after = done(on, newer)

    (there,) = after.manifests[0].value["spec"]["template"]["spec"]["initContainers"]
    assert "firstlight:2" == there["image"]


def test_a_user_of_its_own_stays() -> None:
    """Somebody wrote it."""
    on = objects(
        deployment(
            ENGINE | {"securityContext": CONTEXT},
            volumes=VOLUMES,
            initContainers=[INIT["container"] | {"securityContext": {"runAsUser": 7}}],
        )
    )

    after = done(on, INIT)

    (there,) = after.manifests[0].value["spec"]["template"]["spec"]["initContainers"]
    assert {"runAsUser": 7} == there["securityContext"]


ANY = {
    "do": "add-volume",
    "volume": {"name": "compile-cache", "emptyDir": {}},
    "mount_path": "/data",
    "unless_mounted": True,
}


@pytest.mark.parametrize("volume", [{"emptyDir": {}}, {"hostPath": {"path": "/c"}}])
def test_a_volume_that_is_there_will_do(volume: dict[str, Any]) -> None:
    """Whatever lives in it and however long: the folder is filled at each start."""
    on = objects(deployment(ENGINE, volumes=[{"name": "data"} | volume]))

    assert change_of(on, ANY).is_empty


def test_one_that_is_read_only_will_not() -> None:
    """The path is refused with its place."""
    engine = ENGINE | {"volumeMounts": [MOUNT | {"readOnly": True}]}

    with pytest.raises(BadInput, match="mounted to be read only"):
        change_of(objects(deployment(engine, volumes=VOLUMES)), ANY)
