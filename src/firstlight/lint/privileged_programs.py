"""
Programs that the kernel refuses unless their container has a capability.

A container has a fixed, small set of capabilities, and root in it has no more. Mounting a
file system through FUSE is mounting, which takes `SYS_ADMIN`; CRIU reads and rebuilds processes
and takes `CHECKPOINT_RESTORE` or `SYS_ADMIN`. A driver of Kubernetes that mounts for a pod is
another matter: then the program is handed a mount that is there, and needs nothing.

Only a program that a container certainly starts is named, in its lists or in a shell's script.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from firstlight.core.image_reference import repository
from firstlight.manifests.pod_templates import command_items
from firstlight.readers.engine_program import basename, script_at
from firstlight.readers.kube.fields import mapping, text, within, words
from firstlight.readers.shell_words import UnclosedQuote, commands

MOUNTING = ("SYS_ADMIN",)
"""What mounting through FUSE takes."""
_CRIU = ("CHECKPOINT_RESTORE", "SYS_ADMIN")
_MOUNTS_TWO = frozenset({"mount-s3", "s3fs", "goofys", "geesefs", "ossfs"})
"""Of a bucket and the folder that it is mounted at."""
_VERBS = {
    ("rclone", "mount"): MOUNTING,
    ("blobfuse2", "mount"): MOUNTING,
    ("juicefs", "mount"): MOUNTING,
    **{("criu", verb): _CRIU for verb in ("dump", "pre-dump", "restore")},
}
_SNAPSHOTS = frozenset({"create", "restore"})
"""What vLLM's own `snapshot` has CRIU do."""
_BEFORE = frozenset(
    {
        *("exec", "env", "sudo", "nohup", "setsid", "nice", "timeout", "time", "tini", "dumb-init"),
        *("--", "!", "{", "if", "then", "elif", "else", "while", "until", "do"),
    }
)
"""Words that may stand before the program of a command."""
_ENTRYPOINTS = {"docker.io/rclone/rclone": "rclone"}
_NO_MOUNT = ("/dev/fd/", "--help", "-h", "--version", "-V")
"""A mount that somebody else has made, or none at all."""
_ALL = "ALL"
_SAME_KERNEL = frozenset({"", "nvidia", "runc"})
"""Runtimes that take a pod's word for what it may; another one may have rules of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lacking:
    """A program that its container does not let do what it is started for."""

    program: str
    """As a sentence names it."""
    any_of: tuple[str, ...]
    """Capabilities, of which it needs one."""


def lacking(pod: Mapping[str, Any], container: Mapping[str, Any]) -> Iterator[Lacking]:
    """What a container starts and does not permit."""
    context = mapping(container.get("securityContext"))
    if context.get("privileged") is True:
        return
    if text(pod.get("runtimeClassName")) not in _SAME_KERNEL:
        return
    added = words(within(context, "capabilities", "add"))
    has = {one.upper().removeprefix("CAP_") for one in added}
    for command in _commands(container):
        needed = _needs(command)
        if needed and _ALL not in has and not has.intersection(needed.any_of):
            yield needed


def _commands(container: Mapping[str, Any]) -> Iterator[list[str]]:
    items = command_items(dict(container))
    script = script_at(items)
    if script is not None:
        try:
            for command in commands(items[script]):
                yield _program([word.text for word in command])
        except UnclosedQuote:
            return
    elif container.get("command"):
        yield _program(items)
    elif entrypoint := _ENTRYPOINTS.get(repository(str(container.get("image") or ""))):
        yield [entrypoint, *items]


def _program(command: Sequence[str]) -> list[str]:
    """A command from its program on, without what starts it."""
    rest = list(command)
    while rest and _is_before(rest[0]):
        del rest[0]
    return [basename(rest[0]), *rest[1:]] if rest else []


def _is_before(word: str) -> bool:
    name, assigned, _ = word.partition("=")
    digits = word.rstrip("smh").isdecimal()
    return basename(word) in _BEFORE or bool(assigned and name.isidentifier()) or digits


def _needs(command: Sequence[str]) -> Lacking | None:
    if any(word.startswith(_NO_MOUNT) for word in command):
        return None
    program, *words_behind = command or [""]
    plain = [word for word in words_behind if not word.startswith("-")]
    if program in _MOUNTS_TWO and len(plain) > 1:
        return Lacking(program=program, any_of=MOUNTING)
    if program == "gcsfuse" and plain:
        return Lacking(program=program, any_of=MOUNTING)
    if program == "vllm" and plain[:1] == ["snapshot"] and _SNAPSHOTS.intersection(plain[1:2]):
        return Lacking(program=f"vllm snapshot {plain[1]}", any_of=_CRIU)
    verb = next(iter(plain), "")
    any_of = _VERBS.get((program, verb))
    return Lacking(program=f"{program} {verb}", any_of=any_of) if any_of else None
