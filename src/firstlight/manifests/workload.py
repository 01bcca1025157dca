"""
The one workload of a set that runs the engine.

A folder holds databases, routers and monitoring beside it. Nothing is guessed where two
could be meant: whoever asks is told which there are and how to choose.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from firstlight.core.errors import BadInput
from firstlight.manifests.kubectl_words import named
from firstlight.manifests.objects import Identity, Manifest, ObjectSet
from firstlight.manifests.pod_templates import (
    engine_containers,
    is_part,
    is_sidecar,
    likelihood,
    pod_pointers,
    sidecars,
)
from firstlight.manifests.well_formed import check_form
from firstlight.readers.engine_likelihood import Likelihood
from firstlight.readers.json_pointer import value_at

_MOST_NAMED = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """An object that makes pods with the engine in them."""

    manifest: Manifest
    pod_pointer: str
    """Of the pod's spec, in the object."""
    engine: int
    """Which of its containers is the engine's."""
    lone: str = ""
    """The pod's field that is the engine's container instead, and not all of it; empty for none."""

    @property
    def pod(self) -> dict[str, Any]:
        return dict(value_at(self.manifest.value, self.pod_pointer))

    @property
    def template_pointer(self) -> str:
        """Of what pods are made from, with their labels and annotations; empty for a Pod."""
        return self.pod_pointer.removesuffix("/spec")

    @property
    def container(self) -> dict[str, Any]:
        return dict(self.pod[self.lone] if self.lone else self.pod["containers"][self.engine])

    @property
    def container_pointer(self) -> str:
        return f"{self.pod_pointer}/{self.lone or f'containers/{self.engine}'}"

    @property
    def namespace(self) -> str:
        return self.manifest.identity.namespace

    def place(self, pointer: str = "") -> str:
        """Where something of the engine's container stands, for a sentence."""
        return self.manifest.place(self.container_pointer + pointer)


class WorkloadUnclear(BadInput):
    """Which workload is meant has to be said."""

    def __init__(self, message: str, *, says: str, choice: str) -> None:
        """
        Args:
            message: why.
            says: when to say it: `say which one`.
            choice: the names from which to choose.
        """
        super().__init__(message, remedy=f"{says}: --target {choice}")
        self.says = says
        self.choice = choice


def find_workload(objects: ObjectSet, target: Identity | None = None) -> Workload:
    """
    The workload that runs vLLM.

    Args:
        objects: a set of any objects.
        target: the one that is meant, by kind (in any case), name and, where that is said,
            namespace; None where the objects have to tell.

    Raises:
        WorkloadUnclear: it has to be said which one.
        BadInput: there is none, or more than one, or the objects are none of Kubernetes'.
    """
    check_form(objects)
    if target is not None:
        return _targeted(objects, target)
    whole = [m for m in objects if not is_part(m.value)]
    rated = [(_best(value_at(m.value, p)), m) for m in whole for p in pod_pointers(m.value)]
    best = max((rate for rate, _ in rated), default=Likelihood.NONE)
    # Exporters, routers and clients speak of vLLM too: by that alone nothing is changed.
    found = [m for rate, m in rated if rate == best] if best >= Likelihood.LIKELY else []
    found = list({id(m): m for m in found}.values())
    if len(found) == 1:
        return _workload(found[0])
    if found:
        raise WorkloadUnclear(
            f"more than one workload here runs vLLM: {', '.join(_told_apart(found))}",
            says="say which one",
            choice=_choice(found),
        )
    raise _none(objects, [m for rate, m in rated if rate > Likelihood.NONE])


def _best(pod: dict[str, Any]) -> Likelihood:
    return max(likelihood(c) for c in (*pod["containers"], *sidecars(pod)))


def _targeted(objects: ObjectSet, target: Identity) -> Workload:
    found = [
        m
        for m in objects
        if m.identity.kind.lower() == target.kind.lower()
        and m.identity.name == target.name
        and (not target.namespace or m.identity.namespace == target.namespace)
    ]
    if not found:
        where = f" in namespace {target.namespace}" if target.namespace else ""
        made = [m for m in objects if pod_pointers(m.value) and not is_part(m.value)]
        there = _told_apart(made)[:_MOST_NAMED]
        raise BadInput(
            f"there is no {target.kind.lower()}/{target.name}{where} among the objects",
            remedy=f"those that have pods are: {', '.join(there)}"
            if there
            else "give the object that makes the pods, such as a Deployment",
        )
    if len(found) > 1:
        raise WorkloadUnclear(
            f"{named(found[0].identity)} is there {len(found)} times, in several namespaces",
            says="say which one",
            choice=_choice(found),
        )
    _refuse_part(found[0])
    if not pod_pointers(found[0].value):
        raise BadInput(
            f"{named(found[0].identity)} has no containers",
            remedy="choose an object that has a pod's template, such as a Deployment",
        )
    return _workload(found[0])


def _workload(manifest: Manifest) -> Workload:
    pointer, *others = pod_pointers(manifest.value)
    if others:
        templates = [p.split("/")[-2] for p in (pointer, *others)]
        raise BadInput(
            f"{named(manifest.identity)} makes pods of {len(templates)} templates "
            f"({', '.join(templates)}), and a change of one would leave the others as they are",
            remedy="change all of them by hand, alike; explain shows what to change",
        )
    pod = value_at(manifest.value, pointer)
    _refuse_sidecar(manifest, pod, pointer)
    engines = engine_containers(pod)
    if not engines:
        raise BadInput(
            f"nothing in {named(manifest.identity)} starts vLLM, speaks of it, or asks for GPUs",
            remedy="choose the object whose pods run the engine",
        )
    if len(engines) > 1:
        names = ", ".join(str(pod["containers"][at].get("name")) for at in engines)
        raise BadInput(
            f"which container of {named(manifest.identity)} is the engine cannot be told: {names}",
            remedy="let one of them start `vllm serve`, or run one engine in a pod",
        )
    return Workload(manifest=manifest, pod_pointer=pointer, engine=engines[0])


def _refuse_sidecar(manifest: Manifest, pod: dict[str, Any], pointer: str) -> None:
    """An engine among the initContainers that go on is not where a change would go."""
    best = max(likelihood(c) for c in pod["containers"])
    for at, container in enumerate(pod.get("initContainers") or []):
        rate = likelihood(container) if is_sidecar(container) else Likelihood.NONE
        if rate >= Likelihood.LIKELY and rate >= best:
            place = manifest.place(f"{pointer}/initContainers/{at}")
            raise BadInput(
                f"the engine of {named(manifest.identity)} is a sidecar, {container.get('name')} "
                f"among its initContainers ({place}), and only one among the containers is "
                "changed here",
                remedy="let the engine be one of the containers, and what waits for it another",
            )


def _none(objects: ObjectSet, perhaps: Sequence[Manifest]) -> BadInput:
    for manifest in objects:
        _refuse_part(manifest)
    if perhaps:
        names = ", ".join(_told_apart(perhaps)[:_MOST_NAMED])
        return WorkloadUnclear(
            f"no workload here starts vLLM where that can be seen; {names} may",
            says="if it does, say so",
            choice=_choice(perhaps),
        )
    kinds = sorted({m.identity.kind for m in objects})
    return WorkloadUnclear(
        "no workload here runs vLLM"
        + (f"; the objects are of kind {', '.join(kinds)}" if kinds else ""),
        says="give the Deployment, or whatever makes the pods, or name it",
        choice="KIND/NAME",
    )


def _refuse_part(manifest: Manifest) -> None:
    if is_part(manifest.value):
        raise BadInput(
            f"{named(manifest.identity)} is a KServe {manifest.identity.kind}: its controller "
            "writes the engine's container, so a change of it cannot be shown here",
            remedy="give the Deployment that KServe made of it, to see what the change would be",
        )


def _told_apart(manifests: Sequence[Manifest]) -> list[str]:
    """Each as `--target` takes it, with its namespace where another has the same name."""
    plain = [named(m.identity) for m in manifests]
    return [
        f"{said} -n {m.identity.namespace}"
        if plain.count(said) > 1 and m.identity.namespace
        else said
        for said, m in zip(plain, manifests, strict=True)
    ]


def _choice(manifests: Sequence[Manifest]) -> str:
    """One of them, as an example that chooses: an object that says no namespace has no such."""
    apart = _told_apart(manifests)
    return next((said for said in apart if " -n " in said), apart[0])
