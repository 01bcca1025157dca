"""Every explained start says what must be alike before it is compared."""

from firstlight.core.fingerprints import Fingerprint
from firstlight.core.starts import Start
from firstlight.explain.round_fingerprint import round_fingerprint
from firstlight.explain.rounds import RoundArtefacts, explain_round
from tests.explain.telling import BANNER, ENGINE, FRONT, LOADS, line, log, one, whole

HOST = {
    "host": "ab12",
    "kernel": "6.1",
    "machine": "x86_64",
    "cpu_model": "EPYC",
    "cpu_count": 16,
    "cpus_allowed": 16,
    "cgroup_millicpus": 2500,
    "memory_bytes": 16 * 2**30 + 5_000_000,
    "nic_mbit_per_s": {"ens5": 25000, "ens6": 100},
    "accelerators": ["NVIDIA L4", "NVIDIA L4"],
    "nvidia_driver": "570.86.10",
    "tool_python": "3.11.7",
}
COMMAND = ("vllm", "serve", "m", "--port", "8000", "--enforce-eager")


def values(start: Start) -> dict[str, str]:
    return dict(start.fingerprint.values)


def test_a_log_tells_version_model_and_arguments() -> None:
    """Where it listens is no part of it; what it did with its cache is."""
    arguments = "non-default args: {'model': 'm', 'port': 81, 'api_key': ['one-two'], 'seed': 3}"
    start = one(*[w.replace("non-default args: {'model': 'm'}", arguments) for w in whole()])

    assert {
        "engine version": "0.13.0",
        "model": "m",
        "timed": "first_log_line to server_line",
        "argument:--api-key": "***",
        "argument:--seed": "3",
    } == values(start)
    assert start.fingerprint.knows("argument:")


def test_settings_count_only_where_no_arguments_are_told() -> None:
    """One change must not differ under two names."""
    lines = [w.replace("enforce_eager=False", "enforce_eager=False, x={}") for w in whole()]
    without = one(*[w for w in lines if "args" not in w])

    assert "False" == values(without)["setting:enforce_eager"]
    assert "m" == values(without)["model"]
    assert not without.fingerprint.knows("argument:")
    assert not one(*whole()).fingerprint.knows("setting:")


def test_a_folder_that_passes_is_no_name_of_a_model() -> None:
    """vLLM puts the configuration of a model from a bucket into one, another at each start."""
    config = "with config: model='/tmp/tmpab12cd34', enforce_eager=False"
    engine = ENGINE.partition(" with")[0]
    start = one(line(0, BANNER, by=FRONT), line(1, f"{engine} {config}"), line(2, LOADS))

    assert "model" not in values(start)


def test_a_log_of_two_engines_tells_nothing_of_one() -> None:
    """Their lines cannot be told apart, so neither can their arguments."""
    doubled = [w for w in whole() for _ in range(1 + (w in {whole()[5], whole()[6]}))]

    assert {} == values(one(*doubled))


def test_a_round_tells_its_host_command_and_variables() -> None:
    """The log adds the engine's version; of the arguments those of the command count."""
    told = {
        "host": HOST,
        "environment": {"VLLM_CACHE_ROOT": "/runs/a/round-01/cache", "HF_TOKEN": "hidden-1"},
        "conditions": {"page_cache": "dropped", "load_average": [0.1]},
    }
    known = round_fingerprint(COMMAND, told, probe=True, own_folders=["/runs/a"])
    start = explain_round(
        RoundArtefacts(
            log_name="engine.log",
            log=[log(*whole())],
            marks=(),
            record_name="round.json",
            offset_ns=0,
            fingerprint=known,
        )
    )

    expected = {
        "engine version": "0.13.0",
        "model": "m",
        "command": "vllm serve",
        "accelerator": "NVIDIA-L4",
        "accelerators": "2",
        "driver": "570.86.10",
        "kernel": "6.1",
        "architecture": "x86_64",
        "processor": "EPYC",
        "processors": "2.5 of 16",
        "memory": "16.0 GiB",
        "network": "100 Mbit/s and 25000 Mbit/s",
        "host": "ab12",
        "page cache": "dropped",
        "probe": "on",
        "timed": "first_log_line to server_line",
        "argument:--enforce-eager": "",
        "environment:HF_TOKEN": "***",
        "environment:VLLM_CACHE_ROOT": "RUN",
    }
    assert expected == values(start)
    assert list(expected) == list(values(start))


def test_two_rounds_of_two_runs_are_alike() -> None:
    """Ports and a run's own folders change no second, wherever they stand in a value."""

    def told(run: str, port: str) -> Fingerprint:
        return round_fingerprint(
            ("vllm", "serve", f"{run}/m", "--port", port, "--override", f'{{"at": "{run}/x"}}'),
            {"environment": {"VLLM_CACHE_ROOT": f"{run}/round-01/c"}, "host": HOST},
            own_folders=[run, f"{run}/round-01"],
        )

    assert {} == told("/runs/a", "8000").differences(told("/tmp/b", "8001"))
    found = told("/runs/a", "8000").values
    assert ("RUN/m", '{"at": "RUN"}') == (found["model"], found["argument:--override"])


def test_a_runs_folder_may_be_named_from_above() -> None:
    """People write paths from where they stand; one name alone may be anything's."""
    told = {
        "environment": {
            "VLLM_CACHE_ROOT": "./runs/a/cache:runs/a",
            "HF_HOME": "a/hf",
            "TORCH_HOME": "/other/runs/a/torch",
        }
    }

    found = round_fingerprint(COMMAND, told, own_folders=["/home/runs/a"])
    assert ("RUN:RUN", "a/hf", "/other/runs/a/torch") == tuple(
        found.values[f"environment:{name}"] for name in ("VLLM_CACHE_ROOT", "HF_HOME", "TORCH_HOME")
    )


def test_a_folder_that_only_begins_like_a_runs_own_is_another() -> None:
    """`/runs/a` does not hold `/runs/ab`."""
    told = {"environment": {"HF_HOME": "/runs/ab/hf"}}

    found = round_fingerprint(COMMAND, told, own_folders=["/runs/a"])
    assert "/runs/ab/hf" == found.values["environment:HF_HOME"]


def test_what_a_host_does_not_tell_is_absent() -> None:
    """Nothing is defaulted, and a page cache of which nothing is known is not named."""
    told = {"host": {"kernel": None, "accelerators": []}, "conditions": {"page_cache": "unknown"}}

    found = round_fingerprint(("./run.sh",), told)
    assert {"command": "./run.sh"} == found.values
    assert frozenset() == found.whole
