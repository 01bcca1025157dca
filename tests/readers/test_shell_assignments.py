"""What a script has made of its variables when it starts the engine, held against a real shell."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from firstlight.readers.shell_assignments import Assignments, assignments
from firstlight.readers.shell_words import UnclosedQuote, commands

BASH = shutil.which("bash")
ENVIRONMENT = {"ARGS": "--of the-container"}


def when_started(script: str) -> Assignments:
    """What is known where the script starts the engine."""
    [words] = [words for words in commands(script) if "vllm" in [w.text for w in words]]
    return assignments(script, before=words[0].start)


KNOWN = [
    ("vllm serve $ARGS", "--of the-container"),
    ("ARGS='--port 1'\nvllm serve $ARGS", "--port 1"),
    ('set -e; ARGS="--port 1"; exec vllm serve $ARGS', "--port 1"),
    ("export ARGS=1; vllm serve $ARGS", "1"),
    ("export ARGS; vllm serve $ARGS", "--of the-container"),
    ("readonly A=2 ARGS=1; vllm serve $ARGS", "1"),
    ("A=2 ARGS=1; vllm serve $ARGS", "1"),
    ("ARGS=1 vllm serve $ARGS", "--of the-container"),
    ("cd / && ARGS=1 && vllm serve $ARGS", "1"),
    ("ARGS=1 && cd /; vllm serve $ARGS", "1"),
    ("ARGS=1 && vllm serve $ARGS & wait", "1"),
    ("ARGS=1\nif true; then OTHER=2; fi\nvllm serve $ARGS", "1"),
    ("if true; then :; fi; ARGS=1; vllm serve $ARGS", "1"),
    ("case x in x) OTHER=1;; (y) :;; esac; ARGS=1; vllm serve $ARGS", "1"),
    ("for a in 1 2; do :; done\nARGS=1\nvllm serve $ARGS", "1"),
    ("(cd /; OTHER=1); ARGS=1; vllm serve $ARGS", "1"),
    ("note() { echo; }; ARGS=1; vllm serve $ARGS", "1"),
    ("set -euo pipefail; ARGS=1; vllm serve $ARGS", "1"),
    ("IFS= read -r OTHER </dev/null; ARGS=1; vllm serve $ARGS", "1"),
    ("if ARGS=1; ! vllm serve $ARGS; then exit; fi", None),
]
UNKNOWN = [
    "ARGS=1\nARGS+=' 2'\nvllm serve $ARGS",
    'ARGS=1\nif true; then ARGS="$ARGS 2"; fi\nvllm serve $ARGS',
    "if true; then\n ARGS=1\nelse\n ARGS=2\nfi\nvllm serve $ARGS",
    "if true; then\n OTHER=1\n ARGS=1\nfi\nvllm serve $ARGS",
    "while true; do ARGS=1; break; done; vllm serve $ARGS",
    "for ARGS in 1 2; do :; done; vllm serve $ARGS",
    "for x in 1 2; do ARGS=$x; done; vllm serve $ARGS",
    "case x in x) ARGS=1;; esac; vllm serve $ARGS",
    "case x in (x) ARGS=1;; esac; vllm serve $ARGS",
    "{ ARGS=1; }; vllm serve $ARGS",
    "(ARGS=1); vllm serve $ARGS",
    "ARGS=1 | cat; vllm serve $ARGS",
    "true | ARGS=1; vllm serve $ARGS",
    "ARGS=1 & vllm serve $ARGS",
    "cd / && ARGS=1 & vllm serve $ARGS",
    "[ -n '' ] && ARGS=1; vllm serve $ARGS",
    "true || ARGS=1; vllm serve $ARGS",
    "cd / || exit && ARGS=1; vllm serve $ARGS",
    "f() { ARGS=1; }; f; vllm serve $ARGS",
    "function f { ARGS=1; }; f; vllm serve $ARGS",
    "f() { vllm serve $ARGS; }; ARGS=1; f",
    "vllm serve $ARGS; ARGS=1",
    "ARGS=1; ARGS=2; vllm serve $ARGS",
    "read -r ARGS <<X\n1\nX\nvllm serve $ARGS",
    "while read -r ARGS; do vllm serve $ARGS; done",
    "IFS= read -r ARGS </dev/null; vllm serve $ARGS",
    "printf -v ARGS %s 1; vllm serve $ARGS",
    "mapfile -t ARGS </dev/null; vllm serve $ARGS",
    "getopts ab ARGS; vllm serve $ARGS",
    "unset ARGS; vllm serve $ARGS",
    "declare ARGS=1; vllm serve $ARGS",
    "declare -u ARGS=a; vllm serve $ARGS",
    "export -n ARGS; vllm serve $ARGS",
    "command read ARGS </dev/null; vllm serve $ARGS",
    ": ${ARGS:=1}; vllm serve $ARGS",
    ": ${ARGS=1}; vllm serve $ARGS",
    "((ARGS=1)); vllm serve $ARGS",
    "((ARGS++)); vllm serve $ARGS",
    "echo $((ARGS += 1)); vllm serve $ARGS",
    "let ARGS=1; vllm serve $ARGS",
    "ARGS[0]=1; vllm serve $ARGS",
    "ARGS=(1 2); vllm serve $ARGS",
    "ARGS=$(cat /dev/null); vllm serve $ARGS",
    "ARGS=$OTHER; vllm serve $ARGS",
    ". ./env.sh; vllm serve $ARGS",
    "source env.sh; vllm serve $ARGS",
    "if [ -f x ]; then . x; fi; vllm serve $ARGS",
    "command . ./env.sh; vllm serve $ARGS",
    "eval ARGS=1; vllm serve $ARGS",
    "ARGS=1; eval true; vllm serve $ARGS",
    "if true; then ARGS=1; vllm serve $ARGS",
]


@pytest.mark.parametrize(("script", "expected"), KNOWN)
def test_a_variable_is_known_that_nothing_can_change(script: str, expected: str | None) -> None:
    """Assigned once, plainly, where nothing passes it over; or not at all."""
    assert expected == when_started(script).over(ENVIRONMENT)["ARGS"]


@pytest.mark.parametrize("script", UNKNOWN)
def test_any_other_variable_is_not_known(script: str) -> None:
    """What it is depends on what runs."""
    assert None is when_started(script).over(ENVIRONMENT)["ARGS"]


@pytest.mark.skipif(BASH is None, reason="no bash here")
@pytest.mark.parametrize("script", [script for script, expected in KNOWN if expected])
def test_the_shell_agrees(script: str, tmp_path: Path) -> None:
    """The real one hands the engine what was said."""
    stub = tmp_path / "vllm"
    stub.write_text('#!/bin/sh\nshift\nprintf %s "$*" >"$SAID"\n')
    stub.chmod(0o755)
    said = tmp_path / "said"
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "SAID": str(said), **ENVIRONMENT}

    subprocess.run([str(BASH), "-c", script], env=environment, check=False, cwd=tmp_path)

    assert when_started(script).over(ENVIRONMENT)["ARGS"] == said.read_text()


@pytest.mark.parametrize(
    ("script", "own"),
    [
        ('exec vllm serve "$@"', False),
        ('set -euo pipefail; vllm serve "$@"', False),
        ('set -o pipefail -e; vllm serve "$@"', False),
        ('set -- --port 1; vllm serve "$@"', True),
        ('set -e -- "$@" --port 1; vllm serve "$@"', True),
        ('set a; vllm serve "$@"', True),
        ('shift; vllm serve "$@"', True),
        ('while [ $# -gt 1 ]; do shift; done; vllm serve "$@"', True),
        ('f() { vllm serve "$@"; }; f 1', True),
        ('function f { vllm serve "$@"; }; f 1', True),
        ('. ./x; vllm serve "$@"', True),
        ("eval set -- 1; vllm serve $@", True),
    ],
)
def test_whose_arguments_they_are(script: str, own: bool) -> None:
    """A function has its own, and `set` and `shift` change them."""
    assert own is when_started(script).own_arguments


def test_another_separator_cuts_otherwise() -> None:
    """But not one that is for a single command."""
    assert not when_started("IFS=,; vllm serve $ARGS").splits_plainly
    assert when_started("IFS=, read a b; vllm serve $ARGS").splits_plainly


@pytest.mark.parametrize("opening", ['"$(', '$(echo "$(', '"${A:-', '"$(('])
def test_what_nests_too_deep_is_refused(opening: str) -> None:
    """And not by running out of stack."""
    with pytest.raises(UnclosedQuote):
        commands(opening * 2000)


@pytest.mark.parametrize("between", ["; ", " && ", "\n"])
def test_ten_thousand_assignments_are_read_at_once(between: str) -> None:
    """Each of them is looked at once, and none by walking over all the others."""
    script = between.join(f"A{number}=1" for number in range(10_000)) + between + "vllm serve"
    assert 10_000 == len(when_started(script).values)


def test_a_long_name_is_looked_at_once() -> None:
    """Letters without a blank behind an expansion: where a name begins is where letters begin."""
    script = 'B="${C}' + "a" * 200_000 + '"; ARGS=1; vllm serve $ARGS'
    assert "1" == when_started(script).values["ARGS"]


def test_a_variable_made_of_itself_is_not_known() -> None:
    """Twenty doublings are a million characters, and each begins with the one before."""
    script = "A=x\n" + "B=$A$A\nA=$B$B\n" * 20 + "vllm serve $A"
    assert {"A": None, "B": None} == dict(when_started(script).values)
