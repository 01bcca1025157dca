"""A command in a container, and how odd its end may be."""

import itertools
import ssl
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firstlight.core.errors import OutsideFailed
from firstlight.edges.kube.answers import Refused
from firstlight.edges.kube.api import KubeApi
from firstlight.edges.kube.exec import Ran
from tests.edges.kube.server import SWITCHED, Answer, scripted

pytestmark = pytest.mark.timeout(20)

OUT, ERR, END = b"\x01", b"\x02", b"\x03"
WELL = END + b'{"status": "Success"}'
EXIT_3 = (
    END + b'{"status": "Failure", "message": "it ended with 3", '
    b'"details": {"causes": [{"reason": "ExitCode", "message": "3"}]}}'
)


def ran(api: KubeApi, *command: str, **limits: Any) -> Ran | Refused:
    how = {"container": "vllm", "timeout_ns": 5_000_000_000, "most_bytes": 1000, **limits}
    return api.exec("demo", "vllm-0", command or ("ls",), **how)


def says(*messages: bytes) -> Answer:
    return SWITCHED, iter(messages)


def test_what_a_command_prints(tmp_path: Path) -> None:
    """Word by word as it was given, in the container that was meant, with the user's token."""
    with scripted(tmp_path) as (script, api):
        script.says = lambda *_: says(OUT + b"a", OUT + b"b\n", WELL)
        done = ran(api, "python3", "-c", "print(1 & 2)")

    assert Ran(stdout=b"ab\n", words="", exit_code=0) == done
    assert [["python3", "-c", "print(1 & 2)"]] == script.commands
    path, query = script.asked[0]
    assert "/api/v1/namespaces/demo/pods/vllm-0/exec" == path
    assert ("vllm", "true", "true") == (query["container"], query["stdout"], query["stderr"])
    assert "Bearer t" == script.headers[0]["Authorization"]


@pytest.mark.parametrize(
    ("messages", "exit_code", "words"),
    [
        ([EXIT_3], 3, "it ended with 3"),
        ([ERR + b"no such file\n", EXIT_3], 3, "no such file"),
        ([b"", OUT, ERR, WELL], 0, ""),
        ([END + b"[]"], -1, "[]"),
        ([END + b"7"], -1, "7"),
        ([END + b"not found"], -1, "not found"),
        ([END], -1, ""),
        ([END + b"[" * 60_000], -1, "[" * 300),
        ([END + b'{"message": "m", "details": []}'], -1, "m"),
        ([END + b'{"message": "m", "details": {"causes": {}}}'], -1, "m"),
        ([END + b'{"message": null, "details": {"causes": [1]}}'], -1, ""),
        ([EXIT_3.replace(b'"3"', b'"%s"' % (b"9" * 5000))], -1, "it ended with 3"),
    ],
)
def test_every_end_is_one(
    tmp_path: Path, messages: list[bytes], exit_code: int, words: str
) -> None:
    """Also an empty message, and a last one that is no object, or not the one that is usual."""
    with scripted(tmp_path) as (script, api):
        script.says = lambda *_: says(*messages)
        done = ran(api)

    assert isinstance(done, Ran)
    assert (exit_code, words) == (done.exit_code, done.words)


@pytest.mark.parametrize("status", [403, 404, 503])
def test_a_no_is_a_value(tmp_path: Path, status: int) -> None:
    """In the server's words, with the right it takes; it is asked once."""
    body = b'{"kind": "Status", "message": "you may not"}'
    with scripted(tmp_path) as (script, api):
        script.says = lambda *_: (status, iter([body]))
        no = ran(api)

    assert isinstance(no, Refused)
    assert (status, True, "you may not", "get", "pods/exec") == (
        no.status,
        no.own,
        no.words,
        no.verb,
        no.resource,
    )
    assert 1 == len(script.asked)


def never() -> Iterator[bytes]:
    time.sleep(2)
    yield WELL


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ((SWITCHED, never()), r"pod vllm-0 did not end within 0\.2 s"),
        ((SWITCHED, itertools.repeat(OUT + b"x" * 500)), "pod vllm-0 printed more than 0 MiB"),
        ((SWITCHED, iter([OUT + b"half"])), "the connection to a command in pod vllm-0 broke"),
        ((200, iter([b"{}"])), "does not switch to a WebSocket, it answers 200"),
        ((401, iter([b'{"kind": "Status"}'])), "does not accept the credentials of context here"),
    ],
)
def test_what_did_not_come_to_its_end(tmp_path: Path, answer: Answer, words: str) -> None:
    """One sentence in general words: nobody here knows what it was run for."""
    with scripted(tmp_path) as (script, api):
        script.says = lambda *_: answer
        with pytest.raises(OutsideFailed, match=words) as failed:
            ran(api, timeout_ns=200_000_000)

    assert "--" not in failed.value.remedy


def test_credentials_that_cannot_be_had(tmp_path: Path) -> None:
    """A plugin that fails in the middle of a measurement is no bug of ours."""
    plugin = {"apiVersion": "client.authentication.k8s.io/v1", "command": "/none/plugin"}
    with (
        scripted(tmp_path, {"exec": plugin}) as (_, api),
        pytest.raises(OutsideFailed, match="credentials of context here cannot be had"),
    ):
        ran(api)


def test_the_kubeconfig_is_read_once(tmp_path: Path) -> None:
    """What somebody changes in it during a measurement does not change whom it speaks to."""
    with scripted(tmp_path) as (script, api):
        script.says = lambda *_: says(WELL)
        (tmp_path / "kubeconfig").unlink()

        assert isinstance(ran(api), Ran)


def test_the_name_of_the_certificate_counts(tmp_path: Path) -> None:
    """`tls-server-name`, where the address is not what the certificate is for."""
    certificate, key = tmp_path / "crt", tmp_path / "key"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
            *("-nodes", "-subj", "/CN=kube.test", "-addext", "subjectAltName=DNS:kube.test"),
            *("-keyout", key, "-out", certificate),
        ],
        check=True,
        capture_output=True,
    )
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)
    told: dict[str, object] = {
        "certificate-authority": str(certificate),
        "tls-server-name": "kube.test",
    }
    with scripted(tmp_path, tls=tls, cluster=told) as (script, api):
        script.says = lambda *_: says(OUT + b"x", WELL)

        assert Ran(stdout=b"x", words="", exit_code=0) == ran(api)
