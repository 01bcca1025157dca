"""
An engine's words as its own parser takes them.

vLLM's parser is Python's argparse with additions: underscores are dashes, `--no-X` undoes
`--X`, the last one counts, a prefix that fits one argument only is that argument, and
`--compilation-config.mode` is an argument of its own name. What has to be known of its
arguments to cut words into options is which take no value and which take several; both
were listed with the parser of 0.32, and older ones fit. An argument that is not in the
tables takes one value, unless a dash follows.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from firstlight.readers.words import Word

SHORT = {
    "-q": "--quantization",
    "-n": "--nnodes",
    "-r": "--node-rank",
    "-tp": "--tensor-parallel-size",
    "-pp": "--pipeline-parallel-size",
    "-dp": "--data-parallel-size",
    "-dcp": "--decode-context-parallel-size",
    "-pcp": "--prefill-context-parallel-size",
    "-dpn": "--data-parallel-rank",
    "-dpr": "--data-parallel-start-rank",
    "-dpl": "--data-parallel-size-local",
    "-dpa": "--data-parallel-address",
    "-dpp": "--data-parallel-rpc-port",
    "-dpb": "--data-parallel-backend",
    "-dph": "--data-parallel-hybrid-lb",
    "-dpe": "--data-parallel-external-lb",
    "-ep": "--enable-expert-parallel",
    "-sc": "--speculative-config",
    "-cc": "--compilation-config",
    "-ac": "--attention-config",
}
SAME = {"--device-memory-utilization": "--gpu-memory-utilization"}
"""Other spellings of one argument."""
_FLAG_BEGINS = ("enable-", "disable-", "use-", "skip-", "trust-", "return-")
_NO_FLAGS = frozenset({"--disable-access-log-for-endpoints"})
_FLAGS = frozenset(
    {
        "--aggregate-engine-logging",
        "--allow-credentials",
        "--allow-deprecated-quantization",
        "--async-scheduling",
        "--cohere-is-reasoning-model",
        "--cudagraph-metrics",
        "--data-parallel-external-lb",
        "--data-parallel-hybrid-lb",
        "--data-parallel-multi-port-external-lb",
        "--dcp-q-replicate",
        "--enforce-eager",
        "--exclude-tools-when-tool-choice-none",
        "--fail-on-environ-validation",
        "--fully-sharded-loras",
        "--grpc",
        "--headless",
        "--help",
        "--interleave-mm-strings",
        "--jit-monitor-verbose",
        "--kv-cache-metrics",
        "--kv-sharing-fast-prefill",
        "--language-model-only",
        "--log-error-stack",
        "--long-prefill-token-threshold-adaptive",
        "--mm-device-do-normalize",
        "--mm-encoder-only",
        "--numa-bind",
        "--ray-workers-use-nsight",
        "--scheduler-reserve-full-isl",
        "--sleep-mode-offload-cudagraph",
        "--specialize-active-lora",
        "--swa-bounded-replay",
        "--tokens-only",
    }
)
_SEVERAL = frozenset(
    {
        "--allowed-media-domains",
        "--api-key",
        "--collect-detailed-traces",
        "--cpu-offload-params",
        "--cudagraph-capture-sizes",
        "--ignore-patterns",
        "--kv-cache-dtype-skip-layers",
        "--logits-processors",
        "--lora-modules",
        "--lora-target-modules",
        "--numa-bind-cpus",
        "--numa-bind-nodes",
        "--offload-params",
        "--served-model-name",
        "--sleep-preserve-parameter-names",
    }
)
_NO_PREFIX = frozenset(
    {"--chat-template", "--config", "--grpc", "--model", "--numa-bind", "--quantization"}
    | {"--data-parallel-size", "--kv-cache-dtype", "--kv-cache-metrics"}
    | {"--reasoning-parser", "--tokenizer", "--watermark", "--long-prefill-token-threshold"}
)
"""Arguments that are the beginning of another's name, and are themselves."""
_SHORTEST_PREFIX = 6
_NUMBER = re.compile(r"-\d+(\.\d*)?|-\.\d+")
_SAYS_ARGUMENTS = re.compile(
    r"ARGS|ARGUMENTS|OPTS|OPTIONS|FLAGS|PARAMS|\$@|\$\*|\[[@*]\]", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One argument, where it stands."""

    name: str
    """Long, with dashes; of a negated one the name that it negates."""
    at: int
    """Index of its first word."""
    values: tuple[Word, ...] = ()
    joined: str | None = None
    """The value in the same word, behind `=`; None where it is not there."""
    negated: bool = False
    behind: Word | None = None
    """The word that its value is in, or that begins with it, where a variable stands there that
    may be more than a value; None where the value can be seen."""

    @property
    def value(self) -> str | None:
        """Its value, as written; None for a flag."""
        if self.joined is not None:
            return self.joined
        return self.values[0].text if self.values else None

    @property
    def length(self) -> int:
        """How many words it is."""
        return 1 + len(self.values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """The words of an engine, cut into options."""

    words: tuple[Word, ...]
    options: tuple[Option, ...]
    positionals: tuple[int, ...]
    """Indices of words that belong to no option: the model, behind `serve`."""
    open: tuple[int, ...]
    """Indices of words that may turn out to be any arguments."""

    def all(self, argument: str) -> tuple[Option, ...]:
        """Each time that an argument is given, in order."""
        return tuple(o for o in self.options if _is(o.name, argument))

    def last(self, argument: str) -> Option | None:
        """The one that counts; None where it is not given."""
        found = self.all(argument)
        return found[-1] if found else None


def arguments(words: Sequence[Word]) -> Arguments:
    """
    The words cut into options.

    A variable at the very beginning is the model, unless it is called after arguments.
    """
    options, positionals, opened = list[Option](), list[int](), list[int]()
    at = 0
    while at < len(words):
        word = words[at]
        if word.open and (at or _SAYS_ARGUMENTS.search(word.text)):
            opened.append(at)
            at += 1
        elif word.text.startswith("-") and len(word.text) > 1:
            options.append(_option(words, at))
            at += options[-1].length
        else:
            positionals.append(at)
            at += 1
    return Arguments(
        words=tuple(words),
        options=tuple(options),
        positionals=tuple(positionals),
        open=tuple(opened),
    )


def canonical(name: str) -> str:
    """The long form with dashes."""
    if not name.startswith("--"):
        return SHORT.get(short := name.partition(".")[0], short) + name[len(short) :]
    head, dot, tail = name.partition(".")
    head = head.replace("_", "-")
    return SAME.get(head, head) + dot + tail


def _option(words: Sequence[Word], at: int) -> Option:
    spelled, equals, joined = words[at].text.partition("=")
    name = canonical(spelled)
    negated = name.startswith("--no-")
    name = "--" + name.removeprefix("--no-") if negated else name
    takes_none = negated or equals or is_flag(name) or re.match(r"-O\d", spelled)
    values = () if takes_none else _values(words, at + 1, several=name in _SEVERAL)
    next_word = words[at + 1 + len(values)] if at + 1 + len(values) < len(words) else None
    hidden = not takes_none and not values and next_word is not None and next_word.open
    return Option(
        name=name,
        at=at,
        values=values,
        joined=joined if equals else None,
        negated=negated,
        behind=next_word if hidden else None,
    )


def _values(words: Sequence[Word], start: int, *, several: bool) -> tuple[Word, ...]:
    end = start
    while end < len(words) and _is_value(words[end]) and (several or end == start):
        if words[end].open and end > start:
            # The first one is a value in any case; a variable behind it may be arguments.
            break
        end += 1
    return tuple(words[start:end])


def _is_value(word: Word) -> bool:
    if word.open and _SAYS_ARGUMENTS.search(word.text):
        return False
    return not word.text.startswith("-") or " " in word.text or bool(_NUMBER.fullmatch(word.text))


def is_flag(name: str) -> bool:
    """Whether an argument takes no value; the parser refuses `--name=value` of such a one."""
    begins = name[2:].startswith(_FLAG_BEGINS)
    return name in _FLAGS or (begins and name not in _NO_FLAGS)


def _is(name: str, argument: str) -> bool:
    if name == argument:
        return True
    begins = len(name) >= _SHORTEST_PREFIX and argument.startswith(name)
    return begins and name not in _NO_PREFIX
