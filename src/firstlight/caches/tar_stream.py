"""
The bytes of an archive beside those of its files.

An archive is a tar stream, so that anybody can look into it with the tool they have. It is read
by nobody who believes it, though: the manifest says each file's path, size and time, in order,
and of those the whole stream follows byte for byte, but for what is in the files. So nobody
parses it. Whoever reads makes each header again and holds it against what came; a link, a
device, a set-user bit, a second file of one name, one file more, a path that leads elsewhere are
all one thing then: not the expected bytes.
"""

import tarfile

from firstlight.caches.manifest import File

END = bytes(2 * tarfile.BLOCKSIZE)
"""After the last file."""
EXECUTABLE, PLAIN = 0o755, 0o644


def header(file: File) -> bytes:
    """What stands before a file's bytes."""
    info = tarfile.TarInfo(file.path)
    info.size = file.size_bytes
    info.mtime = file.mtime_s
    info.mode = mode(file)
    return info.tobuf(tarfile.GNU_FORMAT, "utf-8", "strict")


def padding(file: File) -> bytes:
    """What stands after them."""
    return bytes(-file.size_bytes % tarfile.BLOCKSIZE)


def mode(file: File) -> int:
    """The rights that it has when it is unpacked."""
    return EXECUTABLE if file.executable else PLAIN
