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
_NUMBERS = b"%b%07o\0%07o\0%07o\0%011o\0%011o\0"
_REST = b"0" + bytes(100) + b"ustar  \0" + bytes(247)
_REST_SUM = sum(_REST) + 8 * ord(" ")
_NAME_BYTES, _MOST = 100, 8**11
EXECUTABLE, PLAIN = 0o755, 0o644


def header(file: File) -> bytes:
    """What stands before a file's bytes, in GNU's format."""
    name = file.path.encode()
    if len(name) <= _NAME_BYTES and max(file.size_bytes, file.mtime_s) < _MOST:
        # The same bytes as below, in an eighth of the time: there are thousands of these.
        filled = name.ljust(_NAME_BYTES, b"\0")
        begin = _NUMBERS % (filled, mode(file), 0, 0, file.size_bytes, file.mtime_s)
        return b"%b%06o\0 %b" % (begin, sum(begin) + _REST_SUM, _REST)
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
