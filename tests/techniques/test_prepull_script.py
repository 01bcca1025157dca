"""
The user data that pulls the engine's image, run by bash as cloud-init would run it.

`ctr`, `aws` and `systemd-run` are small scripts that write down what they were asked; the socket
is a real one, which appears late, as containerd's does.
"""

import os
import shlex
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from firstlight.core.image_reference import full_name
from tests.techniques.own_cards import operation

IMAGE = "vllm/vllm-openai:v0.26.0"
WHOLE = f"docker.io/{IMAGE}"
pytestmark = pytest.mark.timeout(20)

CTR = """#!/bin/bash
echo "ctr $*" >>CALLS
[[ $* == *version* ]] && exit 0
[[ $* == *absent* ]] && echo "not found" >&2 && exit 1
echo progress
"""
AWS = """#!/bin/bash
echo "aws $*" >>CALLS
[[ $* == *eu-north-1* ]] && echo "AccessDenied" >&2 && exit 254
echo secret
"""
SYSTEMD_RUN = """#!/bin/bash
echo "systemd-run $*" >>CALLS
while [[ $1 == --* ]]; do [[ $1 == --unit ]] && shift; shift; done
"$@" >/dev/null 2>&1 &
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """A new node: its tools, its places, and what was asked of them."""

    folder: Path

    @property
    def socket(self) -> Path:
        return self.folder / "containerd.sock"

    @property
    def log(self) -> Path:
        return self.folder / "prepull.log"

    def script(self, image: str) -> str:
        """The card's user data, in places of this test."""
        fields = operation("image-prepull", "new-node-class", engine_image=image)["fields"]
        assert {"/spec/userData"} == set(fields)
        text = str(fields["/spec/userData"])
        for place, here in (
            ("/run/containerd/containerd.sock", self.socket),
            ("/var/log/firstlight-prepull.log", self.log),
            ("/run/firstlight-prepull.sh", self.folder / "prepull.sh"),
        ):
            assert place in text
            text = text.replace(place, str(here))
        return text

    def boot(self, image: str) -> None:
        """Run the user data to its end, which has to be at once and well."""
        script = self.folder / "user-data"
        script.write_text(self.script(image))
        begun = time.monotonic()
        ended = subprocess.run(
            ["/bin/bash", script],
            env={"PATH": f"{self.folder}/bin:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (0, "", "") == (ended.returncode, ended.stdout, ended.stderr)
        assert time.monotonic() - begun < 5

    def containerd_starts(self) -> None:
        """The socket appears; whoever answers behind it is the fake `ctr`."""
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(self.socket))

    def tool(self, name: str, text: str) -> None:
        path = self.folder / "bin" / name
        path.write_text(text.replace("CALLS", str(self.folder / "calls")))
        path.chmod(0o755)

    def said(self) -> list[str]:
        """The log's last word without its stamp, once the pull has ended."""
        for _ in range(100):
            lines = self.log.read_text().splitlines() if self.log.exists() else []
            if lines and ("pulled" in lines[-1]):
                return [line.split(" ", 2)[2] if "firstlight:" in line else line for line in lines]
            time.sleep(0.1)
        pytest.fail("the pull did not end in 10 s")

    def calls(self) -> list[str]:
        """What the tools were asked, but whether containerd answers."""
        lines = (self.folder / "calls").read_text().splitlines()
        return [line for line in lines if "version" not in line]


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """A node whose containerd is not there yet."""
    (tmp_path / "bin").mkdir()
    machine = Machine(folder=tmp_path)
    for name, text in (("ctr", CTR), ("aws", AWS), ("systemd-run", SYSTEMD_RUN)):
        machine.tool(name, text)
    yield machine
    if not machine.socket.exists():  # whoever still waits ends here
        machine.containerd_starts()


def test_bash_reads_both_scripts(machine: Machine) -> None:
    """The script and the one inside it are whole."""
    outer = machine.script(IMAGE)
    inner = outer.partition("<<'END'\n")[2].partition("\nEND\n")[0]

    for text in (outer, inner):
        read = subprocess.run(
            ["/bin/bash", "-n"], input=text, capture_output=True, text=True, check=True
        )
        assert "" == read.stderr


def test_the_boot_does_not_wait_for_containerd(machine: Machine) -> None:
    """nodeadm starts containerd after cloud-init, so the script ends and the pull goes on."""
    machine.boot(IMAGE)
    assert not machine.socket.exists()
    time.sleep(0.5)
    assert ["systemd-run"] == [call.split()[0] for call in machine.calls()]

    machine.containerd_starts()

    assert [f"pulling {WHOLE}", f"pulled {WHOLE}"] == machine.said()
    assert [f"ctr --address {machine.socket} --namespace k8s.io images pull {WHOLE}"] == (
        machine.calls()[1:]
    )


def test_without_systemd_it_goes_on_all_the_same(machine: Machine) -> None:
    """A boot where no unit can be made still pulls, behind the script."""
    machine.tool("systemd-run", "#!/bin/bash\nexit 1\n")
    machine.boot(IMAGE)

    machine.containerd_starts()

    assert f"pulled {WHOLE}" == machine.said()[-1]


@pytest.mark.parametrize(
    ("registry", "region"),
    [
        ("111122223333.dkr.ecr.us-east-1.amazonaws.com", "us-east-1"),
        ("111122223333.dkr.ecr.cn-north-1.amazonaws.com.cn", "cn-north-1"),
        ("111122223333.dkr.ecr-fips.us-gov-west-1.amazonaws.com", "us-gov-west-1"),
        ("111122223333.dkr-ecr.eu-west-1.on.aws", "eu-west-1"),
    ],
)
def test_it_logs_in_to_a_private_registry(machine: Machine, registry: str, region: str) -> None:
    """ECR wants a password of the region that its name says."""
    machine.containerd_starts()
    machine.boot(f"{registry}/{IMAGE}")

    pulling = f"ctr --address {machine.socket} --namespace k8s.io images pull"
    assert f"pulled {registry}/{IMAGE}" == machine.said()[-1]
    assert [
        f"aws ecr get-login-password --region {region}",
        f"{pulling} --user AWS:secret {registry}/{IMAGE}",
    ] == machine.calls()[1:]
    assert "secret" not in machine.log.read_text()


def test_no_login_is_said_and_the_pull_is_tried(machine: Machine) -> None:
    """The kubelet may have rights that the node's role lacks, and says the rest."""
    registry = "111122223333.dkr.ecr.eu-north-1.amazonaws.com"
    machine.containerd_starts()
    machine.boot(f"{registry}/absent:1")

    assert [
        "AccessDenied",
        f"no login to {registry}",
        f"pulling {registry}/absent:1",
        "not found",
        f"not pulled: {registry}/absent:1",
    ] == machine.said()


@pytest.mark.parametrize(
    ("given", "pulled"),
    [
        ("vllm/vllm-openai:v0.26.0", "docker.io/vllm/vllm-openai:v0.26.0"),
        ("busybox:1.36", "docker.io/library/busybox:1.36"),
        ("busybox", "docker.io/library/busybox:latest"),
        ("docker.io/busybox:1.36", "docker.io/library/busybox:1.36"),
        ("index.docker.io/busybox", "docker.io/library/busybox:latest"),
        ("index.docker.io/vllm/vllm-openai:v1", "docker.io/vllm/vllm-openai:v1"),
        ("quay.io/x/y:1", "quay.io/x/y:1"),
        ("localhost/x", "localhost/x:latest"),
        ("registry:5000/x/y", "registry:5000/x/y:latest"),
        ("quay.io/x/y@sha256:ab12", "quay.io/x/y@sha256:ab12"),
        ("quay.io/x/y:1@sha256:ab12", "quay.io/x/y@sha256:ab12"),
        ("registry:5000/y:1@sha256:ab12", "registry:5000/y@sha256:ab12"),
        ("y:1@sha256:ab12", "docker.io/library/y@sha256:ab12"),
    ],
)
def test_the_image_is_called_as_the_kubelet_calls_it(
    machine: Machine, given: str, pulled: str
) -> None:
    """Under another name the kubelet does not find it, and pulls again."""
    machine.containerd_starts()
    machine.boot(given)

    assert pulled == full_name(given)
    assert f"pulled {pulled}" == machine.said()[-1]
    assert pulled == shlex.split(machine.calls()[-1])[-1]
