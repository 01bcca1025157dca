"""
Make a small model that a real vLLM serves, with nothing downloaded.

A Qwen3 of 8 layers and hidden size 512 with random weights, and a tokenizer
trained on a few lines of text written here. It answers nonsense, but every
step of a start is the real one: config, tokenizer, safetensors, compile.

usage: tiny_model.py FOLDER
"""

import json
import sys
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

SEED = 20260301
VOCABULARY = 2048
END = "<|end|>"
SPECIAL = [END, "<|user|>", "<|assistant|>"]
CORPUS = [
    "A pod waits for a node, a node waits for an image, an image waits for a disk.",
    "Weights travel from the store to the card, and the engine compiles what it will run.",
    "Every second of a start has a name, and the ones without a name are counted too.",
    "0 1 2 3 4 5 6 7 8 9 10 20 50 100 1000",
] * 50
CHAT_TEMPLATE = (
    "{% for m in messages %}<|{{ m['role'] }}|>{{ m['content'] }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def tokenizer() -> PreTrainedTokenizerFast:
    """Train a byte-level BPE tokenizer: any text encodes, whatever it was trained on."""
    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=SPECIAL,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    raw.train_from_iterator(CORPUS, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=raw,
        eos_token=END,
        pad_token=END,
        chat_template=CHAT_TEMPLATE,
        model_max_length=2048,
    )


def model() -> Qwen3ForCausalLM:
    """Make random weights in bfloat16, about 52 MB as safetensors; the same on every machine."""
    torch.manual_seed(SEED)
    config = Qwen3Config(
        vocab_size=VOCABULARY,
        hidden_size=512,
        intermediate_size=1536,
        num_hidden_layers=8,
        num_attention_heads=8,
        num_key_value_heads=4,
        head_dim=64,
        max_position_embeddings=2048,
        tie_word_embeddings=True,
        eos_token_id=0,
        pad_token_id=0,
    )
    return Qwen3ForCausalLM(config).to(torch.bfloat16)


def main() -> None:
    """Write tokenizer, config and weights into the folder that was named."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer().save_pretrained(folder)
    made = model()
    made.save_pretrained(folder, safe_serialization=True)
    parameters = sum(p.numel() for p in made.parameters())
    print(json.dumps({"folder": str(folder), "parameters": parameters}))


if __name__ == "__main__":
    main()
