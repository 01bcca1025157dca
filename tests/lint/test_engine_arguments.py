"""Arguments from several places: which one counts, and where it stands."""

import pytest

from firstlight.lint.engine import Known
from firstlight.lint.scene import scene
from tests.lint.judging import objects_of
from tests.lint.rules.engines import engine, written

SHARE = "--gpu-memory-utilization"
EXTRA = {"EXTRA_ARGS": f"{SHARE}=0.5"}
CONTAINER = "/spec/template/spec/containers/0"


def argument(text: str, name: str = SHARE) -> tuple[Known, str | None, str]:
    """What is known of an argument of the one engine."""
    (one,) = scene(objects_of(text)).engines
    found = one.argument(name)
    return found.known, found.value, found.pointer.removeprefix(CONTAINER)


@pytest.mark.parametrize(
    ("args", "value", "pointer"),
    [
        (("$(EXTRA_ARGS)", f"{SHARE}=0.9"), "0.9", "/args/2"),
        ((f"{SHARE}=0.9", "$(EXTRA_ARGS)"), "0.5", "/env/0"),
        (("$(EXTRA_ARGS)",), "0.5", "/env/0"),
        (("$(EXTRA_ARGS)", "$(MORE_ARGS)"), "0.7", "/env/1"),
        (("$(MORE_ARGS)", "$(EXTRA_ARGS)"), "0.5", "/env/0"),
    ],
)
def test_the_last_one_counts_wherever_it_is_written(
    args: tuple[str, ...], value: str, pointer: str
) -> None:
    """What a variable holds stands where the variable does."""
    env = {**EXTRA, "MORE_ARGS": f"{SHARE}=0.7"}
    assert (Known.GIVEN, value, pointer) == argument(engine(*args, env=env))


@pytest.mark.parametrize(
    ("args", "known"),
    [
        (("$(OFF_ARGS)", "--enforce-eager"), Known.GIVEN),
        (("--enforce-eager", "$(OFF_ARGS)"), Known.ABSENT),
    ],
)
def test_a_flag_is_undone_only_by_what_comes_after(args: tuple[str, ...], known: Known) -> None:
    """As argparse takes it."""
    text = engine(*args, env={"OFF_ARGS": "--no-enforce-eager"})
    assert known is argument(text, "--enforce-eager")[0]


def test_a_variable_of_a_config_map_stands_where_it_is_used() -> None:
    """The engine's object has no other place for it."""
    source = {"envFrom": [{"configMapRef": {"name": "settings"}}]}
    settings = written("ConfigMap", "settings", data=EXTRA)
    text = engine(f"{SHARE}=0.9", "$(EXTRA_ARGS)", container=source)
    assert (Known.GIVEN, "0.5", "/args/2") == argument(f"{settings}\n---\n{text}")


def test_a_file_is_weaker_and_stands_at_its_option() -> None:
    """Wherever `--config` is."""
    volumes = {"/etc/vllm": {"configMap": {"name": "settings"}}}
    data = {"vllm.yaml": "gpu-memory-utilization: 0.5"}
    settings = written("ConfigMap", "settings", data=data)
    config = ("--config", "/etc/vllm/vllm.yaml")
    only = engine(*config, volumes=volumes)
    both = engine(f"{SHARE}=0.9", *config, volumes=volumes)
    assert (Known.GIVEN, "0.5", "/args/1") == argument(f"{settings}\n---\n{only}")
    assert (Known.GIVEN, "0.9", "/args/1") == argument(f"{settings}\n---\n{both}")


def test_arguments_of_a_script_stand_where_they_are_given() -> None:
    """Behind the script and its name."""
    shell = {
        "command": ["/bin/sh", "-c", 'exec vllm serve s3://m/a --enforce-eager "$@"', "sh"],
        "args": [f"{SHARE}=0.5"],
    }
    assert (Known.GIVEN, "0.5", "/args/0") == argument(engine(container=shell))
