"""One pod and one event, in every form that people save them in."""

import codecs
import json
import re

import pytest
import yaml

from firstlight.core.errors import BadInput
from firstlight.readers.kube.reading import looks_like_cluster, read_cluster
from tests.readers.kube.cluster_objects import event, pod, stamp

POD = pod(ready="09:02:00")
EVENT = event("Pulled", 'Successfully pulled image "example.org/vllm:v1"', "09:01:00")
PRETTY = json.dumps(POD, indent=4) + "\n" + json.dumps(EVENT, indent=4) + "\n"
LIST = {"apiVersion": "v1", "items": [POD, EVENT], "kind": "List", "metadata": {}}
BARE = {key: value for key, value in POD.items() if key not in ("kind", "apiVersion")}


def as_yaml(value: object) -> str:
    """What kubectl writes: stamps in quotes, keys in order."""
    return yaml.safe_dump(value)


def unplaced(cluster: object) -> str:
    """Everything that was read but for the lines it stands in."""
    return re.sub(r"line=\d+", "line=None", repr(cluster))


def watched(*objects: object) -> str:
    """A raw watch."""
    return "".join(json.dumps({"type": "ADDED", "object": obj}) + "\n" for obj in objects)


WHOLE = {
    "objects one after another": PRETTY,
    "objects on one line each": f"{json.dumps(POD)}\n{json.dumps(EVENT)}\n",
    "a list": json.dumps(LIST, indent=4),
    "a list in one line": json.dumps(LIST),
    "an array": json.dumps([POD, EVENT], indent=2),
    "a raw watch": watched(POD, EVENT),
    "a watch with indents": json.dumps({"type": "ADDED", "object": POD}, indent=2)
    + "\n"
    + json.dumps({"type": "MODIFIED", "object": EVENT}, indent=2),
    "the API's lists": json.dumps({"kind": "PodList", "apiVersion": "v1", "items": [BARE]})
    + "\n"
    + json.dumps({"kind": "EventList", "apiVersion": "v1", "items": [EVENT]}),
    "behind a warning": "Warning: v1 ComponentStatus is deprecated in v1.19+\n" + PRETTY,
    "between prompts": f"$ kubectl get pod -o json\n{json.dumps(POD, indent=4)}\n"
    f"$ kubectl get events -o json\n{json.dumps(EVENT, indent=4)}\n$ exit\n",
    "with colours": PRETTY.replace('"kind"', '\x1b[34;1m"kind"\x1b[0m'),
    "indented": "".join(f"    {line}\n" for line in PRETTY.splitlines()),
    "YAML": as_yaml(POD) + "---\n" + as_yaml(EVENT),
    "YAML without separators": as_yaml(POD) + as_yaml(EVENT),
    "a YAML list": as_yaml(LIST),
    "YAML between prompts": f"$ kubectl get pod -o yaml\n{as_yaml(POD)}"
    f"$ kubectl get events -o yaml\n{as_yaml(EVENT)}$ exit\n",
    "YAML and JSON": as_yaml(POD) + "---\n" + json.dumps(EVENT),
    "YAML with a comment": "# taken at noon\n---\n" + as_yaml(LIST),
}
ENCODINGS = {
    "UTF-8": lambda text: text.encode(),
    "UTF-8 with a mark": lambda text: codecs.BOM_UTF8 + text.encode(),
    "CRLF": lambda text: text.replace("\n", "\r\n").encode(),
    "PowerShell": lambda text: codecs.BOM_UTF16_LE + text.replace("\n", "\r\n").encode("utf-16-le"),
    "UTF-16 without a mark": lambda text: text.encode("utf-16-le"),
    "UTF-16, the other way": lambda text: codecs.BOM_UTF16_BE + text.encode("utf-16-be"),
}


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("form", WHOLE)
def test_the_same_in_every_form(form: str, encoding: str) -> None:
    """The pod and the event are there, with the moments they have as plain JSON."""
    data = ENCODINGS[encoding](WHOLE[form])
    plain = read_cluster("a", PRETTY.encode())

    assert (1, 1) == (len(plain.pods), len(plain.events))
    assert unplaced(plain) == unplaced(read_cluster("a", data))
    assert looks_like_cluster(data[: 64 * 1024])


def test_unquoted_dates_of_yaml_stay_text() -> None:
    """A hand that edits YAML leaves the quotes away; the words are still the file's."""
    text = as_yaml(POD).replace(f"'{stamp('09:00:00')}'", stamp("09:00:00"))
    (read,) = read_cluster("a.yaml", text.encode()).pods

    assert f"creationTimestamp: {stamp('09:00:00')}\n" in text
    assert read.created
    assert f'creationTimestamp: "{stamp("09:00:00")}"' == read.created.evidence.text


@pytest.mark.parametrize(
    "last", ["Successfully pulled ", '"reason": ', '"eventTime": nu', '"count"']
)
def test_a_list_that_was_cut_keeps_what_is_whole(last: str) -> None:
    """The second item ends in a text, before a value, in a word; the first is whole."""
    text = json.dumps(LIST, indent=1)
    cluster = read_cluster("a.json", text[: text.index(last) + len(last)].encode())

    assert (1, 0) == (len(cluster.pods), len(cluster.events))


def test_a_yaml_list_that_was_cut_keeps_what_is_whole() -> None:
    """What is left of the last item is good YAML; that its list has no kind tells."""
    text = as_yaml({"apiVersion": "v1", "items": [POD, EVENT]})
    text = text[: text.index("Successfully") + 5]
    cluster = read_cluster("a.yaml", text.encode())

    assert (1, 0) == (len(cluster.pods), len(cluster.events))


def test_a_watch_that_was_interrupted_keeps_its_lines() -> None:
    """The last line is half there, as Ctrl-C leaves it."""
    cluster = read_cluster("w.jsonl", watched(POD, EVENT)[:-30].encode())

    assert (1, 0) == (len(cluster.pods), len(cluster.events))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            json.dumps(POD, indent=1)[:-60],
            "a ends in the middle of the object that begins in line 1",
        ),
        (
            "$ kubectl get pod\n" + json.dumps(POD, indent=1)[:-60],
            "a ends in the middle of the object that begins in line 2",
        ),
        (
            json.dumps(POD, indent=1).replace('"kind": "Pod",', '"kind": "Pod"'),
            "a is damaged in line 4: Expecting ',' delimiter",
        ),
        (
            json.dumps(LIST, indent=1).replace('"uid": "u1",', '"uid" "u1",'),
            "a is damaged in line 10: Expecting ':' delimiter",
        ),
        (
            as_yaml(POD).replace("  phase: Running\n", "  phase: 'Running\n"),
            "a ends in the middle of the object that begins in line 1",
        ),
        (
            as_yaml(POD).replace("spec:\n", "spec: ]\n"),
            "a is damaged in line 9: ",
        ),
        (
            json.dumps(POD)[:-1] + ', "a": ' + "[" * 100_000,
            "a is damaged in line 1: it is nested too deeply",
        ),
    ],
)
def test_damage_is_said_with_its_place(text: str, sentence: str) -> None:
    """One sentence that names the artefact and the line, and what to do."""
    with pytest.raises(BadInput) as told:
        read_cluster("a", text.encode())

    assert told.value.message.startswith(sentence)
    assert "kubectl get" in told.value.remedy


def test_many_aliases_are_refused() -> None:
    """Nine lists of nine lists, nine times over: a small file that would be a large one."""
    bomb = "apiVersion: v1\nkind: Pod\na0: &a0 [x]\n"
    for level in range(1, 9):
        inside = ", ".join([f"*a{level - 1}"] * 9)
        bomb += f"a{level}: &a{level} [{inside}]\n"

    with pytest.raises(BadInput, match="a has 72 YAML aliases in one document"):
        read_cluster("a", bomb.encode())


def test_an_alias_of_itself_ends() -> None:
    """A list that holds itself is no endless list of pods."""
    text = "apiVersion: v1\nkind: List\nitems: &a\n- *a\n" + "- kind: Pod\n  metadata: {name: p}\n"

    assert ["p"] == sorted({pod.name for pod in read_cluster("a", text.encode()).pods})


VLLM_LOG = """\
INFO 03-02 09:01:15 [api_server.py:1000] vLLM API server version 0.30.0
INFO 03-02 09:01:15 [utils.py:200] non-default args: {'model': '/models/m', 'kind': 'Pod'}
{"not": "ours"
(EngineCore pid=7) INFO 03-02 09:01:20 [core.py:80] Initializing a V1 LLM engine
"""
VLLM_JSON_LOG = "".join(
    json.dumps({"level": "INFO", "message": text, "process": 1, "kubernetes": {"pod": "vllm-0"}})
    + "\n"
    for text in VLLM_LOG.splitlines()
)
DOCKER_LOG = json.dumps({"log": json.dumps(POD) + "\n", "stream": "stdout", "time": "x"}) + "\n"
AUDIT_LOG = json.dumps({"kind": "Event", "apiVersion": "audit.k8s.io/v1", "verb": "get"}) + "\n"


@pytest.mark.parametrize("text", [VLLM_LOG, VLLM_JSON_LOG, DOCKER_LOG, AUDIT_LOG, "", "{\n", "[]"])
def test_what_is_no_cluster(text: str) -> None:
    """An engine's log in any envelope, and an audit log, which has an Event of its own."""
    assert not looks_like_cluster(text.encode())
    assert read_cluster("a", text.encode()).is_empty


def test_a_head_is_enough() -> None:
    """The first 64 KiB of a list end in the middle of it, in either language."""
    large = {
        "apiVersion": "v1",
        "items": [pod(f"p-{n}", uid="") for n in range(200)],
        "kind": "List",
    }

    for text in (json.dumps(large, indent=4), as_yaml(large)):
        assert len(text) > 64 * 1024
        assert looks_like_cluster(text.encode()[: 64 * 1024])


@pytest.mark.parametrize(
    ("conditions", "pods", "claims", "nodes"),
    [
        (["PodReadyToStartContainers", "Initialized", "Ready"], 1, 0, 0),
        (["Initialized", "Launched", "Registered"], 0, 1, 0),
        (["MemoryPressure", "Ready"], 0, 0, 1),
        (["Available", "Progressing"], 0, 0, 0),
    ],
)
def test_a_part_is_known_by_its_conditions(
    conditions: list[str], pods: int, claims: int, nodes: int
) -> None:
    """A status, or only its conditions, cut out with jq or jsonpath: without a name."""
    entries = [
        {"type": type_, "status": "True", "lastTransitionTime": stamp("09:00:00")}
        for type_ in conditions
    ]
    parts = ({"status": {"conditions": entries}}, {"conditions": entries}, entries)
    for text in [*map(json.dumps, parts), as_yaml(parts[0]), as_yaml(parts[1])]:
        cluster = read_cluster("a", text.encode())
        parts_read = (cluster.pods, cluster.node_claims, cluster.nodes)
        names = [each.name for some in parts_read for each in some]

        assert [pods, claims, nodes] == [len(some) for some in parts_read]
        assert [""] * len(names) == names
        assert bool(names) == looks_like_cluster(text.encode())


def test_what_was_applied_is_not_what_is_there() -> None:
    """kubectl keeps it as JSON in an annotation, on a line of its own in YAML."""
    applied = json.dumps({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "x"}})
    text = as_yaml(POD).replace(
        "metadata:\n", f"metadata:\n  annotations:\n    last-applied: |\n      {applied}\n"
    )
    cluster = read_cluster("a", text.encode())

    assert (1, 0) == (len(cluster.pods), len(cluster.workloads))


def test_a_table_inside_an_object_is_its_own() -> None:
    """A ConfigMap that somebody keeps a table in."""
    table = "TIME REASON MESSAGE\n2026-03-02T09:00:30Z   Pulling   Pulling image"
    text = f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\ndata:\n  table: |\n    {table}"

    assert not read_cluster("a", table.encode()).is_empty
    assert read_cluster("a", text.replace("\n2026", "\n    2026").encode()).is_empty


def test_text_beside_objects_is_read_too() -> None:
    """A pod as JSON and its events as kubectl prints them, in one file."""
    table = (
        "TIME                   REASON     MESSAGE\n"
        '2026-03-02T09:00:30Z   Pulling    Pulling image "example.org/vllm:v1"\n'
    )
    cluster = read_cluster("a", (json.dumps(POD, indent=1) + "\n" + table).encode())
    (pulling,) = cluster.events

    assert ("vllm-0", "Pulling") == (cluster.pods[0].name, pulling.reason)
    assert len(json.dumps(POD, indent=1).splitlines()) + 2 == pulling.evidence.line
