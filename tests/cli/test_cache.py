"""`firstlight cache`: what people type, and what they read."""

import json
import os
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.console import firstlight, said

pytestmark = pytest.mark.timeout(20)

FACTORS = {"vllm": "0.32.0", "model": "/m", "arguments": {"--max-num-seqs": "8"}}
Run = Callable[..., subprocess.CompletedProcess[bytes]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """The command, with keys in a folder of its own."""

    def call(*words: str | Path) -> subprocess.CompletedProcess[bytes]:
        return firstlight("cache", *words, env={"XDG_CONFIG_HOME": str(tmp_path / "config")})

    return call


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A cache below one folder."""
    place = tmp_path / "root" / "vllm" / "torch_compile_cache" / "model"
    place.parent.mkdir(parents=True)
    place.write_bytes(b"graph" * 100)
    return tmp_path / "root"


@pytest.fixture
def factors(tmp_path: Path) -> Path:
    """What it is for."""
    file = tmp_path / "factors.json"
    file.write_text(json.dumps(FACTORS))
    return file


@pytest.fixture
def store(run: Run, root: Path, factors: Path, tmp_path: Path) -> str:
    """With one cache."""
    url = f"file://{tmp_path}/store"
    done = run("push", root, "--to", url, "--factors", factors)
    assert 0 == done.returncode, said(done)
    return url


def told(done: subprocess.CompletedProcess[bytes]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_variables_bring_all_caches_below_one_folder(run: Run, tmp_path: Path) -> None:
    """As a shell takes them, and `where` finds them there."""
    shell = run("env", tmp_path / "a b")
    variables = told(run("env", tmp_path / "a b", "--format", "json"))

    script = f'{shell.stdout.decode()}\nprintf %s "$VLLM_CACHE_ROOT"'
    taken = subprocess.run(["/bin/sh", "-c", script], capture_output=True, check=True)
    assert f"{tmp_path}/a b/vllm" == taken.stdout.decode() == variables["VLLM_CACHE_ROOT"]
    where = firstlight("cache", "where", "--output", "json", env=variables)
    folders = {one["kind"]: one["folder"] for one in told(where)["caches"]}
    assert f"{tmp_path}/a b/torchinductor" == folders["torchinductor"]
    assert f"{tmp_path}/a b/flashinfer/.cache/flashinfer" == folders["flashinfer"]


def test_it_goes_there_and_back(run: Run, store: str, factors: Path, tmp_path: Path) -> None:
    """Signed by a key that was made for this user, who believes it."""
    into = tmp_path / "into" / "engine"
    done = run("pull", "--from", store, "--into", into, "--expect", factors, "--output", "json")

    assert 0 == done.returncode, said(done)
    assert told(done)["pulled"]
    assert b"graph" * 100 == (into / "vllm" / "torch_compile_cache" / "model").read_bytes()
    key = tmp_path / "config" / "firstlight" / "cache-keys" / "private.key"
    assert 0o600 == stat.S_IMODE(key.stat().st_mode)
    (listed,) = told(run("list", "--from", store, "--output", "json"))["caches"]
    assert (told(done)["key"], told(done)["signed_by"]) == (listed["key"], listed["signed_by"])


def test_what_does_not_fit_ends_well_and_says_why(run: Run, store: str, tmp_path: Path) -> None:
    """The engine starts; whoever cannot do without says so."""
    other = tmp_path / "other.json"
    other.write_text(json.dumps({**FACTORS, "model": "s3://bucket/m"}))
    words = ("pull", "--from", store, "--into", tmp_path / "into" / "engine", "--expect", other)

    done, required = run(*words), run(*words, "--require")

    assert (0, 2) == (done.returncode, required.returncode)
    assert "model is s3://bucket/m here and /m in the cache" in said(done)
    assert "; the engine starts without it\n" in said(done)
    assert "the engine starts" not in said(required)
    assert not (tmp_path / "into").exists()


@pytest.mark.parametrize("url", ["s3://", "gs://b/p", "file://host/x", "nonsense", "file:relative"])
def test_what_is_no_store_is_said(run: Run, factors: Path, tmp_path: Path, url: str) -> None:
    """In one sentence, with what is."""
    run("key", "--public")

    done = run("pull", "--from", url, "--into", tmp_path / "x" / "e", "--expect", factors)

    assert 0 == done.returncode
    assert 1 == said(done).count("firstlight: ")
    assert "is no place for a cache" in said(done) or "names no folder" in said(done)


def test_an_empty_command_is_said(run: Run, tmp_path: Path) -> None:
    """And no fault of ours."""
    done = run("push", tmp_path, "--to", f"file://{tmp_path}/s", "--engine", " ")

    assert 2 == done.returncode
    assert "--engine is empty" in said(done)


@pytest.mark.parametrize("words", ["push", "pull", "key"])
def test_a_program_that_is_not_there_is_said(
    run: Run, root: Path, tmp_path: Path, words: str
) -> None:
    """Not that nothing was said of the engine: it was."""
    asked = {
        "push": ("push", root, "--to", f"file://{tmp_path}/s"),
        "pull": ("pull", "--from", f"file://{tmp_path}/s", "--into", tmp_path / "e", "--require"),
        "key": ("key",),
    }
    run("key", "--public")

    done = run(*asked[words], "--engine", "/nowhere/vllm serve a")

    assert 2 == done.returncode
    assert "/nowhere/vllm was not found on PATH" in said(done)


def test_a_file_that_says_the_version_is_enough_without_the_program(
    run: Run, factors: Path
) -> None:
    """As in a container that has no engine."""
    done = run("key", "--engine", "/nowhere/vllm serve /m --max-num-seqs 8", "--factors", factors)

    assert 0 == done.returncode, said(done)
    assert FACTORS.items() <= told(done).items()


def test_a_command_and_a_file_that_do_not_agree_are_refused(
    run: Run, store: str, root: Path, factors: Path, tmp_path: Path
) -> None:
    """With both values; none of the two is taken silently. A variable is as a file."""
    other = ("--engine", "/nowhere/vllm serve /other --max-num-seqs 8")
    words = ("pull", "--from", store, "--into", tmp_path / "into" / "e", "--require", *other)

    asked = [
        run("push", root, "--to", f"{store}-2", *other, "--factors", factors),
        run("key", *other, "--factors", factors),
        run(*words, "--expect", factors),
        firstlight(
            "cache",
            *words,
            env={
                "XDG_CONFIG_HOME": str(tmp_path / "config"),
                "FIRSTLIGHT_CACHE_EXPECT": json.dumps(FACTORS),
            },
        ),
    ]

    for done, file in zip(asked, [factors] * 3 + ["FIRSTLIGHT_CACHE_EXPECT"], strict=True):
        assert 2 == done.returncode
        expected = f"--engine and {file} do not say the same: model is /other and /m"
        assert expected in " ".join(said(done).split())


def test_a_variable_that_only_one_of_them_has_is_named(run: Run, tmp_path: Path) -> None:
    """It decides as much as an argument does."""
    file = tmp_path / "f.json"
    file.write_text(
        json.dumps({**FACTORS, "environment": {"VLLM_ATTENTION_BACKEND": "FLASHINFER"}})
    )

    done = run("key", "--engine", "vllm serve /m --max-num-seqs 8", "--factors", file)

    assert 2 == done.returncode
    assert "environment VLLM_ATTENTION_BACKEND is not there and FLASHINFER" in said(done)


def test_a_kind_that_there_is_not_is_said(run: Run, factors: Path, tmp_path: Path) -> None:
    """With those that there are; and a folder of none of them is no cache of vLLM."""
    words = ("--to", f"file://{tmp_path}/s", "--factors", factors)

    unknown, none = run("push", f"inductor={tmp_path}", *words), run("push", tmp_path, *words)

    assert (2, 2) == (unknown.returncode, none.returncode)
    assert "inductor is no kind of cache" in said(unknown)
    assert "kinds are vllm, torchinductor, triton, " in said(unknown)
    assert "holds no folder of a kind of cache (vllm, torchinductor, " in said(none)
    assert f"vllm={tmp_path}" not in said(none)
    assert not (tmp_path / "s").exists()


def test_a_stranger_is_not_believed(run: Run, store: str, factors: Path, tmp_path: Path) -> None:
    """Another user, with a key of their own; who says --trust believes."""
    stranger = {"XDG_CONFIG_HOME": str(tmp_path / "stranger")}
    public = run("key", "--public").stdout.decode().strip()
    words = ("pull", "--from", store, "--expect", factors, "--require", "--into")

    alone = firstlight("cache", *words, tmp_path / "1" / "e", env=stranger)
    own = firstlight("cache", "key", "--public", env=stranger)
    with_own = firstlight("cache", *words, tmp_path / "2" / "e", env=stranger)
    trusting = firstlight("cache", *words, tmp_path / "3" / "e", "--trust", public, env=stranger)

    assert "nobody is trusted here" in said(alone)
    assert 0 == own.returncode
    assert "not signed by anybody who is trusted" in said(with_own)
    assert 0 == trusting.returncode, said(trusting)


def test_what_nobody_signed_is_taken_only_when_told(
    run: Run, root: Path, factors: Path, tmp_path: Path
) -> None:
    """In as many words."""
    url = f"file://{tmp_path}/unsigned"
    assert 0 == run("push", root, "--to", url, "--factors", factors, "--unsigned").returncode
    run("key", "--public")
    words = ("pull", "--from", url, "--expect", factors, "--require", "--into")

    refused = run(*words, tmp_path / "1" / "e")
    taken = run(*words, tmp_path / "2" / "e", "--trust-unsigned")

    assert "is not signed" in said(refused)
    assert 0 == taken.returncode, said(taken)


def test_a_key_that_others_may_read_is_refused(
    run: Run, store: str, root: Path, factors: Path, tmp_path: Path
) -> None:
    """It is no secret any more."""
    key = tmp_path / "config" / "firstlight" / "cache-keys" / "private.key"
    key.chmod(0o644)

    done = run("push", root, "--to", f"{store}-2", "--factors", factors)

    assert 2 == done.returncode
    assert "others may read or write it" in said(done)


def test_a_target_that_anybody_may_write_is_refused(
    run: Run, store: str, factors: Path, tmp_path: Path
) -> None:
    """And a link; a mount point is told to be named with a folder in it."""
    words = ("pull", "--from", store, "--expect", factors, "--into")
    open_ = tmp_path / "open"
    open_.mkdir()
    open_.chmod(0o777)
    (tmp_path / "link").symlink_to(tmp_path)

    assert "can be written by anybody" in said(run(*words, open_ / "engine"))
    assert "is a link" in said(run(*words, tmp_path / "link"))
    assert "is a mount point" in said(run(*words, "/dev/shm"))


def test_what_is_too_large_is_refused(run: Run, store: str, factors: Path, tmp_path: Path) -> None:
    """Before a byte of it is fetched."""
    into = tmp_path / "into" / "engine"
    done = run(
        *("pull", "--from", store, "--into", into, "--expect", factors, "--max-bytes", "499")
    )

    assert "has 500 bytes, and --max-bytes allows 499" in said(done)
    assert not into.exists()


def test_nobody_publishes_what_is_not_known(run: Run, root: Path, tmp_path: Path) -> None:
    """A cache without a model would fit every engine."""
    (tmp_path / "f.json").write_text('{"vllm": "0.32.0"}')

    done = run("push", root, "--to", f"file://{tmp_path}/s", "--factors", tmp_path / "f.json")

    assert 2 == done.returncode
    assert "it is not known what this cache is for: model, arguments" in said(done)


def test_nobody_takes_what_fits_everything(run: Run, store: str, tmp_path: Path) -> None:
    """A file that says nothing of the engine."""
    (tmp_path / "f.json").write_text('{"python": "3.11"}')

    done = run(
        "pull", "--from", store, "--into", tmp_path / "a" / "e", "--expect", tmp_path / "f.json"
    )

    assert "it is not known for which engine: vllm or image, model, arguments" in said(done)
    assert not (tmp_path / "a").exists()


@pytest.mark.usefixtures("store")
def test_two_manifests_are_held_against_each_other(run: Run, tmp_path: Path) -> None:
    """The one on the store, and the file for another engine."""
    other = tmp_path / "other.json"
    other.write_text(json.dumps({**FACTORS, "arguments": {"--max-num-seqs": "16"}}))
    (manifest,) = (tmp_path / "store" / "manifests").iterdir()

    found = told(run("explain", manifest, other, "--output", "json"))

    (cause,) = found["causes"]
    assert cause["what"].startswith("--max-num-seqs is 8 in the cache")
    assert cause["what"].endswith("and 16 in other.json")


def test_a_full_disk_is_one_sentence(run: Run, store: str, factors: Path, tmp_path: Path) -> None:
    """Nothing is left there."""
    if os.geteuid():
        pytest.skip("only root mounts a small disk")
    small = tmp_path / "small"
    small.mkdir()
    subprocess.run(["/bin/mount", "-t", "tmpfs", "-o", "size=1m", "none", small], check=True)
    try:
        done = run("pull", "--from", store, "--into", small / "engine", "--expect", factors)
        left = list(small.iterdir())
    finally:
        subprocess.run(["/bin/umount", small], check=True)

    assert 0 == done.returncode
    assert "MiB of room" in said(done)
    assert [] == left


def deployment(name: str, model: str) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {
            "selector": {"matchLabels": {"app": name}},
            "template": {
                "metadata": {"labels": {"app": name}},
                "spec": {
                    "containers": [
                        {
                            "name": "engine",
                            "image": "vllm/vllm-openai:v0.32.0",
                            "args": ["--model", model, "--port", "8000", "--max-num-seqs=8"],
                            "env": [
                                {"name": "VLLM_LOGGING_LEVEL", "value": "DEBUG"},
                                {"name": "VLLM_ATTENTION_BACKEND", "value": "FLASHINFER"},
                            ],
                        }
                    ]
                },
            },
        },
    }


def test_a_workload_says_what_its_cache_must_be_for(run: Run, tmp_path: Path) -> None:
    """Without the machine; a port is no part of it, nor is what a Service sets."""
    file = tmp_path / "deployment.yaml"
    file.write_text(json.dumps(deployment("vllm", "m")))

    done = run("key", "--of", file)

    assert 0 == done.returncode, said(done)
    assert {
        "image": "docker.io/vllm/vllm-openai:v0.32.0",
        "model": "m",
        "arguments": {"--max-num-seqs": "8"},
        "environment": {"VLLM_ATTENTION_BACKEND": "FLASHINFER"},
    } == told(done)


def test_of_two_workloads_one_is_named(run: Run, tmp_path: Path) -> None:
    """As the sentence says that refuses to choose."""
    file = tmp_path / "two.yaml"
    both = {"kind": "List", "apiVersion": "v1"}
    file.write_text(json.dumps({**both, "items": [deployment("a", "m"), deployment("b", "n")]}))

    unclear, named = run("key", "--of", file), run("key", "--of", file, "--target", "deployment/b")

    assert 2 == unclear.returncode
    assert "--target deployment/" in said(unclear)
    assert 0 == named.returncode, said(named)
    assert "n" == told(named)["model"]


def test_a_file_adds_to_a_workload_and_does_not_gainsay_it(run: Run, tmp_path: Path) -> None:
    """What the objects do not say it may say."""
    file, factors = tmp_path / "deployment.yaml", tmp_path / "f.json"
    file.write_text(json.dumps(deployment("vllm", "m")))
    factors.write_text('{"vllm": "0.32.0"}')
    added = run("key", "--of", file, "--factors", factors)
    factors.write_text('{"model": "other"}')
    against = run("key", "--of", file, "--factors", factors)

    assert "0.32.0" == told(added)["vllm"]
    assert 2 == against.returncode
    assert "do not say the same: model is m and other" in " ".join(said(against).split())
