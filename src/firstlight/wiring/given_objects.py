"""
Somebody's manifests, from wherever they are, as one set of objects.

A file, a folder, what kustomize builds of one, standard input, a cluster. A text given by
itself must be objects through and through; a folder may hold other YAML beside them, and what
was left out is said.
"""

from dataclasses import dataclass
from pathlib import Path

from firstlight.core.errors import BadInput
from firstlight.core.workloads import names_a_workload
from firstlight.edges.kustomize import built, is_kustomization
from firstlight.edges.manifest_files import ManifestFile, manifest_file, manifest_folder
from firstlight.manifests.reading import manifests_of, object_set
from firstlight.readers.manifests import kubernetes_objects, refuse_others
from firstlight.readers.marked_yaml import MarkedDocument, marked_documents
from firstlight.wiring.cluster_access import ClusterAccess
from firstlight.wiring.given import Given
from firstlight.wiring.live_objects import live_objects


@dataclass(frozen=True, slots=True, kw_only=True)
class Documents:
    """One text, read and not yet judged."""

    file: ManifestFile
    documents: tuple[MarkedDocument, ...]

    @property
    def name(self) -> str:
        return self.file.name


def is_live(given: str) -> bool:
    """Whether an argument names a workload of a cluster; a file of that name comes first."""
    return names_a_workload(given) and not Path(given).exists()


def read_one(given: str) -> Documents | None:
    """
    The documents of a file or of standard input; None where a folder or a workload is given.

    Raises:
        BadInput: it cannot be read, or is no YAML.
    """
    if not given:
        raise BadInput(
            "an empty text is the name of no file and no folder",
            remedy="give a file, a folder (`.` for this one), or `-` for standard input",
        )
    if is_live(given) or Path(given).is_dir():
        return None
    return _documents(manifest_file(given))


def given_objects(
    given: str, *, access: ClusterAccess | None = None, read: Documents | None = None
) -> Given:
    """
    The objects that an argument names.

    Args:
        given: a file, a folder, `-`, or deployment/NAME.
        access: to the cluster, for a workload; None where kubectl's own choice is meant.
        read: the documents of the argument, where they have been read already.

    Raises:
        BadInput: it cannot be read, or holds no Kubernetes object.
        NothingFound: there is no such workload.
        OutsideFailed: the cluster or kustomize failed.
    """
    if is_live(given):
        return live_objects(given, access=access or ClusterAccess())
    folder = Path(given)
    if given and folder.is_dir():
        if is_kustomization(folder):
            text = ManifestFile(name=f"{given} as built", data=built(folder))
            return _whole(_documents(text))
        return _folder(given)
    one = read or read_one(given)
    if one is None:
        raise ValueError("a folder and a workload have been told from a file already")
    return _whole(one)


def _documents(file: ManifestFile) -> Documents:
    documents = marked_documents(file.name, file.data)
    return Documents(file=file, documents=documents)


def _whole(one: Documents) -> Given:
    """A text in which every document is an object."""
    objects, others = kubernetes_objects(one.name, one.documents)
    refuse_others(one.name, others)
    if not objects:
        raise BadInput(
            f"{one.name} holds no Kubernetes object",
            remedy="give manifests, as `kubectl apply -f` takes them",
        )
    return Given(objects=object_set(manifests_of(one.name, objects)), files=(one.file,))


def _folder(given: str) -> Given:
    """A folder may hold other YAML too: it is left out and said."""
    folder = manifest_folder(given)
    read = [
        (one.file, *kubernetes_objects(one.name, one.documents))
        for one in map(_documents, folder.files)
    ]
    manifests = [one for file, objects, _ in read for one in manifests_of(file.name, objects)]
    notes = [
        f"{file.name} line {other.line} is left out: {other.is_what}"
        for file, _, others in read
        for other in others
    ]
    if not manifests:
        raise BadInput(
            f"the folder {given} holds no Kubernetes object",
            remedy="give a folder with manifests, as `kubectl apply -R -f` takes them",
        )
    return Given(
        objects=object_set(manifests),
        notes=(*folder.left_out, *notes),
        files=tuple(file for file, _, _ in read),
    )
