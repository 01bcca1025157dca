"""Images made of files, as registries and nodes read them."""

import hashlib
import json
import tarfile
from pathlib import Path

from onenode.images import Image, Layer


def sha256(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def small(folder: Path) -> Image:
    layer = Layer.of_files(
        folder / "layer.tar", {"bin/tool": b"tool"}, links={"bin/other": "tool"}, folders=("tmp",)
    )
    return Image(layers=(layer,), configuration={"Cmd": ["/bin/tool"]})


def test_a_layer_is_named_by_what_it_holds(tmp_path: Path) -> None:
    """Digest and size are those of the archive on the disk, and the archive is whole."""
    layer = small(tmp_path).layers[0]
    data = layer.path.read_bytes()

    assert (sha256(data), len(data)) == (layer.digest, layer.size_bytes)
    with tarfile.open(layer.path) as archive:
        assert ["tmp", "bin/tool", "bin/other"] == archive.getnames()
        tool = archive.extractfile("bin/tool")
        assert tool is not None
        assert b"tool" == tool.read()
        assert "tool" == archive.getmember("bin/other").linkname
        assert archive.getmember("bin/tool").mode & 0o111


def test_the_same_files_are_the_same_image(tmp_path: Path) -> None:
    """An image that was prepared twice is pulled once."""
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()

    assert small(first).digest == small(second).digest


def test_noise_is_new_each_time_and_as_large_as_asked(tmp_path: Path) -> None:
    """No node has such a layer already, and nothing makes it smaller."""
    first = Layer.of_noise(tmp_path / "first.tar", 1_000_000)
    second = Layer.of_noise(tmp_path / "second.tar", 1_000_000)

    assert first.digest != second.digest
    assert first.size_bytes > 1_000_000


def test_a_tree_belongs_to_root(tmp_path: Path) -> None:
    """Whoever packed it; links stay links."""
    root = tmp_path / "root"
    (root / "usr/bin").mkdir(parents=True)
    (root / "usr/bin/tool").write_bytes(b"tool")
    (root / "bin").symlink_to("usr/bin")

    layer = Layer.of_tree(tmp_path / "layer.tar", root)

    with tarfile.open(layer.path) as archive:
        assert {(0, 0, "root")} == {(e.uid, e.gid, e.uname) for e in archive.getmembers()}
        assert archive.getmember("bin").issym()


def test_an_image_that_was_saved_is_the_same(tmp_path: Path) -> None:
    """Also when its folder has been moved since: a build is renamed at its end."""
    before = tmp_path / "before"
    before.mkdir()
    image = small(before)
    image.save(before)
    after = before.rename(tmp_path / "after")

    loaded = Image.load(after)

    assert image.digest == loaded.digest
    assert loaded.layers[0].path.is_file()


def test_every_digest_in_an_archive_is_in_it(tmp_path: Path) -> None:
    """From the index to the manifest, from there to configuration and layers."""
    image = small(tmp_path).with_layer(Layer.of_noise(tmp_path / "noise.tar", 1000))

    with tarfile.open(image.archive(tmp_path / "image.tar", "localhost/small:1")) as archive:

        def read(name: str) -> bytes:
            file = archive.extractfile(name)
            assert file is not None
            return file.read()

        def blob(named: dict[str, object]) -> bytes:
            data = read(f"blobs/{str(named['digest']).replace(':', '/')}")
            assert (named["digest"], named["size"]) == (sha256(data), len(data))
            return data

        (described,) = json.loads(read("index.json"))["manifests"]
        manifest = json.loads(blob(described))
        config = json.loads(blob(manifest["config"]))
        layers = [sha256(blob(layer)) for layer in manifest["layers"]]

    assert "localhost/small:1" == described["annotations"]["io.containerd.image.name"]
    # Not compressed, so that what is pulled is what is unpacked.
    assert layers == config["rootfs"]["diff_ids"]
    assert {"Cmd": ["/bin/tool"]} == config["config"]
