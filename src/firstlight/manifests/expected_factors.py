"""
What a compile cache must be for, as far as a workload's objects tell, before anything of it runs.

A container that brings the cache has neither the engine's packages nor its variables. So what the
engine will be given is written beside it, into an annotation of the pods, and the image stands for
all versions in it. Of the machine nothing is said: whoever pulls is on it.

An annotation and no ConfigMap: it cannot be missing when a pod starts, and changes with the
pods' template, never alone.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from firstlight.caches.factors import Factors, known
from firstlight.caches.hashed import hashed_arguments, hashed_environment
from firstlight.core.errors import BadInput
from firstlight.core.fingerprints import ARGUMENT
from firstlight.core.image_reference import full_name
from firstlight.manifests.command_line import command_line
from firstlight.manifests.draft import model_of
from firstlight.manifests.given_words import given_words
from firstlight.manifests.hidden_arguments import HiddenArguments, hidden_arguments
from firstlight.manifests.json_values import canonical_text
from firstlight.manifests.objects import ObjectSet
from firstlight.manifests.pod_templates import command_items
from firstlight.manifests.variables import variables
from firstlight.manifests.workload import Workload
from firstlight.readers.json_pointer import value_at
from firstlight.readers.kube.fields import texts

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
EXPECTED = "firstlight/cache-expect"
"""The annotation."""


def expected_factors(workload: Workload, objects: ObjectSet) -> Factors:
    """
    What the engine of a workload is given that decides whether a cache fits.

    Raises:
        BadInput: its model is not written out.
    """
    container = workload.container
    values = _variables(workload, objects)
    told = given_words(
        container.get("command") or [], container.get("args") or [], environment=values
    ).values
    model = model_of(workload, objects)
    if not model:
        raise BadInput(
            f"{workload.manifest.identity} ({workload.manifest.place()}) does not say which model "
            "its engine is given",
            remedy="write it out in the arguments, or give the object that its variable is from",
        )
    arguments = {n.removeprefix(ARGUMENT): v for n, v in told.items() if n.startswith(ARGUMENT)}
    for source in _hidden(workload, objects):
        for option in source.known.options if source.known else ():
            value = "false" if option.negated else option.value or ""
            arguments = (
                {option.name: value} | arguments
                if source.weaker
                else arguments | {option.name: value}
            )
    return Factors(
        image=full_name(str(container.get("image") or "")),
        model=model,
        arguments=hashed_arguments(arguments),
        environment=hashed_environment(_environment(workload, objects)),
    )


def _environment(workload: Workload, objects: ObjectSet) -> dict[str, str]:
    """
    The engine's variables, those too that its command sets.

    One whose value is not among the objects is said by where it comes from: so two Secrets are two,
    though one that changes is not seen.
    """
    sources = {str(e.get("name")): e for e in workload.container.get("env") or []}
    found = {}
    for name, value in _seen_by_engine(workload, objects).items():
        entry = sources.get(name, {})
        source = f"from {canonical_text(entry.get('valueFrom') or entry.get('value'))}"
        found[name] = source if value is None else value
    return found


def _seen_by_engine(workload: Workload, objects: ObjectSet) -> Mapping[str, str | None]:
    values = dict(_variables(workload, objects))
    try:
        line = command_line(workload.container, workload.place)
    except BadInput:
        return values
    if line.script is not None:
        return line.assignments.over(values)
    before = command_items(workload.container)[: line.first]
    behind_env = before[before.index("env") + 1 :] if "env" in before else []
    pairs = [word.partition("=") for word in behind_env if _ASSIGNMENT.match(word)]
    return {**values, **{name: value for name, _, value in pairs}}


def not_expected(workload: Workload, objects: ObjectSet) -> Iterator[str]:
    """
    What decides whether a cache fits and is not known by these objects, in sentences.

    Whatever is meant by it, it is the same for all caches: nobody is told when it changes.
    """
    seen = _seen_by_engine(workload, objects)
    unknown = {name: "" for name, value in seen.items() if value is None}
    names = list(hashed_environment(unknown))
    sources = [source.name for source in _hidden(workload, objects) if source.known is None]
    for name in (*names, *sources):
        yield (
            f"what {name} holds is not among the objects, and so no part of what the pods expect: "
            "publish anew, to another place, when it changes"
        )
    if (model := model_of(workload, objects) or "").startswith("/"):
        yield (
            f"the model is a path, {model}, and which model lies there is not known: give each "
            "model a place of its own for its caches"
        )


def _variables(workload: Workload, objects: ObjectSet) -> Mapping[str, str | None]:
    return variables(workload.container, objects, workload.namespace)


def _hidden(workload: Workload, objects: ObjectSet) -> Sequence[HiddenArguments]:
    try:
        line = command_line(workload.container, workload.place)
    except BadInput:
        return ()
    return hidden_arguments(workload, line, objects)


def expectation(workload: Workload, objects: ObjectSet) -> str:
    """
    The text of the annotation.

    Raises:
        BadInput: the model is not written out.
    """
    factors = known(expected_factors(workload, objects))
    return msgspec.json.encode(factors, order="sorted").decode()


def written_expectation(workload: Workload) -> str | None:
    """What its pods say already; None where they say nothing."""
    pointer = f"{workload.template_pointer}/metadata/annotations"
    annotations = value_at(workload.manifest.value, pointer)
    return texts(annotations).get(EXPECTED)
