"""
Which folders to list before and after a start, from the engine's environment.

Where a cache lies inside another's folder, the outer one is listed alone.
"""

from collections.abc import Mapping
from pathlib import PurePosixPath

from firstlight.core.cache_places import BYTECODE, CUDA, cache_places

_NOT_LISTED = frozenset({BYTECODE, CUDA})
"""Not looked at: a new file in one of these says nothing of a compile cache."""


def cache_roots(environment: Mapping[str, str], *, home: str, user: str) -> tuple[str, ...]:
    """
    Every folder to list, none of them inside another.

    Args:
        environment: the engine's.
        home: of the user, where HOME is not set.
        user: who runs the engine, where no variable says so.
    """
    places = cache_places(environment, home=home, user=user)
    named = {PurePosixPath(one.folder) for one in places if one.kind not in _NOT_LISTED}
    roots: list[PurePosixPath] = []
    for root in sorted(named, key=lambda path: len(path.parts)):
        if not any(root.is_relative_to(outer) for outer in roots):
            roots.append(root)
    return tuple(sorted(str(root) for root in roots))
