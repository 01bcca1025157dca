"""Arguments of the engine and its model, set and taken away."""

from typing import Any

import pytest

from firstlight.core.errors import BadInput
from firstlight.manifests.objects import ObjectSet
from tests.manifests.operating import change_of, done, on_engine
from tests.manifests.shapes import deployment, engine, objects

LOAD = {"do": "set-argument", "argument": "--load-format", "value": "x"}
LESS = {
    "do": "set-argument",
    "argument": "--gpu-memory-utilization",
    "value": "0.85",
    "at_most": True,
    "unless": ["--kv-cache-memory-bytes"],
}
SLEEP = {"do": "set-argument", "argument": "--enable-sleep-mode"}
NO_LOAD = {"do": "remove-argument", "argument": "--load-format"}
MODEL = {"do": "set-model", "value": "s3://b/m"}


@pytest.mark.parametrize(
    ("before", "operation", "after"),
    [
        (["m"], LOAD, ["m", "--load-format", "x"]),
        (["m", "--load-format", "y"], LOAD, ["m", "--load-format", "x"]),
        (["m", "--load-format=y"], LOAD, ["m", "--load-format=x"]),
        (["m", "--load_format=y"], LOAD, ["m", "--load_format=x"]),
        (["m", "--load-format=x"], LOAD, ["m", "--load-format=x"]),
        (
            ["--load-format=x", "--load-format", "z"],
            LOAD,
            ["--load-format=x", "--load-format", "x"],
        ),
        (["m"], SLEEP, ["m", "--enable-sleep-mode"]),
        (["--no-enable-sleep-mode", "m"], SLEEP, ["--enable-sleep-mode", "m"]),
        (["--enable-sleep-mode", "m"], SLEEP, ["--enable-sleep-mode", "m"]),
        (["m"], LESS, ["m", "--gpu-memory-utilization", "0.85"]),
        (["--gpu-memory-utilization=.9"], LESS, ["--gpu-memory-utilization=0.85"]),
        (["--gpu-memory-utilization", "0.5"], LESS, ["--gpu-memory-utilization", "0.5"]),
        (["--gpu-mem", "0.9"], LESS, ["--gpu-mem", "0.85"]),
        (["--kv_cache_memory_bytes", "1"], LESS, ["--kv_cache_memory_bytes", "1"]),
        (["a", "--load-format", "y", "--b", "--load_format=z"], NO_LOAD, ["a", "--b"]),
        (["a"], NO_LOAD, ["a"]),
        (["--model", "a"], MODEL, ["--model", "s3://b/m", "--served-model-name", "a"]),
        (["--model=a"], MODEL, ["--model=s3://b/m", "--served-model-name", "a"]),
        (["a", "--served-model-name", "n"], MODEL, ["s3://b/m", "--served-model-name", "n"]),
        (["s3://b/m"], MODEL, ["s3://b/m"]),
        (
            ["serve", "--port", "1", "a"],
            MODEL,
            ["serve", "s3://b/m", "--port", "1", "--served-model-name", "a"],
        ),
        (["--port", "1", "a"], MODEL, ["s3://b/m", "--port", "1", "--served-model-name", "a"]),
        (
            ["serve", "--model", "a", "--model", "b"],
            MODEL,
            ["serve", "--model", "s3://b/m", "--model", "b", "--served-model-name", "a"],
        ),
        (
            ["m", "--config=/etc/x.yaml"],
            LESS,
            ["m", "--config=/etc/x.yaml", "--gpu-memory-utilization", "0.85"],
        ),
    ],
)
def test_items_of_a_list(before: list[str], operation: dict[str, Any], after: list[str]) -> None:
    """Replaced where they stand, else put at the end; done twice is done once."""
    assert after == on_engine({"args": before}, operation)["args"]


@pytest.mark.parametrize(
    ("before", "operation", "after"),
    [
        ("vllm serve m", LOAD, "vllm serve m --load-format x"),
        ("vllm serve m; sleep 9", LOAD, "vllm serve m --load-format x; sleep 9"),
        ("vllm serve m --load-format 'y'", LOAD, "vllm serve m --load-format x"),
        ("vllm serve m --load-format=y # z", LOAD, "vllm serve m --load-format=x # z"),
        ("vllm serve m --load-format y -q a", NO_LOAD, "vllm serve m -q a"),
        ('vllm serve "$M"', MODEL, 'vllm serve s3://b/m --served-model-name "$M"'),
        ("vllm serve --model=$M", MODEL, "vllm serve --model=s3://b/m --served-model-name '$M'"),
        ("vllm serve m --gpu-memory-utilization 0.9", LESS, None),
    ],
)
def test_words_of_a_script(before: str, operation: dict[str, Any], after: str | None) -> None:
    """Only the words change."""
    after = after or before.replace("0.9", "0.85")

    assert after == on_engine({"command": ["sh", "-c", before]}, operation)["command"][2]


@pytest.mark.parametrize(
    ("container", "operation", "why"),
    [
        ({"command": ["sh", "-c", "vllm serve m $EXTRA_ARGS"]}, NO_LOAD, r"said by \$EXTRA_ARGS"),
        ({"command": ["sh", "-c", "vllm serve m $EXTRA_ARGS"]}, LESS, r"said by \$EXTRA_ARGS"),
        ({"args": ["m", "--config", "/etc/x.yaml"]}, NO_LOAD, r"said by the file /etc/x\.yaml"),
        ({"args": ["--config", "/etc/x.yaml"]}, MODEL, r"named by the file /etc/x\.yaml"),
        ({"args": ["--port", "1"]}, MODEL, "no model is named"),
        ({"args": ["m", "--gpu-memory-utilization", "$(U)"]}, LESS, r"is \$\(U\), and whether"),
        (
            {
                "command": ["sh", "-c", "vllm serve m $EXTRA_ARGS"],
                "env": [{"name": "EXTRA_ARGS", "value": "--load-format=y --seed 1"}],
            },
            LOAD,
            r"given in \$EXTRA_ARGS",
        ),
        (
            {"command": ["bash", "-c", 'vllm serve "$@"', "--", "m", "--load-format", "y"]},
            LOAD,
            r"given in \$@",
        ),
        (
            {"command": ["bash", "-c", "vllm serve $@", "--", "m", "--load-format y"]},
            LOAD,
            r"given in \$@",
        ),
        ({"command": ["bash", "-c", 'shift; vllm serve m "$@"', "--", "a"]}, LESS, r"said by \$@"),
        ({"command": ["bash", "-c", 'vllm serve m "$*"', "--", "a", "b"]}, LESS, r"said by \$\*"),
        ({"command": ["bash", "-c", 'vllm serve m "$@"', "--", "$(U)"]}, LESS, r"said by \$@"),
        (
            {"command": ["sh", "-c", "A=1; A+=' --seed 2'; vllm serve m $A"]},
            LESS,
            r"said by \$A",
        ),
        ({"args": ["--model", "a", "--model", "b"]}, MODEL, "two models are named"),
        (
            {"command": ["sh", "-c", "vllm serve m --load-format $LF_ARGS"]},
            LOAD,
            r"what --load-format is, is in \$LF_ARGS",
        ),
        (
            {
                "command": ["sh", "-c", "vllm serve m $(A)"],
                "env": [{"name": "A", "value": "; rm -r /"}],
            },
            LESS,
            r"said by \$\(A\)",
        ),
    ],
)
def test_what_may_be_said_elsewhere_is_refused(
    container: dict[str, Any], operation: dict[str, Any], why: str
) -> None:
    """With where that is, instead of a patch that does something else."""
    with pytest.raises(BadInput, match=why):
        change_of(objects(deployment(container)), operation)


def test_an_argument_behind_an_unknown_variable_wins_and_that_is_said() -> None:
    """The last one counts, whatever the variable holds."""
    on = objects(deployment({"command": ["sh", "-c", "vllm serve m $EXTRA_ARGS"]}))

    change = change_of(on, LOAD)

    assert "the last one counts" in change.assumptions[0]
    assert "vllm serve m $EXTRA_ARGS --load-format x" == engine(done(on, LOAD))["command"][2]


def test_what_a_variable_is_known_to_hold_is_taken_for_said() -> None:
    """Nothing to do, and nothing assumed."""
    env = [{"name": "EXTRA_ARGS", "value": "--load-format x"}]
    on = objects(deployment({"command": ["sh", "-c", "vllm serve m $EXTRA_ARGS"], "env": env}))

    assert change_of(on, LOAD).is_empty


FILE = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "c", "namespace": "ns"},
    "data": {"x.yaml": "load-format: y\ngpu-memory-utilization: 0.5\nmodel: m\n"},
}
WITH_FILE = deployment(
    {
        "args": ["m", "--config", "/etc/x.yaml"],
        "volumeMounts": [{"name": "c", "mountPath": "/etc"}],
    },
    volumes=[{"name": "c", "configMap": {"name": "c"}}],
)


def test_a_file_of_the_set_is_read_and_the_command_line_wins_over_it() -> None:
    """A bound that it keeps is kept; what it says otherwise is said on the command line."""
    on = objects(WITH_FILE, FILE)

    assert change_of(on, LESS).is_empty
    assert ["m", "--config", "/etc/x.yaml", "--load-format", "x"] == engine(done(on, LOAD))["args"]
    with pytest.raises(BadInput, match=r"is given in the file /etc/x\.yaml \(ConfigMap/c\)"):
        change_of(on, NO_LOAD)


def test_a_bound_that_is_no_number_is_refused() -> None:
    """Somebody gave it by hand."""
    with pytest.raises(BadInput, match="lots is no number"):
        change_of(objects(deployment({"args": ["m"]})), LESS | {"value": "lots"})


def with_extra(value: str, script: str) -> ObjectSet:
    env = [{"name": "EXTRA_ARGS", "value": value}]
    return objects(deployment({"command": ["sh", "-c", script], "env": env}))


@pytest.mark.parametrize(
    ("value", "script"),
    [
        ("--served-model-name Bob's --load-format x", "vllm serve m $EXTRA_ARGS"),
        ('--x "a b" --load-format x', "vllm serve m $EXTRA_ARGS"),
        ("--load-format\tx\n", "vllm serve m ${EXTRA_ARGS}"),
        ("--load-format 'x'", "vllm serve m $(EXTRA_ARGS)"),
    ],
)
def test_a_variable_is_cut_as_whoever_replaces_it_cuts_it(value: str, script: str) -> None:
    """A shell looks for no quotes in one; what Kubernetes puts in is a part of the script."""
    assert change_of(with_extra(value, script), LOAD).is_empty


def test_quotes_in_a_variable_are_part_of_the_value() -> None:
    """To a shell, they are letters."""
    with pytest.raises(BadInput, match=r"given in \$EXTRA_ARGS"):
        change_of(with_extra("--load-format 'x'", "vllm serve m $EXTRA_ARGS"), LOAD)


def test_a_variable_may_hold_another_one() -> None:
    """Of those before it, as Kubernetes does it."""
    env = [
        {"name": "R", "value": "x"},
        {"name": "F", "value": "$(R)"},
        {"name": "G", "value": "$$(R)"},
    ]
    for name, is_empty in (("F", True), ("G", False)):
        on = objects(deployment({"args": ["m", "--load-format", f"$({name})"], "env": env}))
        assert is_empty is change_of(on, LOAD).is_empty


@pytest.mark.parametrize(
    "data",
    [
        "load-format: &a [*a]",
        "load-format: !!binary aGk=",
        "a: &a [x, x]\n" + "".join(f"b{n}: &b{n} [*a, *a]\n" for n in range(9)) + "- x",
        "[" * 3000,
        "load-format: [",
        "- a list",
    ],
)
def test_a_file_that_is_no_plain_yaml_is_not_known(data: str) -> None:
    """Whatever somebody put into the ConfigMap, it is no crash."""
    file = FILE | {"data": {"x.yaml": data}}

    change = change_of(objects(WITH_FILE, file), LOAD)

    assert "the command line wins over it" in change.assumptions[0]


def test_a_date_in_a_file_is_its_text() -> None:
    """To vLLM each value is."""
    file = FILE | {"data": {"x.yaml": "load-format: 2024-01-01\nport: 1\nlora-modules: []\n"}}

    change = change_of(objects(WITH_FILE, file), LOAD)

    assert () == change.assumptions
