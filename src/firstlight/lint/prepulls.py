"""
What is pulled before a pod asks for it.

Nodes are told to pull in their user data, by a DaemonSet that runs from the image and does
nothing, or by an operator's object. Each names images, and a name that is not the pod's own
pulls gigabytes that nobody uses, without a word.

User data is any script. So nothing is carried out: where it pulls, every word that looks like
a reference counts as one that it may pull, and a word with a variable in it as unknown.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from firstlight.core.image_reference import are_one_image, repository
from firstlight.lint.scene import Scene
from firstlight.manifests.karpenter_references import CLASS_KIND
from firstlight.manifests.objects import Manifest
from firstlight.manifests.pod_templates import likelihood, pod_pointers
from firstlight.readers.engine_likelihood import Likelihood
from firstlight.readers.json_pointer import value_at
from firstlight.readers.kube.fields import mappings, text, within

USER_DATA = "/spec/userData"
_PULLS = re.compile(r"\b(?:ctr|crictl|nerdctl|docker|podman|finch)\b[^\n;|&]*\bpull\b")
_COMMENT = re.compile(r"(?m)^[ \t]*#(?!!).*$")
_WORD = re.compile(r"[A-Za-z0-9$][\w.$/:@{}-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepull:
    """An object that has images pulled."""

    manifest: Manifest
    pointer: str
    """Where it says so."""
    references: tuple[str, ...]
    """Every reference in it, as written; of a script, every word that may be one."""
    script: bool
    """The references are words of a script, and may be parts of one that is put together."""

    def has(self, image: str) -> bool:
        """Whether it certainly has this image pulled."""
        return any(are_one_image(reference, image) for reference in self.of(image) or ())

    def of(self, image: str) -> tuple[str, ...] | None:
        """
        The references of an image's repository, whatever their tags.

        Returns:
            None where one of them is not known to its end.
        """
        wanted = repository(image)
        last = wanted.rpartition("/")[2]
        found = [r for r in self.references if last in r and _begins(r, wanted)]
        unknown = any("$" in r or "{" in r or (self.script and _is_bare(r)) for r in found)
        return None if unknown else tuple(found)


class Prepulls:
    """Everything among the objects that pulls images beforehand."""

    def __init__(self, scene: Scene) -> None:
        self.all = tuple(_prepulls(scene))
        self._pulled: dict[str, bool] = {}

    def have(self, image: str) -> bool:
        """Whether one of them has exactly this image pulled."""
        if image not in self._pulled:
            self._pulled[image] = any(one.has(image) for one in self.all)
        return self._pulled[image]


def _prepulls(scene: Scene) -> Iterator[Prepull]:
    for manifest in scene.of_kind(CLASS_KIND):
        script = pulling_script(text(value_at(manifest.value, USER_DATA)))
        if script:
            words = tuple(dict.fromkeys(_WORD.findall(script)))
            yield Prepull(manifest=manifest, pointer=USER_DATA, references=words, script=True)
    for manifest in scene.of_kind("DaemonSet"):
        yield from _of_daemon_set(manifest)
    for manifest in scene.of_kind("ImagePullJob", "ImageListPullJob", "ImageCache"):
        yield from _of_operator(manifest)


def pulling_script(user_data: str) -> str | None:
    """User data without its comments; None where it pulls no image."""
    said = _COMMENT.sub("", user_data)
    return said if _PULLS.search(said) else None


def _of_daemon_set(manifest: Manifest) -> Iterator[Prepull]:
    for pod_pointer in pod_pointers(manifest.value):
        pod = value_at(manifest.value, pod_pointer)
        found = [
            (f"{pod_pointer}/{field}/{index}/image", text(container.get("image")))
            for field in ("initContainers", "containers")
            for index, container in enumerate(mappings(pod.get(field)))
            if likelihood(dict(container)) < Likelihood.LIKELY
        ]
        if found:
            yield Prepull(
                manifest=manifest,
                pointer=found[0][0],
                references=tuple(image for _, image in found if image),
                script=False,
            )


def _of_operator(manifest: Manifest) -> Iterator[Prepull]:
    spec = within(manifest.value, "spec")
    listed = within(spec, "images")
    said = [within(spec, "image"), *(listed if isinstance(listed, list) else [])]
    for one in mappings(within(spec, "cacheSpec")):
        images = one.get("images")
        said += images if isinstance(images, list) else []
    references = tuple(filter(None, (text(one) or text(within(one, "name")) for one in said)))
    if references:
        yield Prepull(manifest=manifest, pointer="/spec", references=references, script=False)


def _begins(reference: str, wanted: str) -> bool:
    """Whether it may be of a repository: it is, as far as it can be read."""
    fixed = re.split(r"[${]", reference, maxsplit=1)[0].rstrip(":@")
    return bool(fixed) and repository(fixed) == wanted


def _is_bare(reference: str) -> bool:
    return "@" not in reference and ":" not in reference.rpartition("/")[2]
