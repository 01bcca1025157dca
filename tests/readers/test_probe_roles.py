"""Who is who among the engine's processes."""

from typing import Any

import pytest

from firstlight.readers.probe_lines import ProbeFile, read_file
from firstlight.readers.probe_roles import Role, who_is_who
from tests.readers.probe_text import called, imported, opening, span, text


def file(pid: int, ppid: int, *records: dict[str, Any], **more: Any) -> ProbeFile:
    """The file of one process."""
    return read_file(f"{pid}-1.jsonl", text(opening(pid, ppid, **more), *records))


SERVE: dict[str, Any] = {"program": "vllm serve"}
SPAWNED: dict[str, Any] = {"program": "-c spawn_main"}


def test_a_start_with_all_its_processes() -> None:
    """Roles by name and program, depths by how many processes up the front end is."""
    people = who_is_who(
        [
            file(10, 1, **SERVE),
            file(11, 10, program="-m vllm.model_executor.models.registry"),
            file(12, 10, program="-c resource_tracker"),
            file(13, 10, called("EngineCore"), called("VLLM::EngineCore"), **SPAWNED),
            file(14, 13, called("VllmWorker-0"), called("VLLM::Worker_TP0"), **SPAWNED),
            file(15, 13, called("VllmWorker-1"), **SPAWNED),
            file(16, 14, program="-c"),
            file(17, 14, program="torch/_inductor/compile_worker/__main__.py"),
            file(18, 10, called("VLLM_DP_Coordinator"), **SPAWNED),
        ]
    )

    assert {
        10: (Role.FRONT_END, None, None, 0),
        11: (Role.INSPECTION, None, 10, 1),
        12: (Role.TRACKER, None, 10, 1),
        13: (Role.ENGINE_CORE, None, 10, 1),
        14: (Role.WORKER, 0, 13, 2),
        15: (Role.WORKER, 1, 13, 2),
        16: (Role.HELPER, None, 14, 3),
        17: (Role.COMPILER, None, 14, 3),
        18: (Role.COORDINATOR, None, 10, 1),
    } == {pid: (p.role, p.rank, p.parent, p.depth) for pid, p in people.items()}


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("EngineCore_DP1", Role.ENGINE_CORE),
        ("EngineCore_0", Role.ENGINE_CORE),
        ("VLLM::EngineCor", Role.HELPER),
        ("ApiServer_0", Role.FRONT_END),
        ("VLLM::APIServer", Role.FRONT_END),
        ("DPCoordinator", Role.COORDINATOR),
        ("Process-1", Role.HELPER),
    ],
)
def test_names_of_several_versions(name: str, role: Role) -> None:
    """Versions name their processes differently; a name that says nothing decides nothing."""
    people = who_is_who([file(1, 0, **SERVE), file(2, 1, called(name), **SPAWNED)])

    assert role == people[2].role


def test_work_tells_a_process_without_a_name() -> None:
    """Older versions call their processes Process-1."""
    people = who_is_who(
        [
            file(1, 0, **SERVE),
            file(2, 1, called("Process-1"), span("engine core", "construction", 1, 2)),
            file(3, 2, called("Process-1:1"), span("construction", "worker", 1, 2)),
        ]
    )

    assert [Role.FRONT_END, Role.ENGINE_CORE, Role.WORKER] == [p.role for p in people.values()]


def test_a_worker_inside_the_engine_core_makes_no_worker() -> None:
    """With one device the engine core does the worker's work itself."""
    core = [span("construction", "worker", 2, 3), span("engine core", "construction", 1, 4)]

    people = who_is_who([file(1, 0, **SERVE), file(2, 1, *core, **SPAWNED)])

    assert Role.ENGINE_CORE == people[2].role


def test_a_forked_child_is_not_taken_for_its_parent() -> None:
    """It shows the command line of the process it was forked from."""
    people = who_is_who([file(1, 0, **SERVE), file(2, 1, forked=True, **SERVE)])

    assert Role.HELPER == people[2].role


def test_what_started_the_front_end_is_a_launcher() -> None:
    """It is as deep as the front end, which it waits for."""
    people = who_is_who([file(1, 0, program="run.py"), file(2, 1, **SERVE), file(3, 2)])

    assert [(Role.LAUNCHER, 0), (Role.FRONT_END, 0), (Role.HELPER, 1)] == [
        (p.role, p.depth) for p in people.values()
    ]


def test_without_a_known_program_the_root_with_most_below_it_is_the_front_end() -> None:
    """Any program can embed the engine."""
    people = who_is_who([file(1, 0), file(5, 0), file(6, 5), file(7, 6)])

    assert [Role.HELPER, Role.FRONT_END, Role.HELPER, Role.HELPER] == [
        p.role for p in people.values()
    ]


def test_process_ids_in_a_ring_end() -> None:
    """Recycled ids can make a process its own ancestor."""
    people = who_is_who([file(1, 2), file(2, 1), file(3, 3)])

    assert Role.FRONT_END == people[3].role
    assert all(p.depth <= 64 for p in people.values())


def test_a_file_without_its_first_line_has_no_parent() -> None:
    """It still takes part."""
    people = who_is_who([read_file("9-1.jsonl", text(imported("torch", 1, 2)))])

    assert (None, Role.FRONT_END) == (people[9].parent, people[9].role)


def test_no_files_no_processes() -> None:
    """A start that was not probed."""
    assert {} == who_is_who([])
