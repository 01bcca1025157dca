"""The list of arguments that the server prints, and the settings of the engine."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.readers.printed_arguments import printed_arguments, printed_settings


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("{}", {}),
        (
            "{'model_tag': 'org/m', 'trust_remote_code': True, 'max_model_len': 4096}",
            {"--model-tag": "org/m", "--trust-remote-code": "", "--max-model-len": "4096"},
        ),
        ("{'enable_prefix_caching': False}", {"--enable-prefix-caching": "false"}),
        ("{'served_model_name': ['a', 'b, c']}", {"--served-model-name": "a b, c"}),
        (
            "{'override': {'b': 1, 'a': [2]}, 'seed': None}",
            {"--override": '{"a": [2], "b": 1}'},
        ),
        (
            "{'mode': <Mode.FULL: 'full'>, 'a_config': AConfig(level=3, x=[1])}",
            {"--mode": "full", "--a-config": "AConfig(level=3, x=[1])"},
        ),
        ("""{'chat_template': 'it\\'s {"a"} ] ,'}""", {"--chat-template": """it's {"a"} ] ,"""}),
        (
            "Namespace(subparser='serve', model='m', lora=None, use=False, by=<f at 0x7fa>)",
            {"--model": "m", "--by": "<f>"},
        ),
    ],
)
def test_arguments_are_as_a_command_line_has_them(printed: str, expected: dict[str, str]) -> None:
    """Names with dashes; a flag is empty, a list its words; None says nothing."""
    assert expected == printed_arguments(printed)


@pytest.mark.parametrize(
    "printed",
    [
        "",
        "src_uri [s3://b/m] dest_path [/mnt/m]",
        "{'model': 'm', 'max_model",
        "{'model': 'm', 'long': 'be ... end', 'x': (1, 2}",
        "{'model': 'm', 'x': ['y'}",
        "{'model': 'm, 'x': 'y'}",
        "Namespace(model='m'",
    ],
)
def test_a_line_that_is_cut_or_another_tells_nothing(printed: str) -> None:
    """What it lacks cannot be told from what was not given."""
    assert printed_arguments(printed) is None


@given(st.dictionaries(st.from_regex(r"[a-z][a-z_]{0,8}", fullmatch=True), st.text(max_size=20)))
def test_any_text_comes_back_as_it_was_given(given_: dict[str, str]) -> None:
    """Quotes, brackets and commas in a value are the value's own."""
    expected = {f"--{name.replace('_', '-')}": value for name, value in given_.items()}
    # Of a parser's own two names nothing is an argument.
    expected.pop("--subparser", None)

    assert expected == printed_arguments(repr(given_))


@given(st.text(alphabet="{}()[]'\",:= \\aN1", max_size=40))
def test_no_text_breaks_it(text: str) -> None:
    """Whatever stands there is a list of arguments, or is not."""
    for printed in (text, f"{{{text}}}", f"Namespace({text})"):
        found = printed_arguments(printed)
        assert found is None or all(name.startswith("--") for name in found)
    assert all(isinstance(value, str) for value in printed_settings(text).values())


def test_settings_are_read_whatever_their_notation() -> None:
    """Enums of three kinds, types and texts; what is None or of no use here is left out."""
    config = (
        "model='/m', speculative_config=None, dtype=torch.bfloat16, max_seq_len=2048, "
        "load_format=LoadFormat.RUNAI_STREAMER, tensor_parallel_size=2, quantization=None, "
        "enforce_eager=False, decoding_config=DecodingConfig(backend='auto', seed=9), seed=0, "
        "compilation_config={'mode': <Mode.X: 3>, 'dtype': 'no'}"
    )

    assert {
        "model": "/m",
        "dtype": "torch.bfloat16",
        "max_seq_len": "2048",
        "load_format": "runai_streamer",
        "tensor_parallel_size": "2",
        "enforce_eager": "False",
        "seed": "0",
    } == printed_settings(config)


def test_settings_of_a_line_that_is_cut_are_those_before_the_cut() -> None:
    """Each stands for itself; the one in which the cut is does not count."""
    assert {"model": "m", "seed": "0"} == printed_settings("model='m', seed=0, dtype=torch.bf")
