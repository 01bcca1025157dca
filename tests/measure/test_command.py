import pytest

from firstlight.core.errors import BadInput
from firstlight.measure.command import (
    ServerAddress,
    api_key,
    effective_environment,
    model_named,
    reachable,
    server_address,
    sets_its_environment,
)


@pytest.mark.parametrize(
    ("command", "url"),
    [
        ("vllm serve M", "http://127.0.0.1:8000"),
        ("vllm serve M --port 8001", "http://127.0.0.1:8001"),
        ("vllm serve M --port=8001 --host=0.0.0.0", "http://127.0.0.1:8001"),
        ("vllm serve M --port 1 --port 2", "http://127.0.0.1:2"),
        ("vllm serve M --host 10.1.2.3", "http://10.1.2.3:8000"),
        ("vllm serve M --host ::", "http://[::1]:8000"),
        ("vllm serve M --host fd00::7 --port 9", "http://[fd00::7]:9"),
        ("vllm serve M --host localhost", "http://localhost:8000"),
        ("vllm serve M --port many", "http://127.0.0.1:8000"),
        ("vllm serve M --port 0", "http://127.0.0.1:8000"),
        ("vllm serve M --port 99999", "http://127.0.0.1:8000"),
        ("vllm serve M --port", "http://127.0.0.1:8000"),
        ("vllm serve M --port --host ::1", "http://[::1]:8000"),
        ("vllm serve M --ssl-certfile c.pem --port 443", "https://127.0.0.1:443"),
        ("vllm serve M --ssl_certfile=c.pem", "https://127.0.0.1:8000"),
        ("vllm serve M --max-port 7", "http://127.0.0.1:8000"),
        (
            "python -m vllm.entrypoints.openai.api_server --port=8001 --host 0.0.0.0",
            "http://127.0.0.1:8001",
        ),
    ],
)
def test_the_address_is_read_from_the_command(command: str, url: str) -> None:
    """As vLLM's own parser would; what listens everywhere is asked on loopback."""
    assert server_address(command.split(), url=None).url == url


@pytest.mark.parametrize(
    ("command", "url", "expected"),
    [
        ("run.sh", None, (False, False)),
        ("run.sh --port 0", None, (False, False)),
        ("run.sh --port 8001", None, (False, True)),
        ("run.sh", "http://127.0.0.1:8000", (True, True)),
    ],
)
def test_it_is_known_how_sure_the_address_is(
    command: str, url: str | None, expected: tuple[bool, bool]
) -> None:
    """Given by the user, named by the command, or neither."""
    found = server_address(command.split(), url=url)

    assert (found.given, found.port_named) == expected


def test_a_given_url_counts_whatever_the_command_says() -> None:
    """The engine may be behind something."""
    assert server_address(
        ["vllm", "serve", "M", "--port", "8001"], url="http://127.0.0.1:9/"
    ) == ServerAddress(url="http://127.0.0.1:9", given=True, port_named=True)


@pytest.mark.parametrize(
    "url", ["", "8000", "localhost:8000", "ftp://x", "http://", "http://x:99999"]
)
def test_what_is_no_url_is_refused(url: str) -> None:
    """Before anything is started."""
    with pytest.raises(BadInput, match="is not the URL of a server"):
        server_address(["vllm"], url=url)


def test_a_unix_socket_cannot_be_polled() -> None:
    """It is said at once, not after the time-out."""
    with pytest.raises(BadInput, match="Unix socket"):
        server_address(["vllm", "serve", "M", "--uds", "/tmp/s"], url=None)


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("0.0.0.0", "127.0.0.1"),  # noqa: S104 - this is the case
        ("[::]", "[::1]"),
        ("", "127.0.0.1"),
        ("::1", "[::1]"),
        ("engine.local", "engine.local"),
    ],
)
def test_a_host_to_listen_on_becomes_one_to_connect_to(host: str, expected: str) -> None:
    """Wildcards are no address."""
    assert reachable(host) == expected


@pytest.mark.parametrize(
    ("command", "model"),
    [
        ("vllm serve org/m --port 1", "org/m"),
        ("/venv/bin/vllm serve org/m --served-model-name short", "short"),
        ("vllm serve --port 1 org/m", None),
        ("vllm serve --model org/m", "org/m"),
        ("python -m vllm.entrypoints.openai.api_server --model=org/m", "org/m"),
        ("./run.sh", None),
    ],
)
def test_the_model_is_the_name_that_requests_must_use(command: str, model: str | None) -> None:
    """Where the words do not say, the server will."""
    assert model_named(command.split()) == model


@pytest.mark.parametrize(
    ("command", "environment", "key"),
    [
        ("vllm serve M", {}, None),
        ("vllm serve M --api-key K", {}, "K"),
        ("vllm serve M --api_key=K", {}, "K"),
        ("vllm serve M", {"VLLM_API_KEY": "E"}, "E"),
        ("vllm serve M --api-key K", {"VLLM_API_KEY": "E"}, "K"),
        ("vllm serve M", {"VLLM_API_KEY": ""}, None),
    ],
)
def test_the_key_that_the_server_will_ask_for_is_known(
    command: str, environment: dict[str, str], key: str | None
) -> None:
    """The option goes before the variable, as in vLLM."""
    assert api_key(command.split(), environment) == key


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("vllm serve M", {"A": "1"}),
        ("env A=2 B=x=y vllm serve C=3", {"A": "2", "B": "x=y"}),
        ("/usr/bin/env -u A B=1 vllm", {"B": "1"}),
        ("env --unset=A vllm", {}),
        ("env -i B=1 vllm", {"B": "1"}),
        ("env", {"A": "1"}),
    ],
)
def test_assignments_by_env_are_seen(command: str, expected: dict[str, str]) -> None:
    """They decide where the caches lie."""
    assert effective_environment(command.split(), {"A": "1"}) == expected


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        (("vllm", "serve", "m"), True),
        (("/opt/venv/bin/python3.12", "-m", "vllm.entrypoints.openai.api_server"), True),
        (("env", "VLLM_CACHE_ROOT=/c", "/opt/bin/vllm", "serve", "m"), True),
        (("bash", "-c", "export VLLM_CACHE_ROOT=/c; exec vllm serve m"), False),
        (("./start.sh",), False),
        (("env",), False),
        ((), False),
    ],
)
def test_whether_the_words_show_the_engines_environment(
    command: tuple[str, ...], shown: bool
) -> None:
    """A shell or a script may set another cache folder than the one that would be listed."""
    assert shown is sets_its_environment(command)
