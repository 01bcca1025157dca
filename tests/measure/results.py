"""What a measured round left, for tests that look into it."""

from pathlib import Path

from firstlight.core.errors import EngineFailed
from firstlight.edges.stored_round import StoredRound, read_round
from firstlight.measure.round import RoundResult
from tests.measure.conftest import record


def stored(result: RoundResult) -> StoredRound:
    return read_round(Path(result.folder))


def problem(result: RoundResult) -> str:
    assert isinstance(result.failure, EngineFailed)
    assert result.failure.remedy
    assert record(result)["problem"]["message"] == result.failure.message
    return result.failure.message


def behind(shell: str, command: tuple[str, ...]) -> tuple[str, ...]:
    """A command that does something before it becomes another."""
    return ("sh", "-c", f'{shell}; exec "$@"', "sh", *command)
