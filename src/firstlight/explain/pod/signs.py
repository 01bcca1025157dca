"""
Signs of techniques at work, in what the cluster says about a pod.

Whether its node was made for it, whether its image was there, what an initContainer said
about the cache it brings. A restart in the same pod shows none of them: it waits neither for
a node nor for an image.
"""

from collections.abc import Mapping

from firstlight.core.evidence import Evidence
from firstlight.core.phases import Phase
from firstlight.core.signs import NOT_RESTORED, RESTORED, RESTORES_CACHE, Sign, Signs
from firstlight.explain.pod.image import other_on_node
from firstlight.explain.pod.log_paths import log_place
from firstlight.explain.pod.story import PodStory
from firstlight.explain.pod.timing import later
from firstlight.readers.kube.model import ContainerKind


def pod_signs(story: PodStory, last_words: Mapping[str, Evidence]) -> Signs:
    """
    What the pod's objects, events and initContainers show.

    Args:
        story: the pod and one run of its engine.
        last_words: the last line of each log, by artefact.
    """
    if story.image_arrival is None:
        return {}
    return {**_node(story), **_image(story), **_restored(story, last_words)}


def _node(story: PodStory) -> Signs:
    made = next((w for w in story.windows if w.phase is Phase.NODE_PROVISIONING), None)
    if made is not None:
        return {Sign.NODE_WAS_MADE: (made.begins.evidence, made.ends.evidence)}
    subject, node = story.subject, story.subject.node
    created = subject.pod.created
    claims = [c for c in subject.cluster.node_claims if c.node and c.node == subject.pod.node]
    known = [node.created if node else None, *(c.initialized for c in claims)]
    for stamp in known:
        if stamp is not None and created is not None and later(created, stamp):
            return {Sign.NODE_WAS_THERE: (stamp.evidence, created.evidence)}
    return {}


def _image(story: PodStory) -> Signs:
    arrival = story.image_arrival
    if arrival is None or arrival.pull is None or arrival.pull_evidence is None:
        return {}
    made = any(w.phase is Phase.NODE_PROVISIONING for w in story.windows)
    if arrival.pull.present:
        # On an older node an earlier pod may have pulled it; on this one nobody else was.
        return {Sign.IMAGE_PRESENT: (arrival.pull_evidence,)} if made else {}
    node, image = story.subject.node, arrival.image or arrival.pull.image
    other = other_on_node(story.subject, image) if made else None
    if node is not None and other is not None:
        return {Sign.IMAGE_OTHER: (node.image_evidence(other), arrival.pull_evidence)}
    return {Sign.IMAGE_PULLED: (arrival.pull_evidence,)}


def _restored(story: PodStory, last_words: Mapping[str, Evidence]) -> Signs:
    """That it ended with 0 says nothing: it does so whatever happens. Its words count."""
    pod = story.subject.pod
    inits = (c for c in pod.containers if c.kind is ContainerKind.INIT)
    restores = next((c for c in inits if c.name == RESTORES_CACHE), None)
    run = restores.current if restores else None
    if run is None or run.finished is None or run.exit_code != 0:
        return {}
    places = ((log_place(artefact), evidence) for artefact, evidence in last_words.items())
    mine = (pod.name, RESTORES_CACHE)
    said = [e for place, e in places if place and (place.pod, place.container) == mine]
    if run.message and run.evidence:
        path = f"Pod {story.subject.place}: container {RESTORES_CACHE}, its termination message"
        said.append(Evidence(artefact=run.evidence.artefact, text=run.message, path=path))
    for sign, words in ((Sign.CACHE_RESTORED, RESTORED), (Sign.CACHE_NOT_RESTORED, NOT_RESTORED)):
        if told := tuple(e for e in said if words in e.text):
            return {sign: told}
    return {}
