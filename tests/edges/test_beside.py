"""What another process makes, or this one where that came to nothing."""

import os

import pytest

from firstlight.edges import beside
from firstlight.edges.beside import Beside


def own_id() -> str:
    return str(os.getpid())


def test_it_is_made_by_another_process() -> None:
    assert str(os.getpid()) != Beside(own_id).text()


def test_a_process_that_dies_leaves_the_work_to_this_one() -> None:
    """Whatever killed it."""
    here = os.getpid()

    def dies() -> str:
        if os.getpid() != here:
            os._exit(9)
        return "made here"

    assert "made here" == Beside(dies).text()


def test_where_no_fork_is_safe_it_is_made_when_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(beside, "FORKS", False)

    assert str(os.getpid()) == Beside(own_id).text()
