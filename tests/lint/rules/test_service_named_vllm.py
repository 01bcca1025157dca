"""Services whose links become variables of vLLM's."""

import pytest

from tests.lint.rules.engines import engine, hits, written

CODE = "service-named-vllm"


@pytest.mark.parametrize("name", ["vllm", "vllm-dp-master", "vllm-nixl-side-channel"])
def test_a_name_that_becomes_a_port_of_vllm_is_found(name: str) -> None:
    """`vllm` gives VLLM_PORT; the others are known variables too."""
    assert hits(CODE, written("Service", name), engine())


@pytest.mark.parametrize("name", ["qwen", "vllm-qwen", "my-vllm", "vllmx"])
def test_other_names_are_fine(name: str) -> None:
    """Of variables that vLLM does not know it only warns."""
    assert not hits(CODE, written("Service", name), engine())


def test_a_strict_engine_ends_at_any_variable_of_the_prefix() -> None:
    """With --fail-on-environ-validation."""
    assert hits(CODE, written("Service", "vllm-qwen"), engine("--fail-on-environ-validation"))
    assert not hits(CODE, written("Service", "my-vllm"), engine("--fail-on-environ-validation"))


@pytest.mark.parametrize("spec", [{"clusterIP": "None"}, {"type": "ExternalName"}])
def test_a_service_without_an_address_makes_no_links(spec: dict[str, str]) -> None:
    """Headless, or a name of something else."""
    assert not hits(CODE, written("Service", "vllm", spec), engine())


def test_links_that_are_off_another_namespace_or_an_own_value_are_fine() -> None:
    """What a container sets wins over a link."""
    service = written("Service", "vllm", namespace="serving")
    assert hits(CODE, service, engine(namespace="serving"))
    assert not hits(CODE, service, engine(namespace="other"))
    assert not hits(CODE, service, engine(namespace="serving", pod={"enableServiceLinks": False}))
    assert not hits(CODE, service, engine(namespace="serving", env={"VLLM_PORT": "9000"}))


def test_a_service_of_knative_makes_no_links() -> None:
    """Its kind has the same name, and another group."""
    assert not hits(CODE, written("Service", "vllm", apiVersion="serving.knative.dev/v1"), engine())


def test_what_says_no_namespace_goes_where_the_other_does() -> None:
    """Both ways."""
    assert hits(CODE, written("Service", "vllm"), engine(namespace="serving"))
    assert hits(CODE, written("Service", "vllm", namespace="serving"), engine())
