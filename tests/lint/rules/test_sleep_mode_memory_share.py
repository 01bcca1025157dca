"""Sleep mode and the share of the GPU's memory, in every spelling."""

import pytest

from tests.lint.rules.engines import engine, hits, says, written

CODE = "sleep-mode-memory-share"
SLEEP = "--enable-sleep-mode"


@pytest.mark.parametrize(
    "args",
    [
        (SLEEP,),
        (SLEEP, "--gpu-memory-utilization", "0.9"),
        (SLEEP, "--gpu-memory-utilization=0.86"),
        ("--enable_sleep_mode", "--gpu_memory_utilization=0.95"),
        (SLEEP, "--device-memory-utilization", "0.9"),
        (SLEEP, "--gpu-memory-utilization=0.8", "--gpu-memory-utilization=0.9"),
        (SLEEP, "--sleep-mode-backend=cumem"),
    ],
)
def test_a_high_share_is_found_however_it_is_written(args: tuple[str, ...]) -> None:
    """Underscores, `=`, the other name, the last of two, and the default."""
    assert hits(CODE, engine(*args))


@pytest.mark.parametrize(
    "args",
    [
        (),
        ("--gpu-memory-utilization=0.95",),
        (SLEEP, "--gpu-memory-utilization=0.85"),
        (SLEEP, "--gpu_memory_utilization", "0.5"),
        (SLEEP, "--device-memory-utilization=0.8"),
        (SLEEP, "--kv-cache-memory-bytes=20000000000"),
        (SLEEP, "--kv-cache-memory", "20G"),
        (SLEEP, "--kv_cache_memory_bytes", "20G", "--gpu-memory-utilization=0.95"),
        (SLEEP, "--no-enable-sleep-mode"),
        (SLEEP, "--sleep-mode-backend=mine"),
    ],
)
def test_a_low_share_a_fixed_cache_or_no_sleep_mode_is_fine(args: tuple[str, ...]) -> None:
    """Both names of the fixed size, and a flag that is undone."""
    assert not hits(CODE, engine(*args))


@pytest.mark.parametrize(
    ("image", "default"),
    [("v0.19.1", "is 0.9"), ("v0.20.2", "is 0.92"), ("latest", "is 0.92, or 0.9 before vLLM 0.20")],
)
def test_the_default_is_that_of_the_image(image: str, default: str) -> None:
    """It rose with 0.20; of a tag that is no version both are said."""
    assert [
        f"sleep mode is on, and --gpu-memory-utilization is not given, which {default}"
    ] == says(CODE, engine(SLEEP, image=f"vllm/vllm-openai:{image}"))


@pytest.mark.parametrize("share", ["0.95", "0.7"])
def test_a_share_in_a_config_file_counts(share: str) -> None:
    """The file is a ConfigMap of the set; the command line does not give the argument."""
    data = {"vllm.yaml": f"gpu-memory-utilization: {share}\nenable-sleep-mode: true\n"}
    mounted = {"/etc/vllm": {"configMap": {"name": "settings"}}}
    objects = (
        written("ConfigMap", "settings", data=data),
        engine("--config", "/etc/vllm/vllm.yaml", volumes=mounted),
    )
    assert (share == "0.95") == hits(CODE, *objects)


@pytest.mark.parametrize(
    "args",
    [
        (SLEEP, "$(EXTRA_ARGS)"),
        (SLEEP, "--config", "/etc/vllm/vllm.yaml"),
        (SLEEP, "--gpu-memory-utilization=$(SHARE)"),
    ],
)
def test_what_is_not_known_is_no_hit(args: tuple[str, ...]) -> None:
    """A variable or a file that is not among the objects may hold a share."""
    assert not hits(CODE, engine(*args))


def test_a_share_from_a_known_variable_counts() -> None:
    """`$(SHARE)` is what the container sets it to."""
    assert hits(CODE, engine(SLEEP, "--gpu-memory-utilization=$(SHARE)", env={"SHARE": "0.9"}))


def test_arguments_in_a_script_count() -> None:
    """Given to a shell, they are found all the same."""
    text = "set -e\nexec vllm serve s3://models/qwen --enable-sleep-mode\n"
    assert hits(CODE, engine(script=text))
    assert not hits(CODE, engine(script=text.rstrip() + " --gpu-memory-utilization 0.8\n"))


@pytest.mark.parametrize("spelled", ["--enable-sleep-mode=False", "--enable_sleep_mode=true"])
def test_a_flag_with_a_value_ends_the_start(spelled: str) -> None:
    """The parser takes none, and what was meant by it is not known: nobody says that it is on."""
    assert not hits(CODE, engine(spelled))
