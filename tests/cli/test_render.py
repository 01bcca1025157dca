"""`firstlight render` as a process: what goes in, what comes out, and what kubectl makes of it."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from firstlight.readers.marked_yaml import marked_documents
from tests.cli.console import firstlight, said
from tests.cli.rendering import by_name, kubectl, objects, rendered

pytestmark = pytest.mark.timeout(60)

VLLM = """\
# ours
apiVersion: apps/v1
kind: Deployment
metadata:
  name: vllm
  namespace: serving
spec:
  selector: {matchLabels: {app: vllm}}
  template:
    metadata: {labels: {app: vllm}}
    spec:
      containers:
      - name: proxy
        image: proxy:1
      - name: engine
        image: vllm/vllm-openai:v0.26.0
        args: [--model=/models/gemma, --port, "8000"]
        resources: {limits: {nvidia.com/gpu: 1}}
        volumeMounts:
        - {name: model, mountPath: /models}
      volumes:
      - name: model
        persistentVolumeClaim: {claimName: model}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: model, namespace: serving}
spec: {accessModes: [ReadOnlyMany], resources: {requests: {storage: 1Gi}}, volumeName: model.pv}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: model.pv}
spec:
  accessModes: [ReadOnlyMany]
  capacity: {storage: 1Gi}
  csi: {driver: s3.csi.aws.com, volumeHandle: m, volumeAttributes: {bucketName: models}}
"""
STREAM = ("--technique", "stream-weights")
CACHE = ("--technique", "compile-cache-local")
WARM_POOL = ("--set", "nodepool=gpu", "--set", "cpu=4", "--set", "memory=8Gi")


@pytest.fixture
def vllm(tmp_path: Path) -> Path:
    path = tmp_path / "vllm.yaml"
    path.write_text(VLLM)
    return path


def test_help_has_examples() -> None:
    """Of every way to give manifests."""
    text = firstlight("render", "--help").stdout.decode()

    assert "helm template vllm ./chart | firstlight render -" in text
    assert "firstlight render intent.yaml --step 2 | kubectl apply -f -" in text


def test_a_patch_in_a_few_lines(vllm: Path) -> None:
    """It says the object, the file and the command; what was assumed stands on both outputs."""
    done = firstlight("render", vllm, *STREAM)

    text = done.stdout.decode()
    assert f"# deployment/vllm in {vllm}\n" in text
    assert "#   kubectl patch deployment vllm -n serving --type json --patch-file FILE\n" in text
    assert "# remove persistentvolume/model.pv: kubectl delete persistentvolume model.pv" in text
    assert "value: --model=s3://models/gemma" in text
    assert "#   assumed: " in text
    assert "assumed: " in said(done)
    (patch,) = marked_documents("patch", done.stdout)
    assert {"op": "test", "path": "/spec/template/spec/containers/1/name", "value": "engine"} in (
        patch.value
    )


def test_kubectl_applies_the_patch(vllm: Path, tmp_path: Path, kubectl_binary: Path) -> None:
    """The output is the patch file; the patched object is the one of `--output objects`."""
    patch = tmp_path / "patch.yaml"
    patch.write_text(rendered(vllm, *STREAM))
    one = tmp_path / "one.yaml"
    one.write_text(VLLM.split("---", maxsplit=1)[0])
    options = ("--local", "-f", one, "--type", "json", "--patch-file", patch, "-o", "json")

    patched = json.loads(kubectl(kubectl_binary, "patch", *options))

    whole = by_name(objects(rendered(vllm, *STREAM, "--output", "objects")))
    assert whole["Deployment", "vllm"] == patched


def patched_by(kubectl: Path, patch: str, folder: Path) -> "subprocess.CompletedProcess[bytes]":
    """What `kubectl patch` makes of the Deployment."""
    one = folder / "one.yaml"
    one.write_text(VLLM.split("---", maxsplit=1)[0])
    options = ("--local", "-f", one, "--type", "json", "--patch-file", "/dev/stdin", "-o", "json")
    command = (kubectl, "patch", *options)
    return subprocess.run(command, input=patch.encode(), capture_output=True, check=False)


def test_several_techniques_on_one_object_are_one_patch(
    vllm: Path, tmp_path: Path, kubectl_binary: Path
) -> None:
    """In a pipe all of them arrive, and not the first one's alone."""
    several = (*STREAM, *CACHE, "--technique", "bytecode-cache")

    done = patched_by(kubectl_binary, rendered(vllm, *several), tmp_path)

    whole = by_name(objects(rendered(vllm, *several, "--output", "objects")))
    assert whole["Deployment", "vllm"] == json.loads(done.stdout)
    assert b"runai_streamer" in done.stdout
    assert b"PYTHONPYCACHEPREFIX" in done.stdout


@pytest.mark.parametrize("before", [(), CACHE])
def test_kubectl_takes_nothing_of_what_is_more_than_a_patch(
    before: tuple[str, ...], vllm: Path, tmp_path: Path, kubectl_binary: Path
) -> None:
    """Neither as a patch nor as objects; both outputs say what does it."""
    done = firstlight("render", vllm, *before, "--technique", "warm-pool", *WARM_POOL)
    text = done.stdout.decode()

    patch = patched_by(kubectl_binary, text, tmp_path)
    apply = subprocess.run(
        (kubectl_binary, "apply", "--dry-run=client", "--validate=false", "-f", "-"),
        input=done.stdout,
        capture_output=True,
        check=False,
    )

    assert (1, b"", 1, b"") == (patch.returncode, patch.stdout, apply.returncode, apply.stdout)
    for said_there in (text, said(done)):
        assert "NOT a patch for kubectl" in said_there
        assert "--output objects | kubectl apply -f -" in said_there


def test_a_patch_that_leaves_objects_says_so(vllm: Path) -> None:
    """In a pipe the comments go to kubectl."""
    done = firstlight("render", vllm, *STREAM)

    assert "remove persistentvolume/model.pv: kubectl delete persistentvolume model.pv" in said(
        done
    )


@pytest.mark.parametrize(
    ("given", "into"), [("src", "src"), ("src", "src/k"), ("k/base", "k"), ("src/vllm.yaml", "src")]
)
def test_a_kustomization_is_not_written_among_what_is_read(
    given: str, into: str, tmp_path: Path
) -> None:
    """The second run would take the first one's output for the user's objects."""
    folder = tmp_path / (given if "." not in given else "src")
    folder.mkdir(parents=True)
    (folder / "vllm.yaml").write_text(VLLM)

    done = firstlight("render", tmp_path / given, *CACHE, "--kustomize", tmp_path / into)

    assert 2 == done.returncode
    assert "which is read here" in said(done)
    assert ["vllm.yaml"] == [one.name for one in folder.iterdir()]


def test_kubectl_builds_the_kustomization(vllm: Path, tmp_path: Path, kubectl_binary: Path) -> None:
    """Object for object what `--output objects` prints, for two techniques on one another."""
    folder = tmp_path / "k"
    listed = rendered(vllm, *STREAM, *CACHE, "--kustomize", folder)

    assert str(folder / "components" / "stream-weights" / "kustomization.yaml") in listed
    built = objects(kubectl(kubectl_binary, "kustomize", folder))
    whole = objects(rendered(vllm, *STREAM, *CACHE, "--output", "objects"))
    assert by_name(whole) == by_name(built)
    assert [("Deployment", "vllm")] == list(by_name(whole))


def test_what_was_rendered_has_the_technique(vllm: Path) -> None:
    """Drawn on its own output there is nothing to change, and that is said."""
    whole = rendered(vllm, *CACHE, "--output", "objects").encode()

    again = rendered("-", *CACHE, stdin=whole)

    assert "nothing to change: the objects have it already" in again
    assert () == marked_documents("again", again.encode())


def test_a_folder_is_one_set(vllm: Path) -> None:
    """Other YAML in it is left out and said."""
    folder = vllm.parent
    claims = VLLM.split("---", 1)
    vllm.write_text(claims[0])
    (folder / "sub").mkdir()
    (folder / "sub" / "claims.yml").write_text(claims[1])
    (folder / "values.yaml").write_text("replicaCount: 1\n")
    (folder / ".git").mkdir()
    (folder / ".git" / "x.yaml").write_text("{{")
    (folder / "notes.txt").write_text("{{")

    text = rendered(folder, *STREAM)

    assert "values.yaml line 1 is left out: it has no apiVersion and no kind" in (
        text.replace("\n#  ", "")
    )
    assert "value: --model=s3://models/gemma" in text


def test_a_kustomization_is_built(vllm: Path, kubectl_binary: Path) -> None:
    """By the kubectl that is on the path."""
    (vllm.parent / "kustomization.yaml").write_text("resources: [vllm.yaml]\nnamePrefix: my-\n")

    done = firstlight(
        *("render", vllm.parent, *CACHE),
        env={"PATH": f"{kubectl_binary.parent}:{os.environ['PATH']}"},
    )

    assert f"# deployment/my-vllm in {vllm.parent} as built" in done.stdout.decode()


def test_json_says_everything(vllm: Path) -> None:
    """For machines: patches by object, what comes and goes, what to know first."""
    document = json.loads(rendered(vllm, *STREAM, *CACHE, "--output", "json"))

    assert "firstlight.render/1" == document["schema"]
    first, second = document["techniques"]
    assert ("stream-weights", "compile-cache-local") == (first["technique"], second["technique"])
    assert {
        "group": "apps",
        "kind": "Deployment",
        "namespace": "serving",
        "name": "vllm",
    } == first["patches"][0]["target"]
    assert ["PersistentVolumeClaim", "PersistentVolume"] == [
        one["kind"] for one in first["removed"]
    ]
    assert first["assumptions"]
    assert second["prerequisites"]
    assert {"says", "remedy"} == first["risks"][0].keys()
    assert 1 == len(document["objects"])


def test_every_technique_is_listed() -> None:
    """With what was decided about it."""
    text = rendered("--list")
    listed = json.loads(rendered("--list", "--output", "json"))["techniques"]

    decisions = {one["technique"]: one["decision"] for one in listed}
    assert ("excluded", "recommended") == (decisions["soci-lazy"], decisions["stream-weights"])
    for one in listed:
        assert one["technique"] in text


def test_nothing_of_somebody_elses_is_replaced(vllm: Path, tmp_path: Path) -> None:
    """Nor is anything written then; what we wrote is written again, and what is left is said."""
    folder = tmp_path / "k"
    rendered(vllm, *STREAM, *CACHE, "--kustomize", folder)
    again = firstlight("render", vllm, *CACHE, "--kustomize", folder)
    assert "left from an earlier rendering" in said(again)
    assert "stream-weights" in said(again)
    theirs = folder / "base" / "deployment-vllm.yaml"
    theirs.write_text("a: mine now\n")
    before = (folder / "kustomization.yaml").read_text()

    done = firstlight("render", vllm, *STREAM, "--kustomize", folder)

    assert 2 == done.returncode
    assert f"{theirs} was not written by firstlight, and is not replaced" in said(done)
    assert before == (folder / "kustomization.yaml").read_text()


@pytest.mark.parametrize(
    ("text", "words", "remedy"),
    [
        ("a: [", "line 1", "put that line right"),
        (VLLM.replace("image: proxy:1", "image: {{ .Values.x }}"), "line 14", "helm template"),
        ("replicaCount: 1\n", "no Kubernetes object in line 1", "kubectl apply -f"),
        ("- a\n", "it is a list", "kubectl apply -f"),
        ("resources: [a.yaml]\n", "it is a kustomization", "give the folder"),
        ("", "holds no Kubernetes object", "kubectl apply -f"),
        (f"{VLLM}---\n{VLLM}", "Deployment/vllm is there twice", "give each object once"),
        ("#" * (17 << 20), "over 16 MiB", "one workload"),
    ],
)
def test_bad_input_is_one_sentence(text: str, words: str, remedy: str) -> None:
    """With the line, and what to do; exit 2, nothing on standard output."""
    done = firstlight("render", "-", *CACHE, stdin=text.encode())

    lines = said(done).splitlines()
    assert (2, b"") == (done.returncode, done.stdout)
    assert 2 == len(lines)
    assert words in lines[0]
    assert remedy in lines[1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "no technique was named"),
        (["--technique", "stream-weight"], "did you mean stream-weights?"),
        ([*CACHE, "--set", "cache_hostpath=/x"], "has no parameter cache_hostpath"),
        ([*CACHE, "--set", "cache_dir"], "is no NAME=VALUE"),
        ([*CACHE, "--target", "deployment/none"], "there is no deployment/none"),
        ([*CACHE, "--target", "vllm"], "does not say what it is"),
        ([*CACHE, "--step", "1"], "is no intent, and --step is for one"),
        ([*CACHE, "--records", "x"], "is no intent, and --records is for one"),
        ([*CACHE, "--output", "component"], "'component' is not one of"),
        ([*CACHE, "-n", "serving"], "--namespace is for a workload in a cluster"),
        ([*CACHE, "--context", "x"], "--context is for a workload in a cluster"),
        (["--list"], "--list takes only --output json"),
        (["--technique", "weight-daemon"], "weight-daemon"),
        ([*STREAM, "--technique", "fuse-mount"], "stream-weights and fuse-mount exclude each"),
        ([*CACHE, "--output", "json", "--kustomize", "x"], "--kustomize writes files"),
    ],
)
def test_wrong_usage_is_two(vllm: Path, arguments: list[str], words: str) -> None:
    """And says what would be right."""
    done = firstlight("render", vllm, *arguments)

    assert 2 == done.returncode
    assert words in said(done)
    assert b"" == done.stdout


def test_a_target_in_kubectls_words(vllm: Path) -> None:
    """Of two workloads that run vLLM one has to be named."""
    other = VLLM.split("---", maxsplit=1)[0].replace("name: vllm\n", "name: second\n")
    vllm.write_text(f"{VLLM}---\n{other}")

    refused = firstlight("render", vllm, *CACHE)

    assert 2 == refused.returncode
    assert "# deployment/second in" in rendered(vllm, *CACHE, "--target", "deploy/second")


def test_of_two_with_one_name_the_namespace_chooses(vllm: Path) -> None:
    """None is taken in silence, and what the refusal proposes is what works."""
    other = VLLM.split("---", maxsplit=1)[0].replace("namespace: serving", "namespace: lab")
    vllm.write_text(f"{VLLM}---\n{other}")

    refused = firstlight("render", vllm, *CACHE, "--target", "deployment/vllm")
    chosen = rendered(vllm, *CACHE, "--target", "deployment/vllm", "-n", "lab")

    assert 2 == refused.returncode
    assert "say which one: --target deployment/vllm -n serving" in said(refused)
    assert "kubectl patch deployment vllm -n lab " in chosen


def test_techniques_that_exclude_each_other_name_the_line(vllm: Path) -> None:
    """Where the one that is there can be seen."""
    vllm.write_text(rendered(vllm, *STREAM, "--output", "objects"))
    lines = vllm.read_text().splitlines()

    done = firstlight("render", vllm, "--technique", "fuse-mount")

    at = 1 + lines.index("        - --load-format")
    assert 2 == done.returncode
    assert f"stream-weights is there ({vllm} line {at}), and the two exclude" in said(done)


def test_a_file_that_is_not_there() -> None:
    """Also a workload that no cluster is known for is no file."""
    done = firstlight("render", "nowhere.yaml", *CACHE)

    assert 2 == done.returncode
    assert "nowhere.yaml does not exist" in said(done)
