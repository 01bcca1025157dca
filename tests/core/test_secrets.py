import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.core.secret_names import SECRET_WORDS, is_secret
from firstlight.core.secrets import (
    cleaned,
    redacted_command,
    redacted_values,
    secret_values,
)

_KEY = "s3cr3t-k3y"


_SECRETS = [
    "--api-key",
    "--hf-token",
    "--hf_token",
    "--ssl-keyfile-password",
    "VLLM_API_KEY",
    "HF_TOKEN",
    "token",
    "HUGGING_FACE_HUB_TOKEN",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_ACCESS_KEY_ID",
    "AWS_SESSION_TOKEN",
    "OPENAI_API_KEY",
    "WANDB_API_KEY",
    "DB_PASSWORD",
    "apikey",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "VLLM_MY_KEY",
    "--admin-key",
    "--signing-key",
    "CUDA_PASSPHRASES",
    "API_KEY_2",
    "OPENAI_API_KEY_BACKUP",
    "clientSecret",
    "accountKey",
    "AWSSecretKey",
    "dbpassword",
    "hftoken",
    "REDIS_PW",
    "API_TOKENS",
    "sid",
    "sessionid",
    "PGPASSWORD",
    "MYSQL_PWD",
    "DB_PWD",
    "OLD_PWD",
    "pwd",
    "--pwd",
    "dbPwd",
    "ADMIN_PASS",
    "SSHPASS",
    "REDISCLI_AUTH",
    "AUTH_SERVICE_HOST_PASSWORD",
    "AUTH_SERVICE_PORT_TOKEN",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN",
    "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
    "CI_REGISTRY_PASSWORD",
]


@pytest.mark.parametrize("name", _SECRETS)
def test_these_names_hold_secrets(name: str) -> None:
    """However they are spelled."""
    assert is_secret(name)


@pytest.mark.parametrize("name", _SECRETS)
def test_each_has_a_word_that_a_log_is_searched_for(name: str) -> None:
    """A name without one would be overlooked in a log alone."""
    assert any(word in name.lower() for word in SECRET_WORDS)


_PLAIN = [
    "--max-num-batched-tokens",
    "--tokenizer",
    "--tokenizer-mode",
    "--max-tokens",
    "--eos-token",
    "--image-token",
    "TOKENIZERS_PARALLELISM",
    "HF_HOME",
    "HF_TOKEN_PATH",
    "--ssl-keyfile",
    "--port",
    "--seed",
    "--model",
    "VLLM_CACHE_ROOT",
    "--kv-cache-dtype",
    "--key",
    "-",
    "",
    "keys",
    "pass_config",
    "post_grad_custom_post_pass",
    "inductor_passes",
    "cache_key",
    "missing_keys",
    "topologyKey",
    "num_tokens",
    "video_token_id",
    "token_ids",
    "secretName",
    "PASSWORD_FILE",
    "path",
    "outside",
    "session_id",
    "PWD",
    "OLDPWD",
    "INIT_CWD",
    "PYENV_DIR",
    "NVM_DIR",
    "CONDA_PREFIX",
    "SSH_AUTH_SOCK",
    "SSH_AGENT_PID",
    "SSH_ASKPASS",
    "XAUTHORITY",
    "XDG_SESSION_ID",
    "DBUS_SESSION_BUS_ADDRESS",
    "AUTH_SERVICE_HOST",
    "AUTH_SERVICE_PORT_HTTP",
    "AUTH_PORT",
    "AUTH_PORT_80_TCP",
    "AUTH_PORT_80_TCP_ADDR",
    "SECRET_STORE_SERVICE_HOST",
    "KUBERNETES_SERVICE_HOST",
    "AWS_PROFILE",
    "AWS_ROLE_ARN",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CREDENTIAL_EXPIRATION",
    "AWS_SHARED_CREDENTIALS_FILE",
    "HF_HUB_DISABLE_IMPLICIT_TOKEN",
    "GIT_CREDENTIAL_HELPER",
    "AUTH_TYPE",
    "PASSWORD_MIN_LENGTH",
    "JWT_ALGORITHM",
    "GITHUB_ACTOR",
    "CI_COMMIT_AUTHOR",
]


@pytest.mark.parametrize("name", _PLAIN)
def test_these_do_not(name: str) -> None:
    """A record without them could not be judged."""
    assert not is_secret(name)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (["--api-key", _KEY, "--port", "1"], ["--api-key", "***", "--port", "1"]),
        (["--api-key", _KEY, "another", "--x"], ["--api-key", "***", "***", "--x"]),
        ([f"--api-key={_KEY}", "M"], ["--api-key=***", "M"]),
        (["--hf-token", _KEY, "M"], ["--hf-token", "***", "M"]),
        (["--hf-token", "--port", "1"], ["--hf-token", "--port", "1"]),
        (["env", f"HF_TOKEN={_KEY}", "vllm"], ["env", "HF_TOKEN=***", "vllm"]),
        (
            ["bash", "-c", f"export HF_TOKEN={_KEY}; vllm serve M --eager --api-key {_KEY} --x 1"],
            ["bash", "-c", "export HF_TOKEN=***; vllm serve M --eager --api-key *** --x 1"],
        ),
        ([f'{{"api_key": "{_KEY}", "n": 1}}'], ['{"api_key": "***", "n": 1}']),
        (["--proxy", f"http://me:{_KEY}@host/x"], ["--proxy", "http://***@host/x"]),
        ([f"Authorization: Bearer {_KEY}"], ["Authorization: Bearer ***"]),
        (["--x", "hf_" + "A1b2" * 8], ["--x", "***"]),
        (["vllm", "serve", "M", "--port", "1"], ["vllm", "serve", "M", "--port", "1"]),
        (["--chat-template", "the token is: x"], ["--chat-template", "the token is: x"]),
    ],
)
def test_a_recorded_command_holds_no_secret(command: list[str], expected: list[str]) -> None:
    """Options, assignments, scripts, JSON, URLs, headers, and what looks like a known key."""
    assert redacted_command(command) == tuple(expected)


@given(
    name=st.sampled_from(["--api-key", "--hf-token", "--db-password"]),
    value=st.text("aZ09+/_=-,;}'\"@:", min_size=8).filter(lambda text: text[0] != "-"),
    around=st.lists(st.sampled_from(["vllm", "serve", "--port", "8000", "M"]), max_size=4),
    joined=st.booleans(),
)
def test_a_secret_is_nowhere_in_the_record_and_among_the_known(
    name: str, value: str, around: list[str], *, joined: bool
) -> None:
    """Wherever the option stands, and whatever the key is made of."""
    command = [*around, *([f"{name}={value}"] if joined else [name, value])]

    assert value not in " ".join(redacted_command(command))
    assert value in secret_values(command, {})


def test_variables_keep_their_names_and_lose_their_secrets() -> None:
    """An empty one is none; that it is empty may explain a failure."""
    assert redacted_values(
        {"HF_TOKEN": _KEY, "VLLM_API_KEY": "", "HF_HOME": "/x", "P": f"http://u:{_KEY}@h"}
    ) == {"HF_TOKEN": "***", "VLLM_API_KEY": "", "HF_HOME": "/x", "P": "http://***@h"}


def test_the_secrets_are_known_for_cleaning_the_log() -> None:
    """Longest first, so that one which holds another is taken out whole; short ones are words."""
    command = ["vllm", "--api-key", _KEY, "--hf-token", "abc"]

    assert secret_values(command, {"HF_TOKEN": _KEY + "-long", "HOME": "/root"}) == (
        _KEY + "-long",
        _KEY,
    )


def test_a_known_secret_is_blacked_out_wherever_a_record_holds_it() -> None:
    """A server may quote the key that it refuses."""
    record = {"notes": [f"bad key {_KEY}"], "deep": {"er": (_KEY, 5, None)}, "n": 1}

    assert cleaned(record, [_KEY]) == {
        "notes": ["bad key ***"],
        "deep": {"er": ["***", 5, None]},
        "n": 1,
    }


@pytest.mark.parametrize(
    "command",
    [
        ("bash", "-c", "exec vllm serve m --api-key 'supersecret1'"),
        ("bash", "-c", 'exec vllm serve m --hf-token "supersecret1"'),
        ("env", "PGPASSWORD=supersecret1", "DB_PASS=supersecret1", "vllm", "serve", "m"),
        ("env", "DB_PWD=supersecret1", "GITHUB_PAT=supersecret1", "REDIS_AUTH=supersecret1", "x"),
    ],
)
def test_secrets_in_quotes_and_under_other_names(command: tuple[str, ...]) -> None:
    """A shell's quotes do not hide what they hold, nor do the shorter names of passwords."""
    assert "supersecret1" not in " ".join(redacted_command(command))


def test_a_password_in_a_variables_url_is_looked_for_in_the_output() -> None:
    """The engine may print its environment."""
    found = secret_values(("vllm",), {"DATABASE_URL": "postgres://me:supersecret1@db/x"})

    assert any("supersecret1" in secret for secret in found)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("GOOGLE_APPLICATION_CREDENTIALS", "/var/run/secrets/gcp.json", ()),
        ("HF_TOKEN", "/home/me/models", ()),
        ("HF_TOKEN", "/", ()),
        ("DB_PASSWORD", "engine", ()),
        ("DB_PASSWORD", "engine7", ("engine7",)),
        ("AWS_SECRET_ACCESS_KEY", "/bPxRfi/K7MDENG+wJalrXU", ("/bPxRfi/K7MDENG+wJalrXU",)),
        ("PWD", "/srv/engines/one", ()),
    ],
)
def test_a_path_or_a_short_word_is_not_looked_for_everywhere(
    name: str, value: str, expected: tuple[str, ...]
) -> None:
    """A log without them could not be read; a key that begins like a path still goes."""
    assert expected == secret_values(["vllm"], {name: value})
    if name != "PWD":
        assert {name: "***"} == redacted_values({name: value})
