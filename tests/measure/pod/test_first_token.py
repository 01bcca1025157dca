"""One token from a pod that is Ready, or why there is none."""

import pytest

from tests.measure.pod.conftest import FakeAnswer, PodBench, a_start, record


@pytest.mark.parametrize(
    ("models", "tokens", "problem"),
    [
        (FakeAnswer(ok=False, status=401), {}, "the server asks for an API key"),
        (
            FakeAnswer(ok=False, status=403, own=True, words="no pods/proxy"),
            {},
            "grant the verbs get and create on pods/proxy",
        ),
        (FakeAnswer(ok=False, status=503, own=True, words="nobody listens"), {}, "nobody listens"),
        (
            FakeAnswer(ok=False, status=404),
            {False: FakeAnswer(ok=False, status=500, words="POST answered 500: out of memory")},
            "POST answered 500: out of memory",
        ),
        (
            FakeAnswer(model="tiny"),
            {
                False: FakeAnswer(ok=False, status=404, words="no completions"),
                True: FakeAnswer(ok=False, status=404, words="no chat"),
            },
            "no completions; no chat",
        ),
        (
            FakeAnswer(model="tiny"),
            {False: FakeAnswer(ok=False, status=401)},
            "the server asks for an API key",
        ),
    ],
)
def test_no_token_spoils_no_measurement(
    bench: PodBench, models: FakeAnswer, tokens: dict[bool, FakeAnswer], problem: str
) -> None:
    """Why none came is kept."""
    bench.script += a_start()
    bench.server.models_answer, bench.server.tokens = models, tokens

    told = record(bench.measured().folder)

    assert problem in told["first_token_problem"]
    assert (None, None, "ready") == (told["first_token_ns"], told["problem"], told["outcome"])


def test_a_server_of_chat_only(bench: PodBench) -> None:
    """Refused on one route, the token comes from the other."""
    bench.script += a_start()
    bench.server.tokens = {False: FakeAnswer(ok=False, status=404)}

    assert 80_000_000 == record(bench.measured().folder)["first_token_ns"]
    assert ["models of vllm-2", "completions", "chat"] == [a[0] for a in bench.server.asked]


def test_no_token_is_asked_for(bench: PodBench) -> None:
    """Where nobody wants one."""
    bench.script += a_start()

    told = record(bench.measured(first_token=False).folder)

    assert (None, None) == (told["first_token_ns"], told["first_token_problem"])
    assert [] == bench.server.asked
