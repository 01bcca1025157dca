"""What differs is named, with both values and what to do."""

import pytest
from msgspec.structs import replace

from firstlight.caches.explaining import Explained, Side, explained
from firstlight.caches.factors import Factors
from firstlight.caches.hashed import hashed_environment
from firstlight.readers.compile_factors import CompileFactors
from tests.caches.made import FACTORS


def sides(second: Factors) -> Explained:
    return explained(Side(name="filled", factors=FACTORS), Side(name="missed", factors=second))


def with_variables(first: dict[str, str], second: dict[str, str]) -> Explained:
    def side(name: str, environment: dict[str, str]) -> Side:
        hashed = replace(FACTORS, environment=hashed_environment(environment))
        return Side(name=name, factors=hashed, environment=environment)

    return explained(side("filled", first), side("missed", second))


def test_a_log_says_a_version_without_its_build() -> None:
    """`0.32.0` and `0.32.0+cpu` are one; two builds are two, and so are two versions."""
    for was, now, differs in (
        ("0.32.0+cpu", "0.32.0", False),
        ("0.32.0", "0.32.0+cpu", False),
        ("0.32.0+cpu", "0.32.0+cu128", True),
        ("0.32.0+cpu", "0.32.1", True),
    ):
        first = Side(name="filled", factors=replace(FACTORS, vllm=was))
        found = explained(first, Side(name="missed", factors=replace(FACTORS, vllm=now)))
        assert differs is bool(found.causes), (was, now)


def test_what_differs_from_a_start_that_hit_makes_no_other_key() -> None:
    """It is said beside, and nobody is sent to publish anew."""
    other = replace(FACTORS, arguments={"--max-num-seqs": "16"})

    found = explained(
        Side(name="filled", factors=FACTORS), Side(name="pulled", factors=other, verdict="hit")
    )

    assert () == found.causes
    assert any("--max-num-seqs is 8 in filled and 16 in pulled" in one for one in found.beside)
    assert all("was a hit all the same" in one for one in found.beside)


@pytest.mark.parametrize(
    ("changed", "line", "remedy"),
    [
        ({"vllm": "0.33.0"}, "vllm is 0.32.0 in filled and 0.33.0 in missed", "upgrade"),
        ({"accelerator": "NVIDIA L4"}, "accelerator is none in filled and NVIDIA L4", "kind of"),
        ({"model": "s3://b/m"}, "model is /models/m in filled and s3://b/m in missed", "string"),
        (
            {"arguments": {"--max-num-seqs": "16", "--enforce-eager": None}},
            "--max-num-seqs is 8 in filled and 16 in missed",
            "both the same",
        ),
        ({"instructions": ("avx2", "fma")}, "the processor of missed lacks avx512f", "oldest"),
    ],
)
def test_a_factor_is_named(changed: dict[str, object], line: str, remedy: str) -> None:
    """One cause, and no more."""
    (cause,) = sides(replace(FACTORS, **changed)).causes

    assert cause.line.startswith(line)
    assert remedy in cause.remedy


def test_a_pods_address_in_a_variable_is_one() -> None:
    """It is another in each pod."""
    found = with_variables({"VLLM_LOOPBACK_IP": "10.1.2.3"}, {"VLLM_LOOPBACK_IP": "10.1.2.9"})

    (cause,) = found.causes
    assert "environment VLLM_LOOPBACK_IP is 10.1.2.3 in filled and 10.1.2.9 in missed" == cause.line
    assert "an address, which is another in each pod" in cause.remedy


def test_a_service_link_is_named_beside_the_key() -> None:
    """vLLM reads VLLM_PORT and does not hash it."""
    found = with_variables(
        {}, {"VLLM_PORT": "tcp://10.0.0.7:8000", "VLLM_SERVICE_HOST": "10.0.0.7"}
    )

    assert () == found.causes
    assert any("VLLM_PORT" in line and "enableServiceLinks: false" in line for line in found.beside)


def test_a_secret_is_not_shown() -> None:
    """That it is another is."""
    found = with_variables({"VLLM_X_TOKEN": "hunter2hunter2"}, {"VLLM_X_TOKEN": "other-secret-1"})

    told = " ".join(cause.line for cause in found.causes)
    assert "VLLM_X_TOKEN" in told
    assert "hunter2" not in told


def test_of_hashes_alone_it_is_said_which_differs() -> None:
    """And which are the same."""

    def side(env: str, **variables: str) -> Side:
        hashes = {"env": env, "cfg": "b", "comp": "c", "code": "d"}
        compiled = CompileFactors(hashes=hashes, variables=variables or None)
        return Side(name=env, factors=Factors(), compiled=compiled)

    blind, seeing = explained(side("1"), side("2")), explained(side("1", A="x"), side("2", A="y"))

    assert ["the environment is another (env=)"] == [cause.line for cause in blind.causes]
    assert ("configuration", "compiler", "traced code") == blind.same
    assert ["environment A is x in 1 and y in 2"] == [cause.line for cause in seeing.causes]


def test_seconds_are_the_difference_of_engine_init() -> None:
    """Where both were measured."""
    one = Side(name="a", factors=FACTORS, engine_init_s=10.0)
    other = Side(name="b", factors=FACTORS, engine_init_s=55.5)

    assert 45.5 == explained(one, other).cost_s
    assert explained(one, Side(name="c", factors=FACTORS)).cost_s is None
