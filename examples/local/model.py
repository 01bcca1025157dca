"""
A model large enough that reading it takes time, with nothing downloaded.

What a start does with weights depends on how many bytes there are and how they
lie: several files of a few hundred megabytes and an index, as published models
have. It does not depend on what they say. So the tokenizer is the tiny model's,
the architecture is its Qwen3 made wide, and the numbers are random: bfloat16
near 1/100 with a random sign, which keeps every activation finite. Wide and not
deep, because each layer is compiled and each start would be longer for it.

Written straight in the safetensors format: it is a length, a JSON header and the
numbers, and so neither torch nor numpy is needed here and a gigabyte takes
seconds. The same bytes on every machine.

    model(folder, gigabytes=1.1, like=ENGINE/model)    the folder that vLLM is given
"""

import json
import os
import random
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from firstlight.core.errors import BadInput, OutsideFailed

SEED = 20260301
SHARD_BYTES = 250_000_000
BYTES_OF_A_NUMBER = 2
WIDTH = 3072
INNER_WIDTH = 12288
HEADS, KEY_HEADS, HEAD_WIDTH = 16, 4, 128
ONE = b"\x80\x3f"
# Random bytes for all tensors, from another place in them for each: made once, because making
# them is the slow part.
POOL_BYTES = 64 * 1024 * 1024
# The upper byte of a bfloat16: the sign, and seven of the eight bits of the exponent. With either
# of these two it is between 1/128 and 1/32, or the same below zero.
SIGNED = bytes([0x3C] * 128 + [0xBC] * 128)
FINISHED = "made.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tensor:
    """One tensor of the model: its name, its shape, and whether it is all ones, as a norm is."""

    name: str
    shape: tuple[int, ...]
    ones: bool = False

    @property
    def size_bytes(self) -> int:
        """How many bytes it has in bfloat16."""
        size = BYTES_OF_A_NUMBER
        for length in self.shape:
            size *= length
        return size


def model(folder: Path, gigabytes: float, *, like: Path) -> Path:
    """
    Make the model in a folder of `folder`, once, and give that folder.

    `like` is the tiny model of `engine/prepare.py`: its tokenizer is used and its
    configuration widened. A try that was interrupted leaves nothing that is taken for a model.

    Raises:
        BadInput: there is no tiny model.
        OutsideFailed: it cannot be written, or does not fit.
    """
    config = _read(like / "config.json")
    layers = _layers(gigabytes, vocabulary=config["vocab_size"])
    place = folder / f"qwen3-random-{layers}x{WIDTH}"
    if (place / FINISHED).is_file():
        return place
    unfinished = folder / f".{place.name}.{os.getpid()}"
    try:
        _require_space(folder, gigabytes)
        unfinished.mkdir(parents=True)
        _beside_the_weights(unfinished, like, config, layers)
        _weights(unfinished, list(_tensors(layers, config["vocab_size"])))
        (unfinished / FINISHED).write_text(json.dumps({"layers": layers, "seed": SEED}))
        shutil.rmtree(place, ignore_errors=True)
        unfinished.rename(place)
    except OSError as failure:
        raise OutsideFailed(
            f"{folder}: the model could not be written: {failure.strerror or failure}",
            remedy="name another folder, or free some space",
        ) from failure
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return place


def _read(file: Path) -> dict[str, Any]:
    try:
        said: dict[str, Any] = json.loads(file.read_bytes())
    except (OSError, ValueError) as failure:
        raise BadInput(
            f"{file}: the tiny model's configuration cannot be read",
            remedy="run make engine, which makes the tiny model",
        ) from failure
    return said


def _require_space(folder: Path, gigabytes: float) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(folder).free
    if free < gigabytes * 1.1e9:
        raise OutsideFailed(
            f"{folder}: a model of {gigabytes:g} GB does not fit, {free / 1e9:.1f} GB are free",
            remedy="free some space, or name a folder on a larger disk",
        )


def _layers(gigabytes: float, *, vocabulary: int) -> int:
    """As many layers as come nearest to the size asked for, and one at least."""
    fixed = sum(t.size_bytes for t in _tensors(0, vocabulary))
    layer = sum(t.size_bytes for t in _tensors(1, vocabulary)) - fixed
    return max(1, round((gigabytes * 1e9 - fixed) / layer))


def _tensors(layers: int, vocabulary: int) -> Iterator[Tensor]:
    """All tensors in the order in which they are written: that of the model."""
    yield Tensor(name="model.embed_tokens.weight", shape=(vocabulary, WIDTH))
    for layer in range(layers):
        before = f"model.layers.{layer}."
        attention, perceptron = f"{before}self_attn.", f"{before}mlp."
        yield Tensor(name=f"{before}input_layernorm.weight", shape=(WIDTH,), ones=True)
        yield Tensor(name=f"{attention}q_proj.weight", shape=(HEADS * HEAD_WIDTH, WIDTH))
        yield Tensor(name=f"{attention}k_proj.weight", shape=(KEY_HEADS * HEAD_WIDTH, WIDTH))
        yield Tensor(name=f"{attention}v_proj.weight", shape=(KEY_HEADS * HEAD_WIDTH, WIDTH))
        yield Tensor(name=f"{attention}o_proj.weight", shape=(WIDTH, HEADS * HEAD_WIDTH))
        yield Tensor(name=f"{attention}q_norm.weight", shape=(HEAD_WIDTH,), ones=True)
        yield Tensor(name=f"{attention}k_norm.weight", shape=(HEAD_WIDTH,), ones=True)
        yield Tensor(name=f"{before}post_attention_layernorm.weight", shape=(WIDTH,), ones=True)
        yield Tensor(name=f"{perceptron}gate_proj.weight", shape=(INNER_WIDTH, WIDTH))
        yield Tensor(name=f"{perceptron}up_proj.weight", shape=(INNER_WIDTH, WIDTH))
        yield Tensor(name=f"{perceptron}down_proj.weight", shape=(WIDTH, INNER_WIDTH))
    yield Tensor(name="model.norm.weight", shape=(WIDTH,), ones=True)


def _beside_the_weights(folder: Path, like: Path, config: dict[str, Any], layers: int) -> None:
    """Write the configuration, and take over the tokenizer and what belongs to it."""
    for file in sorted(like.iterdir()):
        if file.suffix in {".json", ".jinja"} and file.name != "config.json":
            shutil.copyfile(file, folder / file.name)
    widened = config | {
        "hidden_size": WIDTH,
        "intermediate_size": INNER_WIDTH,
        "num_attention_heads": HEADS,
        "num_key_value_heads": KEY_HEADS,
        "head_dim": HEAD_WIDTH,
        "num_hidden_layers": layers,
        "max_window_layers": layers,
        "layer_types": ["full_attention"] * layers,
    }
    (folder / "config.json").write_text(json.dumps(widened, indent=2))


def _weights(folder: Path, tensors: list[Tensor]) -> None:
    """Write the shards, and the index that says which tensor lies in which."""
    shards: list[list[Tensor]] = [[]]
    for tensor in tensors:
        if shards[-1] and sum(t.size_bytes for t in (*shards[-1], tensor)) > SHARD_BYTES:
            shards.append([])
        shards[-1].append(tensor)
    pool = _pool()
    numbers = random.Random(SEED)  # noqa: S311  (numbers, no secrets)
    lies_in: dict[str, str] = {}
    for number, shard in enumerate(shards, start=1):
        name = f"model-{number:05}-of-{len(shards):05}.safetensors"
        lies_in |= {tensor.name: name for tensor in shard}
        with (folder / name).open("wb") as file:
            file.write(header(shard))
            for tensor in shard:
                for piece in _numbers_of(tensor, pool, numbers):
                    file.write(piece)
    index = {
        "metadata": {"total_size": sum(t.size_bytes for t in tensors)},
        "weight_map": lies_in,
    }
    (folder / "model.safetensors.index.json").write_text(json.dumps(index, indent=1))


def header(shard: list[Tensor]) -> bytes:
    """Give the first bytes of a safetensors file: where each tensor lies, and its shape."""
    ends = [0]
    for tensor in shard:
        ends.append(ends[-1] + tensor.size_bytes)
    said = {"__metadata__": {"format": "pt"}} | {
        tensor.name: {"dtype": "BF16", "shape": tensor.shape, "data_offsets": place}
        for tensor, place in zip(shard, pairwise(ends), strict=True)
    }
    text = json.dumps(said, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text


def _pool() -> memoryview:
    pool = bytearray(random.Random(SEED).randbytes(POOL_BYTES))  # noqa: S311
    pool[1::2] = pool[1::2].translate(SIGNED)
    return memoryview(pool).toreadonly()


def _numbers_of(
    tensor: Tensor, pool: memoryview, numbers: random.Random
) -> Iterator[bytes | memoryview]:
    """Give a tensor's bytes in pieces."""
    if tensor.ones:
        yield ONE * (tensor.size_bytes // BYTES_OF_A_NUMBER)
        return
    place = numbers.randrange(POOL_BYTES // BYTES_OF_A_NUMBER) * BYTES_OF_A_NUMBER
    left = tensor.size_bytes
    while left:
        piece = pool[place : place + left]
        yield piece
        left -= len(piece)
        place = 0
