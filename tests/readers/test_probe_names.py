"""What stretches are called."""

import pytest

from firstlight.readers.probe_lines import Interval
from firstlight.readers.probe_names import path
from firstlight.readers.probe_nesting import Piece
from firstlight.readers.probe_roles import Role


def interval(kind: str, group: str, name: str, detail: str = "") -> Interval:
    """An interval of which only the names matter."""
    return Interval(line=1, kind=kind, group=group, name=name, start_ns=0, end_ns=1, detail=detail)


def piece(
    kind: str, group: str, name: str, detail: str = "", within: Interval | None = None
) -> Piece:
    """A piece of it."""
    return Piece(start_ns=0, end_ns=1, interval=interval(kind, group, name, detail), within=within)


INDUCTOR = interval("span", "compile", "dynamo:inductor_compile")
TORCH = interval("import", "", "torch", "torch.nn")


@pytest.mark.parametrize(
    ("what", "names"),
    [
        (piece("import", "", "torch", "torch.nn"), ("worker: imports", "torch")),
        (piece("import", "", "textwrap"), ("worker: imports", "standard library")),
        (piece("import", "", "_ctypes"), ("worker: imports", "standard library")),
        (piece("span", "weights", "reading"), ("worker: weights", "reading")),
        (piece("span", "", "interpreter start"), ("worker: interpreter start",)),
        (piece("span", "subprocess", "program", "g++", INDUCTOR), ("worker: compile", "run g++")),
        (piece("span", "subprocess", "program", "lscpu"), ("worker: programs", "run lscpu")),
        (piece("span", "subprocess", "program", "", TORCH), ("worker: programs", "run program")),
        (
            piece("span", "garbage collection", "x", within=INDUCTOR),
            ("worker: garbage collection", "during inductor"),
        ),
        (
            piece("span", "garbage collection", "x", within=TORCH),
            ("worker: garbage collection", "during imports"),
        ),
        (
            piece("span", "garbage collection", "x"),
            ("worker: garbage collection", "during other work"),
        ),
    ],
)
def test_names_say_who_and_what(what: Piece, names: tuple[str, ...]) -> None:
    """The role with the kind of work, then the work."""
    assert names == path(Role.WORKER, what)


@pytest.mark.parametrize(
    ("told", "name"),
    [
        ("_compile.compile_inner", "dynamo tracing"),
        ("bytecode_tracing", "dynamo tracing"),
        ("OutputGraph.call_user_compiler", "backend"),
        ("create_aot_dispatcher_function", "aot autograd"),
        ("AOTAutogradCache.inductor_load", "cache load"),
        ("CompiledArtifact.load", "cache load"),
        ("CompiledArtifact.save", "cache save"),
        ("inductor_codecache_torch_key", "cache key"),
        ("GraphLowering.codegen", "inductor"),
        ("pass.remove_noop_ops", "inductor"),
        ("compile_file", "code compile"),
        ("PyCodeCache.load_by_key_path", "loading compiled code"),
        ("CachingAutotuner.benchmark_all_configs", "autotuning"),
        ("something_new", "something_new"),
    ],
)
def test_torchs_stages_have_names_people_know(told: str, name: str) -> None:
    """A stage that is not known keeps torch's own name."""
    assert ("worker: compile", name) == path(
        Role.WORKER, piece("span", "compile", f"dynamo:{told}")
    )
