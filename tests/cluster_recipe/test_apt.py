"""Debian's packages through the machine's own mirror."""

import json
from pathlib import Path

import pytest
from assembly.apt import mirror
from recipe.failures import CannotPrepare

URI = "http://mirror.invalid/debian/"


def target(codename: str = "bookworm", component: str = "main", key: str = "$(SIGNED_BY)") -> str:
    """A line in the form that was asked for; a variable without a value comes back as it is."""
    return json.dumps(
        {"REPO_URI": URI, "CODENAME": codename, "COMPONENT": component, "SIGNED_BY": key}
    )


@pytest.fixture
def apt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An apt-get that prints what lies beside it."""
    program = tmp_path / "apt-get"
    program.write_text('#!/bin/sh\ncat "$(dirname "$0")/targets"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return tmp_path / "targets"


def test_the_machines_mirror_is_used(apt: Path) -> None:
    """The first source of the release's main component; others are passed over."""
    lines = [target("bookworm-updates"), target(component="contrib"), target(), target("trixie")]
    apt.write_text("\n".join(lines))

    assert URI == mirror()


def test_its_key_goes_with_it(apt: Path) -> None:
    """A source that names its keyring is trusted by that keyring and no other."""
    apt.write_text(target(key="/usr/share/keyrings/some.gpg"))

    assert f"[signed-by=/usr/share/keyrings/some.gpg] {URI}" == mirror()


@pytest.mark.parametrize("lines", ["", target("trixie")])
def test_a_machine_of_another_release_is_refused(apt: Path, lines: str) -> None:
    """Binaries of one release on another would fail later, and less clearly."""
    apt.write_text(lines)

    with pytest.raises(CannotPrepare) as refused:
        mirror()

    assert "bookworm" in refused.value.message
    assert "Debian 12" in refused.value.remedy


def test_a_machine_without_apt_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The remedy names what works there."""
    monkeypatch.setenv("PATH", "/nowhere")

    with pytest.raises(CannotPrepare) as refused:
        mirror()

    assert "cluster you have" in refused.value.remedy
