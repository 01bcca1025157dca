"""What could not be seen of an engine is said, because rules about it stay silent."""

import pytest

from firstlight.lint.engines_seen import engine_seen
from firstlight.lint.scene import scene
from tests.lint.judging import objects_of

POD = """\
apiVersion: v1
kind: Pod
metadata: {{name: a}}
spec:
  containers:
  - name: engine
    image: vllm/vllm-openai:v0.30.1
    resources: {{limits: {{nvidia.com/gpu: 1}}}}
    {words}
"""


@pytest.mark.parametrize(
    ("words", "unknown"),
    [
        ("args: [--model, m]", ()),
        ("command: [sh, -c, 'vllm serve m $EXTRA']", ("$EXTRA, given.yaml line 9",)),
        (
            "args: [--model, m, --config, /etc/c.yaml]",
            ("the file /etc/c.yaml, given.yaml line 9",),
        ),
        ("command: [/start.sh]", ("its command line cannot be told from the manifest",)),
    ],
)
def test_where_arguments_may_come_from(words: str, unknown: tuple[str, ...]) -> None:
    """A variable or a file that is not among the objects, or a command of somebody's own."""
    (engine,) = scene(objects_of(POD.format(words=words))).engines

    seen = engine_seen(engine)

    assert ("engine", unknown) == (seen.container, seen.unknown)
