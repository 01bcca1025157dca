"""A model made of nothing, in the form of published ones."""

import json
from pathlib import Path
from typing import Any

import pytest
from model import header, model

from firstlight.core.errors import BadInput, OutsideFailed


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As little of a tiny model as is taken over."""
    folder = tmp_path_factory.mktemp("tiny")
    config = {"vocab_size": 2048, "hidden_size": 512, "model_type": "qwen3", "eos_token_id": 0}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer.json").write_text("{}")
    (folder / "chat_template.jinja").write_text("{{ messages }}")
    (folder / "model.safetensors").write_bytes(b"not taken over")
    return folder


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, tiny: Path) -> Path:
    return model(tmp_path_factory.mktemp("models"), 0.3, like=tiny)


def headed(file: Path) -> tuple[int, dict[str, Any]]:
    """Where the numbers of a file begin, and its header."""
    with file.open("rb") as opened:
        length = int.from_bytes(opened.read(8), "little")
        return 8 + length, json.loads(opened.read(length))


def shards(made: Path) -> list[Path]:
    return sorted(made.glob("*.safetensors"))


def test_the_size_is_the_one_asked_for(made: Path) -> None:
    """As many layers as come nearest: within half a layer, in files of 250 MB at most."""
    sizes = [file.stat().st_size for file in shards(made)]

    assert abs(sum(sizes) - 300_000_000) < 61_500_000
    assert 1 < len(sizes)
    assert 250_010_000 > max(sizes)


def test_each_byte_belongs_to_one_tensor(made: Path) -> None:
    """The tensors of a file touch, begin where the header ends and end where the file does."""
    for file in shards(made):
        begin, said = headed(file)
        said.pop("__metadata__")
        offsets = sorted(tuple(one["data_offsets"]) for one in said.values())

        assert 0 == begin % 8
        assert 0 == offsets[0][0]
        assert [end for _, end in offsets[:-1]] == [start for start, _ in offsets[1:]]
        assert file.stat().st_size == begin + offsets[-1][1]


def test_the_index_names_the_file_of_each_tensor(made: Path) -> None:
    """What the index says is what the files hold, all of it."""
    index = json.loads((made / "model.safetensors.index.json").read_text())

    held = {
        name: file.name
        for file in shards(made)
        for name in headed(file)[1]
        if name != "__metadata__"
    }
    total = sum(file.stat().st_size - headed(file)[0] for file in shards(made))
    assert held == index["weight_map"]
    assert total == index["metadata"]["total_size"]


def test_the_numbers_keep_activations_finite(made: Path) -> None:
    """Norms are all one; what multiplies is small, has both signs, and is not all the same."""
    for file in shards(made):
        begin, said = headed(file)
        said.pop("__metadata__")
        with file.open("rb") as opened:
            for name, one in said.items():
                opened.seek(begin + one["data_offsets"][0])
                pairs = opened.read(200)
                if "norm" in name:
                    assert b"\x80\x3f" * 100 == pairs
                else:
                    assert {0x3C, 0xBC} == set(pairs[1::2])
                    assert 20 < len(set(pairs[0::2]))


def test_it_is_the_tiny_model_made_wide(made: Path, tiny: Path) -> None:
    """The configuration is the tiny one but for its sizes, and the tokenizer comes along."""
    config = json.loads((made / "config.json").read_text())

    assert (3072, "qwen3", 2048) == (
        config["hidden_size"],
        config["model_type"],
        config["vocab_size"],
    )
    assert config["num_hidden_layers"] == len(config["layer_types"])
    assert (tiny / "tokenizer.json").read_bytes() == (made / "tokenizer.json").read_bytes()
    assert not (made / "model.safetensors").exists()


def test_it_is_made_once(made: Path, tiny: Path) -> None:
    """A second call writes nothing."""
    before = {file: file.stat().st_mtime_ns for file in made.iterdir()}

    again = model(made.parent, 0.3, like=tiny)

    assert made == again
    assert before == {file: file.stat().st_mtime_ns for file in again.iterdir()}
    assert [made] == list(made.parent.iterdir())


def test_half_a_model_is_not_taken_for_one(tmp_path: Path, tiny: Path) -> None:
    """A folder without its last file, as a killed call may leave one, is made anew."""
    place = tmp_path / "qwen3-random-1x3072"
    place.mkdir()
    (place / "model-00001-of-00001.safetensors").write_bytes(b"half")

    made = model(tmp_path, 0.1, like=tiny)

    assert place == made
    assert 100_000_000 < sum(file.stat().st_size for file in made.iterdir())


def test_a_full_disk_is_said_before_anything_is_written(tmp_path: Path, tiny: Path) -> None:
    """No disk has room for this one."""
    with pytest.raises(OutsideFailed, match="does not fit") as refused:
        model(tmp_path, 1e7, like=tiny)

    assert "free some space" in refused.value.remedy
    assert [] == list(tmp_path.iterdir())


def test_no_tiny_model_is_a_sentence(tmp_path: Path) -> None:
    """It says how to get one."""
    with pytest.raises(BadInput, match="cannot be read") as refused:
        model(tmp_path, 0.1, like=tmp_path / "nothing")

    assert "make engine" in refused.value.remedy


def test_an_empty_header_is_a_header() -> None:
    """A length, and a document padded to eight bytes."""
    said = header([])

    assert len(said) - 8 == int.from_bytes(said[:8], "little")
    assert {"__metadata__": {"format": "pt"}} == json.loads(said[8:])
