from firstlight.measure.caches import cache_roots


def roots(**environment: str) -> tuple[str, ...]:
    return cache_roots(environment, home="/home/u", user="u")


def test_without_any_variable_the_defaults_of_each_library_count() -> None:
    """vLLM, Inductor, Triton, FlashInfer."""
    assert roots() == (
        "/home/u/.cache/flashinfer",
        "/home/u/.cache/vllm",
        "/home/u/.triton/cache",
        "/tmp/torchinductor_u",
    )


def test_each_library_has_a_variable_of_its_own() -> None:
    """And what is set may lie anywhere."""
    assert roots(
        VLLM_CACHE_ROOT="/c/vllm",
        TORCHINDUCTOR_CACHE_DIR="/c/inductor",
        TRITON_CACHE_DIR="/c/triton",
        FLASHINFER_WORKSPACE_BASE="/c/fi",
        DG_JIT_CACHE_DIR="/c/dg",
    ) == ("/c/dg", "/c/fi/.cache/flashinfer", "/c/inductor", "/c/triton", "/c/vllm")


def test_home_cache_home_and_the_temporary_folder_move_the_defaults() -> None:
    """So does the name of the user, cleaned as Inductor cleans it."""
    assert roots(HOME="/h", XDG_CACHE_HOME="/x", TMPDIR="/t", LOGNAME="dom\\me") == (
        "/h/.cache/flashinfer",
        "/h/.triton/cache",
        "/t/torchinductor_dom_me",
        "/x/vllm",
    )


def test_a_root_inside_another_is_listed_with_it() -> None:
    """Every file once."""
    assert roots(
        VLLM_CACHE_ROOT="/c",
        TORCHINDUCTOR_CACHE_DIR="/c/inductor",
        TRITON_CACHE_DIR="/c/triton/",
        FLASHINFER_WORKSPACE_BASE="/cc",
    ) == ("/c", "/cc/.cache/flashinfer")


def test_an_empty_variable_is_not_set_and_a_tilde_is_the_home() -> None:
    """As the libraries have it."""
    assert roots(VLLM_CACHE_ROOT="~/v", TRITON_CACHE_DIR="", TORCHINDUCTOR_CACHE_DIR="") == (
        "/home/u/.cache/flashinfer",
        "/home/u/.triton/cache",
        "/home/u/v",
        "/tmp/torchinductor_u",
    )
