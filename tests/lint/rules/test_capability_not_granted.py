"""Programs whose containers do not let them work."""

from typing import Any

import pytest

from firstlight.lint.rules import capability_not_granted
from tests.lint.rules.around import daemon_set, deployment, engine, linted_by, said_by

LACKS = capability_not_granted.RULE


def started(line: str, **fields: Any) -> dict[str, Any]:
    """A pod whose engine has a container beside it that runs a script."""
    script = {"command": ["sh", "-c"], "args": [line]}
    one = {"name": "mounter", "image": "registry.example/tools:1"} | script | fields
    return deployment(pod={"initContainers": [one]})


@pytest.mark.parametrize(
    ("line", "program", "needs"),
    [
        ("mount-s3 --read-only models /models", "mount-s3", "SYS_ADMIN"),
        ("set -e; exec nohup /usr/bin/mount-s3 models /models &", "mount-s3", "SYS_ADMIN"),
        ("if true; then s3fs models /models -o iam_role=auto; fi", "s3fs", "SYS_ADMIN"),
        ("timeout 60 goofys models /models", "goofys", "SYS_ADMIN"),
        ("AWS_REGION=eu-west-1 geesefs models /models", "geesefs", "SYS_ADMIN"),
        ("gcsfuse --implicit-dirs models /models", "gcsfuse", "SYS_ADMIN"),
        ("rclone mount s3:models /models --daemon", "rclone mount", "SYS_ADMIN"),
        ("blobfuse2 mount /models --config-file=/c.yaml", "blobfuse2 mount", "SYS_ADMIN"),
        ("juicefs mount redis://r/1 /models", "juicefs mount", "SYS_ADMIN"),
        ("criu restore -D /images --shell-job", "criu restore", "CHECKPOINT_RESTORE or SYS_ADMIN"),
        (
            "vllm snapshot restore --artifact /snapshots/a",
            "vllm snapshot restore",
            "CHECKPOINT_RESTORE or SYS_ADMIN",
        ),
    ],
)
def test_a_program_without_its_capability(line: str, program: str, needs: str) -> None:
    """Whatever stands before it in its command."""
    said = said_by(LACKS, started(line))

    assert 1 == len(said)
    assert f"mounter runs {program}, which needs the capability {needs}," in said[0]


@pytest.mark.parametrize(
    "line",
    [
        "mount-s3 models /dev/fd/3",
        "mount-s3 --version",
        "mount-s3 --help",
        "apt-get install -y s3fs rclone && pip install criu",
        "echo mount-s3 models /models",
        "pkill mount-s3 || true",
        "rclone copy s3:models /models",
        "rclone lsd s3:",
        "juicefs format redis://r/1 models",
        "criu --version",
        "vllm snapshot inspect /snapshots/a",
        "vllm serve mount /models",
        "$MOUNTER models /models",
        "aws s3 sync s3://models /models",
        "mount-s3 'models /models",
    ],
)
def test_what_needs_none(line: str) -> None:
    """Installed, named, asked for help, handed a mount, doing something else, or not known."""
    assert [] == said_by(LACKS, started(line))


def having(*capabilities: str, **context: Any) -> dict[str, Any]:
    return {"securityContext": {"capabilities": {"add": list(capabilities)}} | context}


@pytest.mark.parametrize(
    ("line", "fields", "expected"),
    [
        ("mount-s3 m /m", having("SYS_ADMIN"), 0),
        ("mount-s3 m /m", having("CAP_SYS_ADMIN"), 0),
        ("mount-s3 m /m", having("ALL"), 0),
        ("mount-s3 m /m", having(privileged=True), 0),
        ("mount-s3 m /m", having("NET_ADMIN", "MKNOD"), 1),
        ("mount-s3 m /m", having("CHECKPOINT_RESTORE"), 1),
        ("mount-s3 m /m", having(privileged=False), 1),
        ("criu dump -t 1", having("CHECKPOINT_RESTORE"), 0),
        ("criu dump -t 1", having("SYS_ADMIN"), 0),
        ("criu dump -t 1", having("SYS_PTRACE"), 1),
    ],
)
def test_what_the_container_grants(line: str, fields: dict[str, Any], expected: int) -> None:
    """One of the capabilities is enough, and privileged has them all."""
    assert expected == len(said_by(LACKS, started(line, **fields)))


@pytest.mark.parametrize(
    ("runtime", "expected"), [("nvidia", 1), ("sysbox-runc", 0), ("kata-qemu", 0)]
)
def test_another_runtime_may_have_other_rules(runtime: str, expected: int) -> None:
    """What such a one allows is not in the manifest."""
    made = started("mount-s3 m /m")
    made["spec"]["template"]["spec"]["runtimeClassName"] = runtime

    assert expected == len(said_by(LACKS, made))


@pytest.mark.parametrize(
    "container",
    [
        {"command": ["mount-s3", "models", "/models"]},
        {"image": "rclone/rclone:1.70", "args": ["mount", "s3:models", "/models"]},
        {"command": ["bash", "-c", "mount-s3 m /m && vllm serve /m"], "args": None},
    ],
)
def test_lists_entrypoints_and_the_engine_itself(container: dict[str, Any]) -> None:
    """Where an image's program is known, its arguments are enough."""
    assert 1 == len(said_by(LACKS, deployment(engine(**({"command": None} | container)))))


def test_it_is_shown_where_the_capability_has_to_be_written() -> None:
    """In the security context where there is one, else in the container; in any object's pod."""
    with_context = linted_by(LACKS, started("mount-s3 m /m", **having("MKNOD"))).findings[0]
    without = linted_by(LACKS, started("mount-s3 m /m")).findings[0]

    assert with_context.path.endswith("initContainers[mounter].securityContext")
    assert without.path.endswith("initContainers[mounter]")
    assert "capabilities.add: [SYS_ADMIN] and the device /dev/fuse" in without.remedy
    mounts = {"initContainers": [{"name": "m", "image": "t:1", "command": ["s3fs", "m", "/m"]}]}
    assert 1 == len(said_by(LACKS, daemon_set(pod=mounts)))
