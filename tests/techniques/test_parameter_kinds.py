"""What a parameter may be: nothing that gets out of a script, a command line or a folder."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.core.errors import BadInput
from firstlight.techniques.card import Card
from firstlight.techniques.parameter_kinds import Kind, check_kind, is_kind
from tests.techniques.own_cards import DECK

GOOD: dict[Kind, list[object]] = {
    Kind.TEXT: ["a b", "ümlaut"],
    Kind.URI: [
        "s3://bucket/m",
        "gs://bucket/a/b-1.0_x",
        "az://con/m",
        "s3://bucket",
        "s3://bu.x/a/",
    ],
    Kind.S3_URI: ["s3://bucket/p"],
    Kind.PATH: ["/c", "/var/cache/firstlight", "/a.b/c-d_e"],
    Kind.IMAGE: [
        "vllm",
        "vllm/vllm-openai:v0.26.0",
        "localhost:5000/x:1",
        "111122223333.dkr.ecr.us-east-1.amazonaws.com/vllm:0.26.0-cu128_1",
        f"r.io/a/b__c@sha256:{'a' * 64}",
        f"r.io/a:1@sha256:{'0' * 64}",
    ],
    Kind.BUCKET: ["abc", "my.bucket-1"],
    Kind.PREFIX: ["m", "models/gemma-3"],
    Kind.REGION: ["us-east-1", "us-gov-west-1", "eusc-de-east-1"],
    Kind.NAME: ["gpu", "gpu-2.x"],
    Kind.PORT: ["1", 8001, "65535"],
    Kind.NUMBER: ["1", 512],
    Kind.QUANTITY: ["8", "500m", "1.5", "96Gi", "100G"],
    Kind.DURATION: ["10m", "1h30m", "0s", "Never"],
    Kind.SNAPSHOT: ["snap-0a1b2c3d", "snap-0123456789abcdef0"],
    Kind.ARCHITECTURES: ["9.0a", "12.0f", "8.9 9.0a"],
    Kind.PUBLIC_KEY: [f"ed25519:{'a' * 43}=", f"ed25519:{'+/9Z' * 10}abc="],
}
BAD: dict[Kind, list[object]] = {
    Kind.TEXT: ["", "a\nb", "a\x1b[31m"],
    Kind.URI: [
        *("", "/m", "http://b/m", "s3://", "s3://b/../m", "s3://bucket/a b", "s3://bucket/$(x)"),
        *("s3://bucket/a'b", "s3://bucket//m", "S3://bucket/m", "s3://bucket/m\n"),
    ],
    Kind.S3_URI: ["gs://bucket/p", "s3://bucket/p;x"],
    Kind.PATH: [
        *("", "/", "c", "./c", "/a/../b", "/a/..", "/.", "/a:b", "/a b", "/a/", "//a", "/a'b"),
        *("/$HOME", "/a\n"),
    ],
    Kind.IMAGE: [
        *("", "x'; touch /tmp/x; '", "vllm\nEND\ntouch /tmp/x\n", "$(IMG)", "a b:1", "a/B", ":1"),
        *("a:", "a@", "a@sha256:1", "-a", "a//b", "https://a/b", "{{ .Values.image }}", "a:1 "),
    ],
    Kind.BUCKET: ["ab", "Bucket", "a/b", "a b c", "-ab"],
    Kind.PREFIX: ["/m", "m/", "a//b", "../m", "a b", ""],
    Kind.REGION: ["us", "us-east", "us east-1", "US-EAST-1"],
    Kind.NAME: ["GPU", "a/b", "-a", "a_b", ""],
    Kind.PORT: ["0", "65536", "80a", "-1", "", "08001"],
    Kind.NUMBER: ["0", "-1", "1.5", "", "1e3"],
    Kind.QUANTITY: ["0", "0Gi", "Gi", "1 Gi", "-1", "1gb", ""],
    Kind.DURATION: ["10", "10 m", "1d", "never", ""],
    Kind.SNAPSHOT: ["snap-", "vol-0a1b2c3d", "snap-xyz12345"],
    Kind.ARCHITECTURES: ["9", "sm_90", "9.0a;x", "9.0a  8.9", ""],
    Kind.PUBLIC_KEY: [
        *(
            "",
            "ed25519:",
            f"ed25519:{'a' * 44}",
            f"ed25519:{'A' * 43}=",
        ),
        *(f"ed25519:{'a' * 42}$=", f"ed25519:{'a' * 43}=\n", "/etc/key.pub"),
    ],
}


def test_every_kind_is_here() -> None:
    """A grammar without examples is a guess."""
    assert set(Kind) == set(GOOD) == set(BAD)


@pytest.mark.parametrize(("kind", "value"), [(k, v) for k in Kind for v in GOOD[k]])
def test_what_people_mean_is_taken(kind: Kind, value: object) -> None:
    """As text or as a number."""
    check_kind("it", value, kind)


@pytest.mark.parametrize(("kind", "value"), [(k, v) for k in Kind for v in BAD[k]])
def test_what_it_cannot_be_is_refused(kind: Kind, value: object) -> None:
    """With its name, what it was, and what it should be."""
    with pytest.raises(BadInput, match=r"^it is ['\"].*, and has to be ") as refusal:
        check_kind("it", value, kind)

    assert "--set it=VALUE" in refusal.value.remedy


STRICT = [kind for kind in Kind if kind not in {Kind.TEXT, Kind.ARCHITECTURES}]


@given(st.sampled_from(STRICT), st.text("a1:/.-'\"$;`\\ \n(){}@=", min_size=1, max_size=9))
def test_what_is_taken_needs_no_quotes(kind: Kind, value: str) -> None:
    """So it is one word to every shell, and ends no text between quotes."""
    for one in (value, f"/{value}", f"s3://abc/{value}", f"abc{value}"):
        if is_kind(one, kind):
            assert one == shlex.quote(one)


@pytest.mark.parametrize("card", tuple(DECK), ids=lambda card: str(card.id))
def test_every_parameter_of_a_card_says_its_kind(card: Card) -> None:
    """Free text is for none of them so far."""
    parameters = card.parameters

    assert [] == [name for name, one in parameters.items() if one.kind is Kind.TEXT]


def test_a_private_key_is_not_shown() -> None:
    """What is wrong is printed, and kept in logs."""
    with pytest.raises(BadInput) as refused:
        check_kind("trusted_key", "ed25519-private:c2VjcmV0", Kind.PUBLIC_KEY)
    assert "c2VjcmV0" not in str(refused.value)
