"""
Joining `explain` to the files it reads.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from firstlight.core.errors import BadInput, NothingFound
from firstlight.core.evidence import Evidence
from firstlight.core.node_types import LINK_GBPS
from firstlight.core.records import LEDGER
from firstlight.core.starts import Start
from firstlight.edges.cache_listing import ListedRoot
from firstlight.edges.input_files import InputFile, find_inputs
from firstlight.edges.run_folder import ROUNDS
from firstlight.edges.run_store import ROUND_FILE, is_round, rounds_in
from firstlight.edges.stored_round import StoredRound, read_listing, read_round
from firstlight.explain.explain import explain_log
from firstlight.explain.pull_race import whole_pulls, with_image_signs
from firstlight.explain.round_fingerprint import round_fingerprint
from firstlight.explain.rounds import RoundArtefacts, explain_round
from firstlight.explain.together import Together, explain_together
from firstlight.measure.command import sets_its_environment
from firstlight.wiring.artefacts import heaps, read_artefacts, units
from firstlight.wiring.stakes import with_stakes

_BEFORE, _AFTER = "cache-before.json", "cache-after.json"
_OF_EVERYBODY = 3
"""A folder of so few parts (`/home/me`) is nobody's run, whoever measured into it."""


def explain_inputs(
    given: Sequence[str],
    *,
    link_gbps: float | None = None,
    node_type: str | None = None,
    captured_ns: int | None = None,
) -> list[Start]:
    """Explain every start in the named files, folders and bundles.

    Args:
        given: files, folders, archives, or `-`. Cluster objects and logs among the files are
            explained together, as are those of one folder; of several folders each by itself.
        link_gbps: the speed of the link the weights came over, where known.
        node_type: the node's instance type, instead of it.
        captured_ns: when tables with ages in them (`kubectl describe`) were made.

    Raises:
        BadInput: something named cannot be read.
        NothingFound: all was read, and there is no vLLM start in it.
    """
    speed = link_of(link_gbps, node_type)
    return [with_stakes(start) for start in _told(given, speed, captured_ns)]


def _told(
    given: Sequence[str], link_gbps: float | None = None, captured_ns: int | None = None
) -> list[Start]:
    """The starts of what is named, not yet held against the techniques' cards."""
    starts: list[Start] = []
    found: dict[str, list[InputFile]] = {}
    for argument in given:
        _refuse_run(Path(argument))
        rounds = _rounds(Path(argument))
        starts.extend(_of_folder(folder, link_gbps) for folder in rounds)
        if rounds != [Path(argument)]:
            found[argument] = find_inputs(argument, without=rounds)
    for heap in heaps(found):
        for together in units(heap):
            starts.extend(_of_files(together, link_gbps, captured_ns))
    if not starts:
        raise NothingFound(
            f"{', '.join(given)}: no line of a vLLM start is in it",
            remedy="give the log of the engine's container from its first line on "
            "(`kubectl logs POD -c CONTAINER --timestamps`, add --previous after a crash)",
        )
    return starts


def with_pulls_judged(
    starts: Sequence[Start], *, baseline: Sequence[str], prepulled: str | None
) -> list[Start]:
    """What the starts' image pulls mean, beside what somebody knows of a pull beforehand.

    Args:
        starts: explained ones.
        baseline: files and folders of starts that nothing was pulled for beforehand: how fast
            their images came is the rate that others are held against. Empty concludes nothing.
        prepulled: the reference that the nodes were told to pull; None where nobody says.

    Raises:
        BadInput: the baseline cannot be read, or no pull that others may be held against is in it.
    """
    pulls = whole_pulls(_told(baseline)) if baseline else ()
    if baseline and not pulls:
        raise BadInput(
            f"{', '.join(baseline)}: no whole pull of an image of known size is in it, onto a node "
            "that was made for its pod",
            remedy="give the bundle of a start on a new node, with the events of its pod, its node "
            "and its NodeClaim",
        )
    judged = [with_image_signs(start, baseline=pulls, prepulled=prepulled) for start in starts]
    # Most are what they were.
    return [
        before if after is before else with_stakes(after)
        for before, after in zip(starts, judged, strict=True)
    ]


def explain_folder(folder: Path, *, link_gbps: float | None = None) -> Start:
    """Explain one round from its folder.

    Raises:
        BadInput: the folder holds no finished round, or a damaged one.
    """
    return with_stakes(_of_folder(folder, link_gbps))


def explain_stored(stored: StoredRound, *, parts: bool = True) -> Start:
    """Explain one round that was read, not yet held against the techniques' cards.

    Args:
        stored: the round.
        parts: whether to name the parts of each phase; all else is the same without.

    Raises:
        BadInput: an artefact of it is damaged.
    """
    return _explained(stored, None, parts=parts)


def _of_folder(folder: Path, link_gbps: float | None) -> Start:
    return _explained(read_round(folder), link_gbps)


def _explained(stored: StoredRound, link_gbps: float | None, *, parts: bool = True) -> Start:
    folder = stored.folder
    # A wrapper may keep its caches elsewhere: then the folders that were listed are not its own.
    listed = sets_its_environment(stored.command)
    before = _listing(folder, _BEFORE) if listed else None
    return explain_round(
        RoundArtefacts(
            log_name=str(stored.log),
            log=InputFile(name=str(stored.log), path=stored.log).chunks(allow_empty=True),
            marks=stored.marks,
            record_name=str(folder / ROUND_FILE),
            offset_ns=stored.anchor_unix_ns - stored.anchor_monotonic_ns,
            probe_files=stored.probe_records(),
            cache_before=_paths(before),
            cache_after=_paths(_listing(folder, _AFTER)) if listed else None,
            listing_name=str(folder / _AFTER),
            published=_published(folder, before),
            problem=stored.problem,
            remedy=stored.remedy,
            fingerprint=round_fingerprint(
                stored.command,
                stored.fingerprint,
                probe=stored.probe,
                own_folders=own_folders(folder)
                + (own_folders(stored.written_to) if stored.written_to else ()),
            ),
            parts=parts,
        ),
        link_gbps=link_gbps,
    )


def own_folders(folder: Path) -> tuple[str, ...]:
    """Those of a round that hold nothing but what a run keeps for itself.

    The rounds of a label are in a folder, the labels of a run in another, beside them what it
    keeps for them. An experiment has its labels in `rounds`.
    """
    label = folder.absolute().parent
    run = label.parent.parent if label.parent.name == "rounds" else label.parent
    own = [folder.absolute(), label, *([run] if len(run.parts) > _OF_EVERYBODY else [])]
    return tuple(str(one) for one in own)


def _refuse_run(folder: Path) -> None:
    """The rounds of a plan are of several steps, and some only fill caches: no one set."""
    for run in (folder, *((folder.absolute().parent,) if folder.name == ROUNDS else ())):
        # os.path answers no where pathlib raises: a name that is too long is no folder.
        if os.path.isfile(run / LEDGER.file):  # noqa: PTH113
            raise BadInput(
                f"{folder} is a run of a plan: its rounds are of several steps, some fill caches, "
                "and some may have been cut off",
                remedy=f"name a folder below {run / ROUNDS}, or `firstlight experiment report "
                f"{run}`",
            )


def _rounds(folder: Path) -> list[Path]:
    """The finished rounds of `measure -- COMMAND` in a folder and the folders in it."""
    # os.path answers no where pathlib raises: a name that is too long is no folder.
    if not os.path.isdir(folder):  # noqa: PTH112
        return []
    return [folder] if is_round(folder) else list(rounds_in(folder))


def explain_files(
    files: Sequence[InputFile], link_gbps: float | None, captured_ns: int | None = None
) -> list[Start]:
    """The starts in files that may belong together; some of several may hold none."""
    return [with_stakes(start) for start in _of_files(files, link_gbps, captured_ns)]


def _of_files(
    files: Sequence[InputFile], link_gbps: float | None, captured_ns: int | None
) -> list[Start]:
    found = read_artefacts(files, captured_ns=captured_ns)
    if found.cluster.is_empty and not found.notes and not found.downloads:
        starts = [s for log in found.logs for s in explain_log(log, link_gbps=link_gbps)]
    else:
        starts = explain_together(
            Together(
                cluster=found.cluster,
                logs=found.logs,
                probes=found.probes,
                downloads=found.downloads,
                notes=found.notes,
                measured=found.measured,
                link_gbps=link_gbps,
            )
        )
    binary = next((log for log in found.logs if log.has_nul and not log.observations), None)
    if not starts and binary:
        raise BadInput(
            f"{binary.artefact} is binary, not a log", remedy="give a text log, plain or compressed"
        )
    return starts


def _listing(folder: Path, name: str) -> tuple[ListedRoot, ...] | None:
    """What lay in the cache folders; None where nobody listed them."""
    return read_listing(folder, name) if (folder / name).exists() else None


def _paths(roots: Sequence[ListedRoot] | None) -> dict[str, frozenset[str]] | None:
    """Paths by cache folder; None where nobody listed them, or not to the end."""
    if not roots or not all(root.complete for root in roots):
        return None
    return {root.root: frozenset(file.path for file in root.files) for root in roots}


def _published(folder: Path, roots: Sequence[ListedRoot] | None) -> Evidence | None:
    """That a published cache had been pulled before the start."""
    pulled = next((root for root in roots or () if root.published is not None), None)
    if pulled is None:
        return None
    where = pulled.published_in or pulled.root
    return Evidence(
        artefact=str(folder / _BEFORE),
        text=f"the published cache {str(pulled.published)[:12]} lies in {where}",
    )


def link_of(link_gbps: float | None, node_type: str | None) -> float | None:
    """The speed of the link in Gbps: as given, or of the node's type; None where nobody says."""
    if link_gbps is not None and node_type is not None:
        raise BadInput(
            "the link's speed is given twice, as --link-gbps and by --node-type",
            remedy="give one of them",
        )
    if node_type is None:
        return link_gbps
    if node_type not in LINK_GBPS:
        raise BadInput(
            f"the network speed of node type {node_type} is not known here",
            remedy="give it as --link-gbps (the vendor's instance table states it)",
        )
    return LINK_GBPS[node_type]
