"""What a file in an archive may be called."""

from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.caches.member_names import refusal


@pytest.mark.parametrize(
    "name",
    [
        "vllm/torch_compile_cache/torch_aot_compile/0a1b/rank_0_0/model",
        "triton/ABC-def_1.2/kernel.cubin",
        "vllm/modelinfos/a b,c=d.json",
        "torchinductor/..a/b..",
        "vllm/ümläut",
    ],
)
def test_names_that_caches_have_are_fine(name: str) -> None:
    """Spaces, dots within a name, letters of other languages."""
    assert refusal(name) is None


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "empty or too long"),
        ("/etc/passwd", "absolute"),
        ("//etc/passwd", "absolute"),
        ("../x", "goes elsewhere"),
        ("vllm/../../x", "goes elsewhere"),
        ("vllm/..", "goes elsewhere"),
        ("vllm/./x", "goes elsewhere"),
        ("vllm//x", "goes elsewhere"),
        ("vllm/", "goes elsewhere"),
        ("vllm\\..\\x", "a letter that is none"),
        ("vllm/a\0b", "a letter that is none"),
        ("vllm/a\nb", "a letter that is none"),
        ("vllm/a\x9bb", "a letter that is none"),
        ("vllm/a\u202eb", "a letter that is none"),
        ("vllm/a\u2028b", "a letter that is none"),
        ("vllm/\x1b[2J", "a letter that is none"),
        ("vllm/\udcff", "a letter that is none"),
        ("vllm/" + "a" * 256, "part of its path is too long"),
        ("a/" * 63 + "a" + "/b", "too deep"),
        ("a" * 200 + ("/" + "a" * 200) * 5, "too long"),
    ],
)
def test_names_that_lead_elsewhere_are_refused(name: str, why: str) -> None:
    """With the reason."""
    assert why in (refusal(name) or "")


@given(st.text(st.sampled_from("./\\a\0\n~"), max_size=12))
def test_a_name_that_may_be_stays_below_its_root(name: str) -> None:
    """Whatever is put together of the letters that matter."""
    if refusal(name) is None:
        path = PurePosixPath("/root", name)
        assert "/root/" + name == str(path)
        assert ".." not in path.parts
