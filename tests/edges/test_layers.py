import os
import subprocess
import sys
from pathlib import Path

import pytest

from firstlight.core.errors import OutsideFailed
from firstlight.core.page_cache import DROPPED
from firstlight.edges.layers import Layers
from firstlight.edges.page_cache import drop_page_cache


def written(folder: str, name: str) -> None:
    (Path(folder) / name).write_text("x")


def there(folder: str) -> list[str]:
    return sorted(path.name for path in Path(folder).iterdir())


def test_a_container_is_empty_before_every_round(tmp_path: Path) -> None:
    """Whatever the one before wrote into it."""
    layers = Layers(root=tmp_path / "layers")
    layers.prepare(0, empties_node=False)
    written(layers.container, "old")

    layers.prepare(0, empties_node=False)

    assert [] == there(layers.container)


def test_each_step_has_a_node_of_its_own_at_one_path(tmp_path: Path) -> None:
    """What a step wrote is there when it comes round again, and nowhere else."""
    layers = Layers(root=tmp_path / "layers")
    for step in (1, 2):
        layers.prepare(step, empties_node=True)
        written(layers.node, f"of-{step}")

    layers.prepare(1, empties_node=False)
    assert ["of-1"] == there(layers.node)
    layers.prepare(2, empties_node=False)
    assert ["of-2"] == there(layers.node)
    layers.prepare(2, empties_node=True)
    assert [] == there(layers.node)
    layers.prepare(1, empties_node=False)
    assert ["of-1"] == there(layers.node)


def test_nothing_is_left_of_what_was_emptied(tmp_path: Path) -> None:
    """Also where somebody was killed on the way."""
    layers = Layers(root=tmp_path / "layers")
    (layers.root / "gone" / "half").mkdir(parents=True)
    (layers.root / ".node.abc").symlink_to("nodes/07")

    layers.prepare(0, empties_node=True)

    assert ["container", "node", "nodes"] == there(str(layers.root))


def test_what_lies_behind_a_link_is_not_emptied(tmp_path: Path) -> None:
    """An engine may link to a folder of somebody's."""
    layers = Layers(root=tmp_path / "layers")
    layers.prepare(0, empties_node=True)
    (tmp_path / "mine").mkdir()
    written(str(tmp_path / "mine"), "kept")
    (Path(layers.container) / "link").symlink_to(tmp_path / "mine")

    layers.prepare(0, empties_node=True)
    layers.remove()

    assert ["kept"] == there(str(tmp_path / "mine"))
    assert not layers.root.exists()


def test_an_engine_that_still_runs_on_them_is_seen(tmp_path: Path) -> None:
    """By its environment; and it is waited for."""
    layers = Layers(root=tmp_path / "layers")
    code = "print(flush=True); import time; time.sleep(60)"
    with subprocess.Popen(
        [sys.executable, "-c", code],
        env={**os.environ, "CACHE": f"{layers.node}/x"},
        stdout=subprocess.PIPE,
    ) as engine:
        assert engine.stdout is not None
        engine.stdout.readline()
        assert (engine.pid,) == layers.wait_until_unused(seconds=0)
        engine.kill()

    assert () == layers.wait_until_unused(seconds=1)


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    """With its name."""
    (tmp_path / "layers").write_text("a file")

    with pytest.raises(OutsideFailed, match="layers"):
        Layers(root=tmp_path / "layers").prepare(0, empties_node=True)


def test_the_page_cache_is_dropped_where_that_is_permitted(tmp_path: Path) -> None:
    """And where it is not, the answer says why."""
    control = tmp_path / "drop_caches"
    control.touch()

    assert DROPPED == drop_page_cache(control)
    assert "1" == control.read_text()
    assert "not permitted (Is a directory)" == drop_page_cache(tmp_path)
