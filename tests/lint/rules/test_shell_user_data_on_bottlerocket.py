"""A shell script as the user data of Bottlerocket nodes."""

import pytest

from firstlight.lint.rules.shell_user_data_on_bottlerocket import RULE
from tests.lint.rules.around import node_class, pool, said_by

SCRIPT = "#!/bin/bash\nctr images pull docker.io/vllm/vllm-openai:v0.26.0\n"
MIME = "MIME-Version: 1.0\n\n--//\nContent-Type: text/x-shellscript\n\n#!/bin/bash\ntrue\n--//--\n"


@pytest.mark.parametrize("data", [SCRIPT, MIME, "crictl pull vllm/vllm-openai:v0.26.0\n"])
def test_a_script(data: str) -> None:
    """With a head, in an archive, or by itself."""
    said = said_by(RULE, node_class(alias="bottlerocket@latest", userData=data), pool())

    assert 1 == len(said)
    assert "NodePool/gpu gets no nodes" in said[0]


def test_the_family_may_be_written_out() -> None:
    """`amiFamily` instead of an alias."""
    assert 1 == len(said_by(RULE, node_class(alias="", amiFamily="Bottlerocket", userData=SCRIPT)))


@pytest.mark.parametrize(
    "data",
    [
        '[settings.kubernetes]\n"max-pods" = 20\n',
        "#!/bin/bash\n# nothing but comments, which is TOML\n",
        "[settings\nbroken = yes\n",
        "",
    ],
)
def test_settings(data: str) -> None:
    """TOML, also such as is broken: that is no script."""
    assert [] == said_by(RULE, node_class(alias="bottlerocket@latest", userData=data))


@pytest.mark.parametrize("alias", ["al2023@latest", "al2@latest", ""])
def test_other_systems_take_scripts(alias: str) -> None:
    """And a class that does not say its system is not guessed at."""
    assert [] == said_by(RULE, node_class(alias=alias, userData=SCRIPT))
