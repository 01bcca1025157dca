"""A container's variables, as far as the manifests tell."""

from firstlight.manifests.objects import ObjectSet
from firstlight.manifests.variables import LONGEST_MADE, resolved, variables

NOTHING = ObjectSet(manifests=())


def test_a_variable_holds_those_before_it() -> None:
    """As Kubernetes puts them in; two dollars are one."""
    env = [{"name": "A", "value": "x"}, {"name": "B", "value": "$(A)$(A)$$(A)$(C)"}]
    assert {"A": "x", "B": "xx$(A)$(C)"} == dict(variables({"env": env}, NOTHING, ""))


def test_what_doubles_again_and_again_is_not_known() -> None:
    """Sixty lines would be a million million million characters."""
    env = [{"name": "A0", "value": "x" * 10}]
    env += [{"name": f"A{n + 1}", "value": f"$(A{n})$(A{n})"} for n in range(60)]

    found = variables({"env": env}, NOTHING, "")

    assert "x" * 80 == found["A3"]
    assert found["A60"] is None
    assert LONGEST_MADE >= sum(len(value) for value in found.values() if value)


def test_a_word_that_grows_too_long_is_not_known() -> None:
    """Of variables that are each of a good length."""
    environment = {"A": "x" * (LONGEST_MADE // 2)}
    assert environment["A"] == resolved("$(A)", environment)
    assert resolved("$(A)$(A)$(A)", environment) is None
    assert resolved("$A$A$A", environment, environment) is None
