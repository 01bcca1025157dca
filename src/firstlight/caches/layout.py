"""
Where things lie on a store.

    PREFIX/manifests/KEY.SIGNER.json        signed; written last
    PREFIX/archives/sha256-DIGEST.tar.zst   named by what is in it, so harmless to write again

Manifests are small and lie together, so that one listing finds all of them. A manifest is
written when its archive is there whole: whoever is killed before leaves an archive that nothing
speaks of. Each signer has a place of its own for a key, so that nobody can be kept from publishing
by what somebody else put there.
"""

from dataclasses import dataclass

MANIFESTS, ARCHIVES = "manifests/", "archives/"
_SUFFIX = ".json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a manifest lies, and so what it must be."""

    key: str
    signer: str
    """The id of a key that signed it, or the word for none."""

    @property
    def path(self) -> str:
        """Below the store's prefix."""
        return f"{MANIFESTS}{self.key}.{self.signer}{_SUFFIX}"


def archive_path(name: str) -> str:
    """Where an archive lies."""
    return f"{ARCHIVES}{name}"


def place_of(path: str) -> Place | None:
    """What a manifest's path says; None for anything else."""
    name = path.removeprefix(MANIFESTS)
    if name == path or not name.endswith(_SUFFIX) or "/" in name:
        return None
    key, _, signer = name.removesuffix(_SUFFIX).partition(".")
    return Place(key=key, signer=signer) if key and signer and "." not in signer else None
