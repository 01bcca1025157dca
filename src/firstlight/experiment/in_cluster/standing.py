"""
The objects of a step, put in place for a round; and those of the base, at the end.

The workload is changed by one patch that holds everything: the step's template, one replica,
and that the old pod ends before the new one begins. So whenever we are killed there is a
Deployment that works, at one step or another. The patch names the round in the template, so it
makes a new pod also where the round before was of the same step.

It replaces the template and does not merge into it: with an apply, what somebody else applied
once would stay where a step takes it out.

Other objects are made where they are not there, and changed where they are not as the step
has them. Those that one step has and another has not stay until the end: a claim that was taken
away and made again between rounds would be bound anew in each of them, and that would be timed.
At the end those that the base has not are removed, if this run made them: each says so itself.
"""

from collections.abc import Iterator, Sequence

from firstlight.core.errors import OutsideFailed
from firstlight.core.objects import Object, metadata, uid
from firstlight.experiment.in_cluster.places import Place, Places
from firstlight.experiment.in_cluster.ports import Cluster, Refused
from firstlight.experiment.object_setup import ObjectSetup
from firstlight.manifests.json_values import canonical_text, copied, covers
from firstlight.manifests.objects import Identity

MARK = "firstlight.dev/experiment"
"""On the workload while a run has it, and on what a run made: which run."""
ROUND = "firstlight.dev/round"
_ABSENT, _FORBIDDEN, _CONFLICT = 404, 403, 409
_NOT_CONTENT = ("apiVersion", "kind", "metadata", "status")
_AT_ONCE = {"type": "Recreate"}
_BY_DEFAULT = {"type": "RollingUpdate"}


class Standing:
    """The objects of one run's steps in one cluster."""

    def __init__(
        self, cluster: Cluster, setups: Sequence[ObjectSetup], *, namespace: str, run: str
    ) -> None:
        """
        Args:
            cluster: where they stand.
            setups: of each step, the base first.
            namespace: of the objects that say none.
            run: tells this run from all others.
        """
        self.places = Places(cluster, namespace=namespace)
        self._cluster = cluster
        self._setups = setups
        self._run = run
        self._as_put: dict[Identity, str] = {}

    def take(self) -> None:
        """
        Make the workload this run's, and have one where there is none.

        Raises:
            OutsideFailed: another run has it, or something is refused.
        """
        base = self._setups[0]
        place = self._place(base)
        live = self._cluster.get(place.path)
        if not isinstance(live, dict):
            if live.status != _ABSENT:
                raise _refused(live)
            self.bring(0)
            value = self._marked(base.manifest.value, place)
            self._done(self._cluster.create(place.list, {**value, "spec": _without_pods(value)}))
            return
        taken = self._maker(live)
        if taken not in (None, self._run):
            raise OutsideFailed(
                f"{base.target} is in the hands of another run of a plan ({taken})",
                remedy="wait for it or resume it; if it is gone for good, type `kubectl annotate "
                f"{place.resource} {base.target.name} -n {place.namespace} {MARK}-`",
            )
        version = metadata(live).get("resourceVersion")
        mark = {"resourceVersion": version, "annotations": {MARK: self._run}}
        answer = self._cluster.patch(place.path, {"metadata": mark})
        if not isinstance(answer, dict) and answer.status == _CONFLICT:
            raise OutsideFailed(
                f"{base.target} was changed by somebody else in this moment",
                remedy="see who does that, and begin again",
            )
        self._done(answer)

    def bring(self, step: int) -> None:
        """
        Have everything of a step but the workload.

        Raises:
            OutsideFailed: something is refused.
        """
        for manifest in self._setups[step].others:
            text = canonical_text(manifest.value)
            if self._as_put.get(manifest.identity) != text:
                self._have(manifest.value, manifest.identity)
                self._as_put[manifest.identity] = text

    def start(self, step: int, word: str) -> None:
        """
        Let the workload make a new pod of a step, once the one before is gone.

        Args:
            step: its number.
            word: tells this start from all others.

        Raises:
            OutsideFailed: it is refused.
        """
        setup = self._setups[step]
        template = copied(setup.manifest.value["spec"]["template"])
        about = template.get("metadata") or {}
        about["annotations"] = {**(about.get("annotations") or {}), ROUND: word}
        template["metadata"] = about
        self._workload(setup, template, replicas=1, strategy=_AT_ONCE)

    def put_back(self) -> list[str]:
        """
        Have the workload as at the base, and nothing that this run made beside it.

        Returns:
            What was done, in sentences.

        Raises:
            OutsideFailed: something is refused.
        """
        base = self._setups[0]
        spec = base.manifest.value["spec"]
        self.bring(0)
        self._workload(
            base,
            copied(spec["template"]),
            replicas=spec.get("replicas", 1),
            strategy=spec.get("strategy") or _BY_DEFAULT,
        )
        said = [f"{base.target} stands as at the base"]
        said += [f"{identity} is removed, which this run had made" for identity in self._removed()]
        for manifest in base.objects:
            place = self.places.of(manifest.value)
            live = self._cluster.get(place.path)
            if isinstance(live, dict) and self._maker(live) == self._run:
                self._done(self._cluster.patch(place.path, _annotated({MARK: None})))
        return said

    def _removed(self) -> Iterator[Identity]:
        """Take away what this run made and the base has not."""
        kept = {m.identity for m in self._setups[0].objects}
        others = {m.identity: m for setup in self._setups for m in setup.others}
        for identity, manifest in others.items():
            if identity in kept:
                continue
            place = self.places.of(manifest.value)
            live = self._cluster.get(place.path)
            if isinstance(live, dict) and self._maker(live) == self._run:
                self._done(self._cluster.delete(place.path, uid=uid(live)))
                yield identity

    def _have(self, value: Object, identity: Identity) -> None:
        place = self.places.of(value)
        live = self._cluster.get(place.path)
        if not isinstance(live, dict):
            if live.status != _ABSENT:
                raise _refused(live)
            self._done(self._cluster.create(place.list, self._marked(value, place)))
            return
        content = {key: inner for key, inner in value.items() if key not in _NOT_CONTENT}
        if not self._varies(identity) and covers(live, content):
            return
        body = [{"op": "add", "path": f"/{key}", "value": v} for key, v in content.items()]
        answer = self._cluster.patch(place.path, body, kind="json")
        if not isinstance(answer, dict):
            raise OutsideFailed(
                f"{identity} is not as the plan has it, and cannot be made so: {answer.words}",
                remedy="make the two alike, or delete the one in the cluster",
            )

    def _varies(self, identity: Identity) -> bool:
        there = [setup.objects.get(identity) for setup in self._setups]
        return len({canonical_text(one.value) for one in there if one is not None}) > 1

    def _workload(
        self, setup: ObjectSetup, template: Object, *, replicas: int, strategy: Object
    ) -> None:
        values = {"template": template, "replicas": replicas, "strategy": strategy}
        body = [{"op": "add", "path": f"/spec/{key}", "value": v} for key, v in values.items()]
        self._done(self._cluster.patch(self._place(setup).path, body, kind="json"))

    def _place(self, setup: ObjectSetup) -> Place:
        return self.places.of(setup.manifest.value)

    def _marked(self, value: Object, place: Place) -> Object:
        """An object as it is made by this run."""
        about = dict(metadata(value))
        about["annotations"] = {**(about.get("annotations") or {}), MARK: self._run}
        if place.namespace is not None:
            about["namespace"] = place.namespace
        return {**value, "metadata": about}

    def _maker(self, live: Object) -> str | None:
        """Which run made or took an object; None where none did."""
        found: str | None = (metadata(live).get("annotations") or {}).get(MARK)
        return found

    def _done(self, answer: Object | Refused) -> None:
        if not isinstance(answer, dict):
            raise _refused(answer)


def _without_pods(value: Object) -> Object:
    return {**value["spec"], "replicas": 0}


def _annotated(annotations: dict[str, str | None]) -> Object:
    return {"metadata": {"annotations": annotations}}


def _refused(answer: Refused) -> OutsideFailed:
    if answer.status == _FORBIDDEN:
        return OutsideFailed(
            f"you may not {answer.verb} {answer.resource}: {answer.words}",
            remedy="grant it; docs/rbac/experiment.yaml has all that an experiment needs",
        )
    return OutsideFailed(
        f"the cluster refuses to {answer.verb} {answer.resource} ({answer.status}): {answer.words}",
        remedy="see what its words name, then `firstlight experiment resume`",
    )
