"""
A store that knows who may do what: moto with its IAM turned on, in a process of its own.

Identities are made while nobody is asked for rights; from then on each request is held
against the policy of whoever signed it.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

import boto3  # type: ignore[import-untyped]

from tests.fakes.processes import free_port

_SERVES = "import sys; from moto.server import main; main(['-H', '127.0.0.1', '-p', sys.argv[1]])"
BUCKET = "guarded"
WRITES = ("s3:PutObject", "s3:AbortMultipartUpload")
READS = ("s3:GetObject", "s3:ListBucket")
BOTH = (*WRITES, "s3:GetObject")
NAMED = ("s3:GetObject",)
NOTHING = ("s3:GetBucketLocation",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarded:
    """A store, and how to be somebody there."""

    endpoint: str
    identities: dict[tuple[str, ...], dict[str, str]]

    def acting_with(self, rights: tuple[str, ...]) -> dict[str, str]:
        """The variables of an identity that has these rights and no others."""
        return {
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_REGION": "us-east-1",
            **self.identities[rights],
        }


@contextmanager
def guarded(*rights: tuple[str, ...]) -> Iterator[Guarded]:
    """A store with one identity for each set of rights."""
    port = free_port()
    with subprocess.Popen(
        [sys.executable, "-c", _SERVES, str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "INITIAL_NO_AUTH_ACTION_COUNT": "inf"},
    ) as server:
        try:
            endpoint = f"http://127.0.0.1:{port}"
            _wait(endpoint)
            _client("s3", endpoint).create_bucket(Bucket=BUCKET)
            iam = _client("iam", endpoint)
            made = {one: _identity(iam, number, one) for number, one in enumerate(rights)}
            _post(f"{endpoint}/moto-api/reset-auth", b"0")
            yield Guarded(endpoint=endpoint, identities=made)
        finally:
            server.terminate()


def _identity(iam: Any, number: int, rights: Sequence[str]) -> dict[str, str]:
    name = f"identity-{number}"
    iam.create_user(UserName=name)
    allowed = {"Effect": "Allow", "Action": list(rights), "Resource": "*"}
    policy = {"Version": "2012-10-17", "Statement": [allowed]}
    iam.put_user_policy(UserName=name, PolicyName="rights", PolicyDocument=json.dumps(policy))
    key = iam.create_access_key(UserName=name)["AccessKey"]
    return {
        "AWS_ACCESS_KEY_ID": key["AccessKeyId"],
        "AWS_SECRET_ACCESS_KEY": key["SecretAccessKey"],
    }


def _client(service: str, endpoint: str) -> Any:
    return boto3.client(
        service,
        endpoint_url=endpoint,
        region_name="us-east-1",
        aws_access_key_id="test",
        aws_secret_access_key="test",  # noqa: S106 - nobody's
    )


def _wait(endpoint: str) -> None:
    for _ in range(400):
        try:
            _post(f"{endpoint}/moto-api/reset", b"")
        except URLError:
            time.sleep(0.05)
        else:
            return


def _post(url: str, body: bytes) -> None:
    plain = {"Content-Type": "text/plain"}
    with urlopen(Request(url, body, plain), timeout=5) as answer:  # noqa: S310 - ours
        answer.read()
