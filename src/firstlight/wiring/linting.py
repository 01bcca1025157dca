"""
Joining `lint` to what somebody gives: files, folders, an intent, a cluster.

Rules are pure and see one scene. What goes into it is fetched here: the objects of every
input, the comments that set findings aside, the techniques, and what the user states.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from firstlight.core.errors import BadInput
from firstlight.lint.annotations import annotated
from firstlight.lint.answer import LintAnswer
from firstlight.lint.choice import chosen, rule_of
from firstlight.lint.comments import commented
from firstlight.lint.engines_seen import engine_seen
from firstlight.lint.joined import joined
from firstlight.lint.linting import Linted, lint, of_all_steps
from firstlight.lint.measured_start import not_held
from firstlight.lint.not_sized import not_sized
from firstlight.lint.rules.table import RULES
from firstlight.lint.scene import Scene, Stated, scene
from firstlight.lint.suppression import Suppression, Written
from firstlight.manifests.objects import Manifest, ObjectSet
from firstlight.manifests.well_formed import check_form
from firstlight.readers.manifest_text import decoded
from firstlight.wiring.cards import deck
from firstlight.wiring.cluster_access import ClusterAccess
from firstlight.wiring.given import Given
from firstlight.wiring.given_objects import Documents, given_objects, is_live, read_one
from firstlight.wiring.rendering_steps import IntentSteps, holds_intent

_CODES = frozenset(rule.code for rule in RULES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is to be judged, and by what."""

    codes: tuple[str, ...] = ()
    """The rules that are meant; empty for all."""
    ignored: Mapping[str, str] = field(default_factory=dict)
    """Rules to set aside everywhere, each with the reason."""
    stated: Stated = field(default_factory=Stated)
    records: tuple[str, ...] = ()
    """Starts to take the p95 from, whatever `explain` reads; empty for what is stated."""


def lint_given(given: Sequence[str], question: Question) -> LintAnswer:
    """
    Judge files, folders, standard input, or an intent.

    Raises:
        BadInput: something cannot be read, is no Kubernetes object, or contradicts another.
        OutsideFailed: kustomize failed.
    """
    read = {one: read_one(one) for one in dict.fromkeys(given)}
    for one, documents in read.items():
        if documents is None or not holds_intent(documents):
            continue
        if len(read) > 1:
            raise BadInput(
                f"{one} is an intent, and its steps are looked at by themselves",
                remedy="give it alone",
            )
        return _lint_intent(documents, question)
    inputs = [given_objects(one, read=documents) for one, documents in read.items()]
    objects = joined(one.objects for one in inputs)
    stated, notes = _stated(question)
    return _lint_objects(
        objects,
        question,
        stated=stated,
        suppressions=_commented(inputs, objects),
        notes=(*(note for one in inputs for note in one.notes), *notes),
    )


def lint_live(
    targets: Sequence[str],
    question: Question,
    *,
    access: ClusterAccess,
    all_namespaces: bool = False,
) -> LintAnswer:
    """
    Judge what runs in a cluster.

    Args:
        targets: workloads, as deployment/NAME; empty for every one of the namespace.
        question: what is to be judged.
        access: which cluster.
        all_namespaces: every namespace, where no workload is named.

    Raises:
        BadInput: a target is no workload that is written by people.
        NothingFound: there is no such workload, or none that runs vLLM.
        OutsideFailed: the cluster cannot be reached, or not read.
    """
    # Speaking to a cluster takes an extra that files do without.
    from firstlight.wiring.live_scene import live_scene  # noqa: PLC0415

    seen = live_scene(targets, access=access, all_namespaces=all_namespaces)
    stated, notes = _stated(question)
    return _lint_objects(
        seen.objects,
        question,
        stated=replace(stated, policies_enforced=seen.policies.enforced),
        notes=(*seen.notes, seen.policies.says, *notes),
    )


def are_live(given: Sequence[str]) -> bool:
    """
    Whether workloads of a cluster are named.

    Raises:
        BadInput: some are, and others are files.
    """
    live = [one for one in given if is_live(one)]
    if live and len(live) < len(given):
        other = next(one for one in given if one not in live)
        raise BadInput(
            f"{live[0]} is in a cluster, and {other} is not",
            remedy="name workloads of a cluster, or files, not both",
        )
    return bool(live)


def _lint_intent(read: Documents, question: Question) -> LintAnswer:
    """The objects of every step, and each finding once."""
    intent = IntentSteps(read, records=question.records)
    stated = question.stated
    if stated.start_p95_s is None:
        stated = replace(
            stated, start_p95_s=intent.start_p95_s, start_p95_count=intent.start_p95_count
        )
    rules = chosen(question.codes, RULES)
    scenes = [_scene(step.objects, question, stated=stated) for step in intent.steps]
    return LintAnswer(
        linted=of_all_steps([lint(one, rules) for one in scenes]),
        rules=rules,
        objects=len(scenes[-1].objects.manifests),
        engines=tuple(dict.fromkeys(engine_seen(e) for one in scenes for e in one.engines)),
        stated=stated,
        notes=(),
        intent=read.name,
    )


def _lint_objects(
    objects: ObjectSet,
    question: Question,
    *,
    stated: Stated,
    suppressions: tuple[Suppression, ...] = (),
    notes: tuple[str, ...],
) -> LintAnswer:
    rules = chosen(question.codes, RULES)
    looked_at = _scene(objects, question, stated=stated, suppressions=suppressions)
    linted: Linted = lint(looked_at, rules)
    return LintAnswer(
        linted=linted,
        rules=rules,
        objects=len(objects.manifests),
        engines=tuple(engine_seen(engine) for engine in looked_at.engines),
        stated=stated,
        notes=tuple(
            dict.fromkeys(
                note for note in (*notes, not_held(looked_at), not_sized(looked_at)) if note
            )
        ),
    )


def _scene(
    objects: ObjectSet,
    question: Question,
    *,
    stated: Stated,
    suppressions: tuple[Suppression, ...] = (),
) -> Scene:
    check_form(objects)
    everywhere = (
        Suppression(code=rule_of(code, RULES).code, reason=reason, written=Written.OPTION)
        for code, reason in question.ignored.items()
    )
    return scene(
        objects,
        stated,
        deck=deck(),
        suppressions=(*annotated(objects), *suppressions, *everywhere),
        codes=_CODES,
    )


def _commented(inputs: Sequence[Given], objects: ObjectSet) -> tuple[Suppression, ...]:
    """What comments set aside, in the texts whose objects are looked at."""
    by_artefact: dict[str, list[Manifest]] = {}
    for manifest in objects:
        by_artefact.setdefault(manifest.artefact, []).append(manifest)
    files = {file.name: file for one in inputs for file in one.files}
    return tuple(
        suppression
        for name, file in files.items()
        for suppression in commented(decoded(name, file.data), by_artefact.get(name, []))
    )


def _stated(question: Question) -> tuple[Stated, tuple[str, ...]]:
    """What the user states, with the p95 of measured starts where there are such."""
    if not question.records:
        return question.stated, ()
    # Reading starts takes every reader there is; most calls bring none.
    from firstlight.wiring.measured_starts import p95_of  # noqa: PLC0415

    found = p95_of(question.records, instead="say --start-p95-s")
    stated = replace(question.stated, start_p95_s=found.seconds, start_p95_count=found.count)
    return stated, (found.says,)
