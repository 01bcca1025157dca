"""
What a bucket says about itself: its listing, its location, its errors.

The bytes of the objects come from nginx (see `origin`), for it reads only the
range that is asked for and costs the machine little. But nginx knows nothing of
S3's XML. This answers what a client asks besides bytes, from a folder whose
files are the objects: ListObjects and ListObjectsV2 with prefix, delimiter and
pages, GetBucketLocation, ListBuckets, HeadBucket, and errors as documents. It is
read-only and checks no signature. The tests hold its answers against moto's.

    serve(folder, "weights")        a context manager; gives the port on loopback
"""

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote, urlsplit
from xml.etree.ElementTree import Element, SubElement, tostring

NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/"
MOST_KEYS = 1000
OK, FORBIDDEN, NOT_FOUND, NOT_IMPLEMENTED = 200, 403, 404, 501


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A status and a document; an empty one where there is nothing to say."""

    status: int
    document: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Object:
    """What a listing says of one object."""

    key: str
    size_bytes: int
    changed_unix_s: int

    @property
    def etag(self) -> str:
        """The one that nginx gives with the bytes, so that both say the same."""
        return f'"{self.changed_unix_s:x}-{self.size_bytes:x}"'


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """A folder as a bucket: each file below it is an object, but for those in linked folders."""

    name: str
    folder: Path

    def objects(self) -> list[Object]:
        """All of them in the order of S3: that of the keys' bytes."""
        found = []
        for file in self.folder.rglob("*"):
            if file.is_file():
                stat = file.stat()
                found.append(
                    Object(
                        key=file.relative_to(self.folder).as_posix(),
                        size_bytes=stat.st_size,
                        changed_unix_s=int(stat.st_mtime),
                    )
                )
        return sorted(found, key=lambda one: one.key.encode())

    def answer(self, method: str, target: str) -> Answer:
        """Answer one request; one for an object gets here only if there is no such object."""
        parts = urlsplit(target)
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        name, _, key = unquote(parts.path).lstrip("/").partition("/")
        if method not in {"GET", "HEAD"}:
            return _error(FORBIDDEN, "AccessDenied", "This bucket is read-only.", target)
        if not name:
            return _document(_all_buckets(self.name))
        if name != self.name:
            return _error(NOT_FOUND, "NoSuchBucket", "There is no such bucket.", target)
        if key:
            return _error(NOT_FOUND, "NoSuchKey", "There is no such object.", target)
        if method == "HEAD":
            return Answer(status=OK)
        if "location" in query:
            return _document(Element("LocationConstraint", xmlns=NAMESPACE))
        listing = {"list-type", "prefix", "delimiter", "marker", "max-keys", "encoding-type"}
        if query and not query.keys() & listing:
            asked = ", ".join(sorted(query))
            return _error(NOT_IMPLEMENTED, "NotImplemented", f"Not answered here: {asked}.", target)
        return _document(_page(self.name, self.objects(), query))


def _page(name: str, objects: Iterable[Object], query: Mapping[str, str]) -> Element:
    """One page of a listing, in the words of the version that was asked for."""
    second = query.get("list-type") == "2"
    prefix, delimiter = query.get("prefix", ""), query.get("delimiter", "")
    most = min(int(query.get("max-keys", MOST_KEYS)), MOST_KEYS)
    token = query.get("continuation-token")
    # S3's tokens are opaque. Here one is the last name that was given, as a marker is.
    after = token or query.get("start-after", "") if second else query.get("marker", "")
    left = (
        (shown, one)
        for shown, one in _shown(objects, prefix=prefix, delimiter=delimiter)
        if shown > after
    )
    page = list(islice(left, most))
    more = bool(page) and next(left, None) is not None

    encoded = query.get("encoding-type") == "url"
    root = Element("ListBucketResult", xmlns=NAMESPACE)
    _say(root, Name=name, Prefix=_spelt(prefix, encoded=encoded), MaxKeys=str(most))
    _say(root, IsTruncated=str(more).lower())
    if delimiter:
        _say(root, Delimiter=_spelt(delimiter, encoded=encoded))
    if encoded:
        _say(root, EncodingType="url")
    if second:
        _say(root, KeyCount=str(len(page)))
        if token:
            _say(root, ContinuationToken=token)
        if more:
            _say(root, NextContinuationToken=page[-1][0])
    else:
        _say(root, Marker=_spelt(after, encoded=encoded))
        if more:
            _say(root, NextMarker=_spelt(page[-1][0], encoded=encoded))
    _say_objects(root, [one for _, one in page], encoded=encoded)
    return root


def _say_objects(root: Element, page: Sequence[Object | str], *, encoded: bool) -> None:
    """The objects of a page, then what others have in common."""
    for one in page:
        if isinstance(one, Object):
            _say(
                SubElement(root, "Contents"),
                Key=_spelt(one.key, encoded=encoded),
                LastModified=_iso(one.changed_unix_s),
                ETag=one.etag,
                Size=str(one.size_bytes),
                StorageClass="STANDARD",
            )
    for one in page:
        if isinstance(one, str):
            _say(SubElement(root, "CommonPrefixes"), Prefix=_spelt(one, encoded=encoded))


def _shown(
    objects: Iterable[Object], *, prefix: str, delimiter: str
) -> Iterator[tuple[str, Object | str]]:
    """Objects, and for those beyond the delimiter what they have in common, once: (name, which)."""
    last = None
    for one in objects:
        if not one.key.startswith(prefix):
            continue
        beyond, found, _ = one.key[len(prefix) :].partition(delimiter or "\0")
        if not found:
            yield one.key, one
        elif last != prefix + beyond + found:
            last = prefix + beyond + found
            yield last, last


def _all_buckets(name: str) -> Element:
    root = Element("ListAllMyBucketsResult", xmlns=NAMESPACE)
    _say(SubElement(SubElement(root, "Buckets"), "Bucket"), Name=name, CreationDate=_iso(0))
    return root


def _error(status: int, code: str, message: str, resource: str) -> Answer:
    root = Element("Error")
    _say(root, Code=code, Message=message, Resource=urlsplit(resource).path)
    return Answer(status=status, document=_text(root))


def _document(root: Element) -> Answer:
    return Answer(status=OK, document=_text(root))


def _text(root: Element) -> bytes:
    said: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return said


def _say(parent: Element, **said: str) -> None:
    for tag, text in said.items():
        SubElement(parent, tag).text = text


def _spelt(key: str, *, encoded: bool) -> str:
    return quote(key) if encoded else key


def _iso(unix_s: int) -> str:
    return datetime.fromtimestamp(unix_s, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")


@contextmanager
def serve(folder: Path, bucket: str) -> Iterator[int]:
    """Answer on a port of loopback that the kernel chooses, until the block is left."""
    answers = Bucket(name=bucket, folder=folder)

    class Handler(BaseHTTPRequestHandler):
        """One request, passed on to the bucket."""

        def answer(self) -> None:
            """Say what the bucket says; a HEAD has no document."""
            said = answers.answer(self.command, self.path)
            self.send_response(said.status)
            self.send_header("Content-Type", "application/xml")
            self.send_header("Content-Length", str(len(said.document)))
            self.send_header("x-amz-bucket-region", "us-east-1")
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(said.document)

        do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = answer  # noqa: N815

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Say nothing: nginx's access log has it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
