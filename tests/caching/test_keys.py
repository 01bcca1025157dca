"""Whose key signs, and whose counts."""

import base64
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from firstlight.caches.variables import KEY
from firstlight.core.errors import BadInput
from firstlight.edges.cache_keys import PRIVATE as WORD
from firstlight.edges.cache_keys import public_words
from firstlight.wiring.caching.keys import believed, signers
from tests.caching.small import PRIVATE, PUBLIC

LINE = f"{WORD}{base64.b64encode(PRIVATE).decode()}"


def test_a_secret_gives_the_key_by_a_variable(tmp_path: Path) -> None:
    """As a file of it would, with or without an end of line; nothing is made or kept."""
    environment = {"XDG_CONFIG_HOME": str(tmp_path)}

    assert (PRIVATE,) == signers(None, environment | {KEY: LINE})
    assert (PRIVATE,) == signers(None, environment | {KEY: f"{LINE}\n"})
    assert [] == list(tmp_path.iterdir())


def test_a_file_that_is_named_counts_before_it(tmp_path: Path) -> None:
    """Whoever says it means it."""
    file = tmp_path / "private.key"
    file.write_text(LINE)
    file.chmod(0o600)

    assert (PRIVATE,) == signers(file, {KEY: "nonsense"})


@pytest.mark.parametrize("value", ["", "nonsense", public_words(PUBLIC), f"{WORD}AAAA"])
def test_a_variable_without_a_key_is_refused(value: str) -> None:
    """Never signed with another one, and never shown."""
    with pytest.raises(BadInput, match=f"{KEY} holds no private key") as refused:
        signers(None, {KEY: value})
    assert not value or value not in str(refused.value)


@pytest.mark.parametrize("ask", [lambda: believed([LINE], {}), lambda: signers(Path(LINE), {})])
def test_a_private_key_in_the_wrong_place_is_not_shown(ask: Callable[[], object]) -> None:
    """What is wrong goes into logs and termination messages."""
    with pytest.raises(BadInput) as refused:
        ask()
    said = f"{refused.value} {refused.value.remedy}"
    assert LINE.removeprefix(WORD) not in said
    assert "private key" in said


def test_a_key_that_anybody_can_sign_for_is_refused() -> None:
    """Such as the zeros that somebody writes for want of one."""
    with pytest.raises(BadInput, match="a key that anybody can sign for"):
        believed([public_words(bytes(32))], {})


def test_what_is_given_is_believed_alone(tmp_path: Path) -> None:
    """Not what this user trusts besides."""
    environment = {"XDG_CONFIG_HOME": str(tmp_path)}
    signers(None, environment)

    assert (PUBLIC,) == believed([public_words(PUBLIC)], environment)
    assert (PUBLIC,) != believed([], environment)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody whom nobody knows")
def test_a_user_without_a_home_needs_a_key() -> None:
    """As containers run: no name, no HOME; said with what to give, and no fault of ours."""
    code = """
import os
from firstlight.core.errors import BadInput
from firstlight.wiring.caching.keys import believed, signers
os.setuid(54321)
for ask in (lambda: believed([], {}), lambda: signers(None, {})):
    try:
        ask()
    except BadInput as wrong:
        print(wrong.message, "|", wrong.remedy)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], env={}, capture_output=True, text=True, check=True
    )

    first, second = done.stdout.splitlines()
    assert "this user has no home folder, and so no keys | give one: --trust KEY" == first
    assert "this user has no home folder, and so no keys | give one: --key FILE" == second
