"""Where an engine's caches lie, by its environment."""

import pytest

from firstlight.core.cache_places import KINDS, cache_places, under_one

PLAIN = {
    "vllm": "/root/.cache/vllm",
    "torchinductor": "/tmp/torchinductor_root",
    "triton": "/root/.triton/cache",
    "flashinfer": "/root/.cache/flashinfer",
    "cuda": "/root/.nv/ComputeCache",
}


def places(environment: dict[str, str]) -> dict[str, str]:
    """Folder by kind."""
    return {
        place.kind: place.folder for place in cache_places(environment, home="/root", user="root")
    }


@pytest.mark.parametrize(
    ("environment", "moved"),
    [
        ({}, {}),
        (
            {"HOME": "/h"},
            {
                "vllm": "/h/.cache/vllm",
                "triton": "/h/.triton/cache",
                "flashinfer": "/h/.cache/flashinfer",
                "cuda": "/h/.nv/ComputeCache",
            },
        ),
        ({"HOME": ""}, {}),
        ({"XDG_CACHE_HOME": "/x"}, {"vllm": "/x/vllm"}),
        ({"XDG_CACHE_HOME": "~/x"}, {"vllm": "/root/x/vllm"}),
        ({"VLLM_CACHE_ROOT": "/v", "XDG_CACHE_HOME": "/x"}, {"vllm": "/v"}),
        ({"VLLM_CACHE_ROOT": "~/v"}, {"vllm": "/root/v"}),
        ({"VLLM_CACHE_ROOT": "~other/v"}, {"vllm": "~other/v"}),
        ({"TMPDIR": "", "TEMP": "/t", "TMP": "/u"}, {"torchinductor": "/t/torchinductor_root"}),
        ({"LOGNAME": "", "USER": "a/b"}, {"torchinductor": "/tmp/torchinductor_a_b"}),
        ({"TORCHINDUCTOR_CACHE_DIR": "/i", "USER": "a"}, {"torchinductor": "/i"}),
        ({"TRITON_HOME": "/t"}, {"triton": "/t/.triton/cache"}),
        ({"TRITON_CACHE_DIR": "/c", "TRITON_HOME": "/t"}, {"triton": "/c"}),
        ({"FLASHINFER_WORKSPACE_BASE": "/f"}, {"flashinfer": "/f/.cache/flashinfer"}),
        ({"CUDA_CACHE_PATH": "/n"}, {"cuda": "/n"}),
        ({"DG_JIT_CACHE_DIR": "/d"}, {"deep_gemm": "/d"}),
        ({"DG_JIT_CACHE_DIR": ""}, {}),
        ({"VLLM_FLASHINFER_AUTOTUNE_CACHE_DIR": "/a"}, {"flashinfer_autotune": "/a"}),
        ({"PYTHONPYCACHEPREFIX": "/p"}, {"bytecode": "/p"}),
    ],
)
def test_a_variable_moves_its_own_cache(environment: dict[str, str], moved: dict[str, str]) -> None:
    """And no other; an empty one counts for nothing."""
    assert PLAIN | moved == places(environment)


@pytest.mark.parametrize("bytecode", [True, False])
@pytest.mark.parametrize("root", ["/cache", "/cache/"])
def test_the_variables_of_one_folder_put_every_cache_below_it(root: str, *, bytecode: bool) -> None:
    """Each where it is packed from; what two tables say fits together."""
    found = cache_places(under_one(root, bytecode=bytecode), home="/root", user="root")

    assert {place.kind: f"/cache/{place.member}" for place in found} == {
        place.kind: place.folder for place in found
    }
    without = {"flashinfer_autotune"} if bytecode else {"flashinfer_autotune", "bytecode"}
    assert set(KINDS) - without == {place.kind for place in found}
