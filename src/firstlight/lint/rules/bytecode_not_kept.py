"""A folder for bytecode that nothing is written to, or that goes with the pod."""

from collections.abc import Iterator

from firstlight.lint.engine import Engine
from firstlight.lint.places import Lies, place
from firstlight.lint.rule import Hit, Rule, Severity
from firstlight.lint.scene import Scene
from firstlight.manifests.mounts import is_read_only
from firstlight.techniques.sources import Origin, Source

_FOLDER = "PYTHONPYCACHEPREFIX"
_NEVER = "PYTHONDONTWRITEBYTECODE"


def _check(scene: Scene) -> Iterator[Hit]:
    for engine in scene.engines:
        if what := _what(engine):
            yield Hit(manifest=engine.manifest, pointer=engine.variable_pointer(_FOLDER), what=what)


def _what(engine: Engine) -> str | None:
    """What is wrong; None where nothing is known to be."""
    folder = engine.variable(_FOLDER).value
    if not folder:
        return None
    at = place(engine, folder)
    if at.goes_with_the_pod:
        return f"bytecode is kept in {folder}, {at.lies.value}"
    read_only = at.mount is not None and is_read_only(at.volume or {}, at.mount)
    if engine.variable(_NEVER).value and at.lies is Lies.LASTING and not read_only:
        return f"{_NEVER} is set, so the engine writes nothing to {folder}"
    return None


RULE = Rule(
    code="bytecode-not-kept",
    severity=Severity.WARNING,
    title="Bytecode must be written, and lie where the next pod finds it",
    why=(
        "Python reads bytecode from this folder and no longer from beside the sources. Where it "
        "goes with the pod, the first process of each pod that imports a module compiles it and "
        "writes it for the others, thousands of modules, also those whose bytecode the image "
        "brings. With PYTHONDONTWRITEBYTECODE and an empty folder every process compiles them all, "
        "at each start. Nothing says so."
    ),
    remedy="put the folder on a volume that outlives the pod, and leave PYTHONDONTWRITEBYTECODE "
    "away",
    sources=(
        Source(
            origin=Origin.UPSTREAM,
            where="docs.python.org/3/using/cmdline, PYTHONPYCACHEPREFIX and "
            "PYTHONDONTWRITEBYTECODE",
        ),
        Source(
            origin=Origin.REPORTED, where="github.com/llm-d-extensions/vllm-cold-start-playground"
        ),
    ),
    check=_check,
    techniques=("bytecode-cache",),
)
