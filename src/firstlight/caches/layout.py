"""
Where things lie on a store.

    PREFIX/manifests/KEY.json               signed; written once, last
    PREFIX/archives/sha256-DIGEST.tar.zst   named by what is in it, so harmless to write again

Manifests are small and lie together, so that one listing finds all of them. A manifest is
written when its archive is there whole, and only if no other has that key: whoever is killed
before leaves an archive that nothing speaks of.
"""

MANIFESTS, ARCHIVES = "manifests/", "archives/"
_SUFFIX = ".json"


def manifest_path(key: str) -> str:
    """Where the manifest of a key lies."""
    return f"{MANIFESTS}{key}{_SUFFIX}"


def archive_path(name: str) -> str:
    """Where an archive lies."""
    return f"{ARCHIVES}{name}"


def key_of(path: str) -> str | None:
    """The key of a manifest's path; None for anything else."""
    name = path.removeprefix(MANIFESTS)
    if name == path or not name.endswith(_SUFFIX) or "/" in name:
        return None
    return name.removesuffix(_SUFFIX)
