"""Variables, volumes and containers of a pod."""

from typing import Any

import pytest

from firstlight.core.errors import BadInput
from tests.manifests.operating import change_of, done, on_engine, on_pod
from tests.manifests.shapes import deployment, objects

SET = {"do": "set-environment", "name": "X", "value": "1"}
HOST = {"name": "cache", "hostPath": {"path": "/var/c", "type": "DirectoryOrCreate"}}
ADD = {"do": "add-volume", "volume": HOST, "mount_path": "/c"}
MOUNT = {"name": "cache", "mountPath": "/c"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, [("X", "1")]),
        ([], [("X", "1")]),
        ([{"name": "A", "value": "a"}], [("A", "a"), ("X", "1")]),
        ([{"name": "X", "value": "0"}], [("X", "1")]),
        ([{"name": "X"}], [("X", "1")]),
        ([{"name": "X", "value": "0"}, {"name": "X", "value": "2"}], [("X", "0"), ("X", "1")]),
        ([{"name": "X", "value": "0"}, {"name": "X", "value": "1"}], [("X", "0"), ("X", "1")]),
    ],
)
def test_a_variable_is_set_where_it_counts(
    before: list[dict[str, str]] | None, after: list[tuple[str, str]]
) -> None:
    """In the last entry of its name, else in one more."""
    entries = on_engine({"args": ["m"], "env": before}, SET)["env"]

    assert after == [(e["name"], e["value"]) for e in entries]


@pytest.mark.parametrize(
    ("container", "why"),
    [
        ({"env": [{"name": "X", "valueFrom": {"secretKeyRef": {}}}]}, "comes from elsewhere"),
        ({"command": ["sh", "-c", "export X=2; vllm serve m"]}, "set in the command"),
        ({"command": ["env", "X=2", "vllm", "serve", "m"]}, "set in the command"),
    ],
)
def test_a_variable_that_something_else_sets_is_refused(
    container: dict[str, Any], why: str
) -> None:
    """It would be set, and not count."""
    with pytest.raises(BadInput, match=why):
        change_of(objects(deployment({"args": ["m"]} | container)), SET)


def test_a_variable_of_a_longer_name_is_another_one() -> None:
    """`--X=1` and `MAX=1` are not `X=1`."""
    script = "MAX=1 vllm serve m --X=1"

    assert "1" == on_engine({"command": ["sh", "-c", script]}, SET)["env"][0]["value"]


def test_a_volume_and_its_mount_are_added() -> None:
    """To lists that may be absent, or null as templates leave them."""
    pod = on_pod({"args": ["m"], "volumeMounts": None}, ADD, volumes=None)

    assert [HOST] == pod["volumes"]
    assert [MOUNT] == pod["containers"][0]["volumeMounts"]


def test_a_volume_that_is_there_is_only_mounted() -> None:
    """Also as a server hands it back, with its defaults."""
    there = {"name": "cache", "hostPath": HOST["hostPath"]}

    pod = on_pod({"args": ["m"]}, ADD, volumes=[there])

    assert [there] == pod["volumes"]
    assert [MOUNT] == pod["containers"][0]["volumeMounts"]


@pytest.mark.parametrize(
    ("volume", "mount", "why"),
    [
        ({"name": "cache", "emptyDir": {}}, None, "another volume called cache"),
        ({"name": "v", "emptyDir": {}}, "/c", "/c is the volume v already"),
        ({"name": "v", "emptyDir": {}}, "/c/", "/c is the volume v already"),
        ({"name": "v", "configMap": {"name": "x"}}, "/", "mounted to be read only"),
        ({"name": "v", "hostPath": {"path": "/x"}}, "ro:/c", "mounted to be read only"),
    ],
)
def test_a_volume_that_something_stands_in_the_way_of_is_refused(
    volume: dict[str, Any], mount: str | None, why: str
) -> None:
    """Hiding what people mounted there would be worse."""
    path = (mount or "").removeprefix("ro:")
    read_only = {"readOnly": True} if str(mount).startswith("ro:") else {}
    mounts = [{"name": volume["name"], "mountPath": path} | read_only] if mount else []
    on = objects(deployment({"args": ["m"], "volumeMounts": mounts}, volumes=[volume]))

    with pytest.raises(BadInput, match=why):
        change_of(on, ADD)


@pytest.mark.parametrize(
    "volume",
    [
        {"name": "v", "persistentVolumeClaim": {"claimName": "c"}},
        {"name": "v", "hostPath": {"path": "/elsewhere"}},
    ],
)
@pytest.mark.parametrize("path", ["/c", "/"])
def test_a_volume_that_outlives_the_pod_serves_as_well(volume: dict[str, Any], path: str) -> None:
    """It is used as it is, and that is said."""
    mounts = [{"name": "v", "mountPath": path}]
    change = change_of(
        objects(deployment({"args": ["m"], "volumeMounts": mounts}, volumes=[volume])), ADD
    )

    assert change.is_empty
    assert "used as it is" in change.assumptions[0]


def test_a_path_below_what_goes_with_the_pod_gets_its_own_volume() -> None:
    """What is above it stays."""
    above = {"name": "v", "mountPath": "/"}
    pod = on_pod(
        {"args": ["m"], "volumeMounts": [above]}, ADD, volumes=[{"name": "v", "emptyDir": {}}]
    )

    assert [above, MOUNT] == pod["containers"][0]["volumeMounts"]


@pytest.mark.parametrize("where", ["pod", "container"])
def test_who_cannot_write_to_the_node_is_told(where: str) -> None:
    """A hostPath is root's."""
    context = {"securityContext": {"runAsUser": 1000}}
    container = {"args": ["m"]} | (context if where == "container" else {})
    on = objects(deployment(container, **(context if where == "pod" else {})))

    assert "/var/c on the node is root's" in change_of(on, ADD).assumptions[0]


RESTORE = {"name": "restore", "image": "i", "args": ["a"]}
INIT = {"do": "add-init-container", "container": RESTORE}
BESIDE = {"do": "add-container", "container": {"name": "gateway", "image": "i"}}


def test_what_an_anchor_stands_for_is_changed_in_one_place() -> None:
    """In YAML two containers may be given one list of variables."""
    shared = [{"name": "A", "value": "a"}]
    value = deployment({"args": ["m"], "env": shared})
    value["spec"]["template"]["spec"]["containers"].append({"name": "other", "env": shared})

    engine, other = (
        done(objects(value), SET).manifests[0].value["spec"]["template"]["spec"]["containers"]
    )

    assert ["A", "X"] == [e["name"] for e in engine["env"]]
    assert ["A"] == [e["name"] for e in other["env"]]


def test_containers_come_behind_those_that_are_there() -> None:
    """What runs before the engine runs in the order of the list."""
    pod = on_pod({"args": ["m"]}, INIT, BESIDE, initContainers=[{"name": "first"}])

    assert ["first", "restore"] == [c["name"] for c in pod["initContainers"]]
    assert ["vllm", "gateway"] == [c["name"] for c in pod["containers"]]


def test_a_container_as_a_server_hands_it_back_is_there() -> None:
    """It has defaults that nobody wrote."""
    there = RESTORE | {"terminationMessagePolicy": "File", "imagePullPolicy": "Always"}
    on = objects(deployment({"args": ["m"]}, initContainers=[there]))

    assert change_of(on, INIT).is_empty


@pytest.mark.parametrize("field", ["initContainers", "containers"])
def test_another_container_of_that_name_is_refused(field: str) -> None:
    """Names are one's own in the whole pod."""
    value = deployment({"args": ["m"]})
    value["spec"]["template"]["spec"].setdefault(field, []).append({"name": "restore"})

    with pytest.raises(BadInput, match="another container called restore"):
        change_of(objects(value), INIT)


MODEL_VOLUME = {
    "do": "add-object",
    "object": {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": "m"},
        "spec": {"mountOptions": ["read-only"], "csi": {"driver": "s3.csi.aws.com"}},
    },
}


@pytest.mark.parametrize(
    ("pod", "container", "options"),
    [
        (None, None, []),
        ({"runAsUser": 0}, None, []),
        ({"runAsUser": 1000, "fsGroup": 2000}, None, ["allow-other", "uid=1000", "gid=2000"]),
        ({"fsGroup": 5}, {"runAsUser": 7, "runAsGroup": 8}, ["allow-other", "uid=7", "gid=8"]),
        (None, {"runAsNonRoot": True}, ["allow-other"]),
    ],
)
def test_a_bucket_is_mounted_for_whom_the_pod_runs_as(
    pod: dict[str, Any] | None, container: dict[str, Any] | None, options: list[str]
) -> None:
    """Mountpoint shows its files to root alone otherwise."""
    on = objects(deployment({"args": ["m"], "securityContext": container}, securityContext=pod))

    [added] = done(on, MODEL_VOLUME).of_kind("PersistentVolume")

    assert ["read-only", *options] == added.value["spec"]["mountOptions"]


@pytest.mark.parametrize(
    ("volume", "mount", "serves"),
    [
        ({"hostPath": {"path": "/x"}}, {}, True),
        ({"hostPath": {"path": "/x"}}, {"subPathExpr": "fixed"}, True),
        ({"hostPath": {"path": "/x"}}, {"subPathExpr": "$(POD_NAME)"}, False),
        ({"csi": {"driver": "inline.example"}}, {}, False),
        ({"ephemeral": {"volumeClaimTemplate": {}}}, {}, False),
        ({"emptyDir": {}}, {}, False),
    ],
)
def test_what_goes_with_the_pod_does_not_serve_for_a_cache(
    volume: dict[str, Any],
    mount: dict[str, Any],
    serves: bool,
) -> None:
    """A folder of the pod's name, and a volume that is made for it."""
    mounts = [{"name": "v", "mountPath": "/c"} | mount]
    on = objects(
        deployment({"args": ["m"], "volumeMounts": mounts}, volumes=[{"name": "v"} | volume])
    )

    if serves:
        assert change_of(on, ADD).is_empty
    else:
        with pytest.raises(BadInput, match="/c is the volume v already"):
            change_of(on, ADD)


@pytest.mark.parametrize("how", ["Enabled", "IfPossible"])
def test_a_mount_that_is_read_only_all_the_way_down_is_read_only(how: str) -> None:
    """Kubernetes asks for both fields; one is enough to be sure."""
    mounts = [{"name": "v", "mountPath": "/c", "recursiveReadOnly": how}]
    volumes = [{"name": "v", "hostPath": {"path": "/x"}}]

    with pytest.raises(BadInput, match="mounted to be read only"):
        change_of(
            objects(deployment({"args": ["m"], "volumeMounts": mounts}, volumes=volumes)), ADD
        )
