"""The two repairs of Kubernetes' tree, and what its generator is told."""

from pathlib import Path

import pytest
from assembly.kubernetes import MARK, NIL_BEFORE, REPLACED, VALIDATORS, repair, served
from recipe.failures import CannotPrepare


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """As much of the tree as is repaired."""
    tree = tmp_path / "tree"
    for name in REPLACED:
        old = tree / "vendor/github.com/modern-go" / name
        old.mkdir(parents=True)
        (old / "old.go").write_text("package old\n")
        new = tmp_path / "libraries" / name
        new.mkdir(parents=True)
        (new / "new.go").write_text("package new\n")
    for package in VALIDATORS:
        folder = tree / "vendor" / package
        folder.mkdir(parents=True)
        (folder / "type.go").write_text(f"	if data == nil || {NIL_BEFORE} {{\n")
    return tree


def test_libraries_are_replaced_whole(tree: Path) -> None:
    """No file of the broken copy stays beside those of the repaired one."""
    repair(tree, libraries=tree.parent / "libraries")

    for name in REPLACED:
        folder = tree / "vendor/github.com/modern-go" / name
        assert ["new.go"] == [path.name for path in folder.iterdir()]


def test_a_value_is_nil_only_where_it_can_be(tree: Path) -> None:
    """The comparison that changed its meaning is gone, and what it calls is there."""
    repair(tree, libraries=tree.parent / "libraries")

    for package in VALIDATORS:
        folder = tree / "vendor" / package
        assert (
            "	if data == nil || isNilReference(reflect.ValueOf(data)) {\n"
            == (folder / "type.go").read_text()
        )
        assert "func isNilReference(" in (folder / "nil_reference.go").read_text()


def test_a_tree_that_asks_otherwise_is_refused(tree: Path) -> None:
    """A repair that does not apply would give a server that refuses valid resources."""
    path = tree / "vendor" / VALIDATORS[1] / "type.go"
    path.write_text("	if data == nil {\n")

    with pytest.raises(CannotPrepare) as refused:
        repair(tree, libraries=tree.parent / "libraries")

    assert str(path) in refused.value.message


def test_types_that_are_served_are_found(tmp_path: Path) -> None:
    """Through the links into `staging`, without tests, tools and data for tests."""
    for name in (
        "pkg/apis/a/types.go",
        "pkg/apis/a/testdata/types.go",
        "pkg/only_tests/types_test.go",
        "cmd/b/doc.go",
        "plugin/none/other.go",
        "staging/src/k8s.io/api/core/v1/doc.go",
        "staging/src/k8s.io/gengo/doc.go",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("package p\n" if "none" in name else f"// {MARK}true\npackage p\n")
    links = tmp_path / "vendor/k8s.io"
    links.mkdir(parents=True)
    for name in ("api", "gengo"):
        (links / name).symlink_to(f"../../staging/src/k8s.io/{name}")

    found = ["cmd/b", "pkg/apis/a", "vendor/k8s.io/api/core/v1"]

    assert found == sorted(served(tmp_path))
