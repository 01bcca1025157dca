"""
A place for objects: a bucket of S3 or a folder, by URL.

What is asked of it is little: read and write whole objects and ranges of them, and one write
that must fail where something is there already, because of ten that publish at once one may
win. Stores of S3 have that since 2024 (`If-None-Match`); older ones take no notice of the header
and overwrite, so it is tried out before anybody relies on it.

Requests, credentials, retries with backoff are obstore's (object_store in Rust, the one that
DataFusion and Polars use). What it raises is translated here, and what it logs is left alone.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from firstlight.caches.publishing import Seen
from firstlight.core.errors import BadInput, OutsideFailed
from firstlight.readers import store_refusal

SCHEMES = ("s3", "file")
PART_BYTES = 8 * 1024 * 1024
_CONNECT_WITHIN = timedelta(seconds=5)
_RETRIES = 6
_TRIES, _PAUSE_S = 3, 0.3
"""Of a range whose bytes break off; requests that fail before are the library's to repeat."""
_NO_BUCKET = "NoSuchBucket"
_RIGHTS = {
    "read": "s3:GetObject on what lies below the prefix",
    "looked for": "s3:GetObject on what lies below the prefix",
    "written": "s3:PutObject on what lies below the prefix",
    "listed": "s3:ListBucket on the bucket: without it nobody can look for a cache that fits",
}
"""What S3 asks for each of what is done."""
_TRIED = "conditional-put"
_TRIED_BYTES = b"Whether this store refuses to write an object twice is tried out with this one.\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One object in a listing."""

    path: str
    """Below the store's URL."""
    size_bytes: int


class ObjectStore:
    """Objects below one URL."""

    def __init__(self, url: str, *, timeout_s: float = 60.0) -> None:
        """
        Args:
            url: `s3://BUCKET/PREFIX` or `file:///FOLDER`.
            timeout_s: how long one operation may take: half of it for a request, half to repeat it.

        Raises:
            BadInput: it is no such URL, or the extra is missing.
        """
        self.url = url.rstrip("/")
        self._obstore = _obstore()
        self._within_s = timeout_s / 2
        self._store = self._opened(timedelta(seconds=self._within_s))

    def read(self, path: str, *, at_most: int) -> bytes | None:
        """
        A whole object; None where there is none.

        Raises:
            BadInput: it has more bytes than that.
            OutsideFailed: it cannot be read.
        """
        with self._told("read", path):
            try:
                found = self._obstore.get(self._store, path)
            except FileNotFoundError as error:
                if _NO_BUCKET in str(error):
                    raise
                return None
            if found.meta["size"] > at_most:
                raise BadInput(
                    f"{self.url}/{path} has {found.meta['size']} bytes, and at most {at_most} can "
                    "be right",
                    remedy="see who writes there",
                )
            return bytes(found.bytes())

    def read_if_allowed(self, path: str, *, at_most: int) -> bytes | None:
        """
        A whole object; None where there is none, or this identity may not read it.

        Raises:
            BadInput: it has more bytes than that.
            OutsideFailed: it cannot be read.
        """
        try:
            return self.read(path, at_most=at_most)
        except OutsideFailed as refused:
            if self._is_denied(refused.__cause__):
                return None
            raise

    def seen(self, path: str) -> Seen:
        """
        Whether there is such an object, and of which size.

        Raises:
            OutsideFailed: it cannot be told.
        """
        with self._told("looked for", path):
            try:
                found = self._obstore.head(self._store, path)
            except FileNotFoundError as error:
                if _NO_BUCKET in str(error):
                    raise
                return Seen(size_bytes=None)
            except self._obstore.exceptions.BaseError as error:
                if not self._is_denied(error):
                    raise
                return Seen(size_bytes=None, hidden=True)
        return Seen(size_bytes=found["size"])

    def read_range(self, path: str, begin: int, end: int) -> bytes:
        """
        The bytes from one to before another.

        Raises:
            OutsideFailed: they cannot be read, or there are not so many.
        """
        found = self._range(path, begin, end)
        if len(found) != end - begin:
            raise OutsideFailed(
                f"{self.url}/{path} gave {len(found)} bytes where {end - begin} were asked for",
                remedy="try again; if it stays so, publish the cache anew",
            )
        return found

    def _range(self, path: str, begin: int, end: int) -> bytes:
        until_s = time.monotonic() + self._within_s
        for left in reversed(range(_TRIES)):
            try:
                with self._told("read", path):
                    return bytes(self._obstore.get_range(self._store, path, start=begin, end=end))
            except OutsideFailed as broken:
                over = not left or time.monotonic() > until_s
                if over or not isinstance(broken.__cause__, self._obstore.exceptions.GenericError):
                    raise
                time.sleep(_PAUSE_S)
        raise AssertionError

    def put_file(self, path: str, file: Path) -> None:
        """
        Write an object from a file, in parts; whatever was there is replaced at its end.

        Raises:
            OutsideFailed: it cannot be written; then there is no part of it to be seen.
        """
        with self._told("written", path):
            self._obstore.put(self._store, path, file, chunk_size=PART_BYTES, max_concurrency=4)

    def put(self, path: str, data: bytes) -> None:
        """
        Write an object from bytes; whatever was there is replaced.

        Raises:
            OutsideFailed: it cannot be written.
        """
        with self._told("written", path):
            self._obstore.put(self._store, path, data, use_multipart=False)

    def put_first(self, path: str, data: bytes) -> bool:
        """
        Write an object where there is none yet; whether it was us who wrote it.

        Raises:
            OutsideFailed: it cannot be written.
        """
        with self._told("written", path):
            try:
                self._obstore.put(self._store, path, data, mode="create", use_multipart=False)
            except self._obstore.exceptions.AlreadyExistsError:
                return False
            except self._obstore.exceptions.NotSupportedError as error:
                raise self._no_conditional_put() from error
        return True

    def require_put_first(self) -> None:
        """
        See that the store has what `put_first` needs.

        Raises:
            OutsideFailed: it overwrites what is there, or cannot be written.
        """
        if self.put_first(_TRIED, _TRIED_BYTES) and self.put_first(_TRIED, _TRIED_BYTES):
            raise self._no_conditional_put()

    def entries(self, prefix: str) -> Iterator[Entry]:
        """
        What there is below a prefix, in no order.

        Raises:
            OutsideFailed: it may not be listed.
        """
        with self._told("listed", prefix):
            for page in self._obstore.list(self._store, prefix=prefix):
                yield from (Entry(path=one["path"], size_bytes=one["size"]) for one in page)

    def _opened(self, within: timedelta) -> Any:
        at = urlsplit(self.url)
        if at.scheme not in SCHEMES or (at.scheme == "s3" and not at.netloc):
            raise BadInput(
                f"{self.url} is no place for a cache",
                remedy="say s3://BUCKET/PREFIX or file:///FOLDER",
            )
        if at.scheme == "file":
            if at.netloc or not Path(at.path).is_absolute():
                raise BadInput(
                    f"{self.url} names no folder of this machine",
                    remedy="say file:///FOLDER, with three slashes",
                )
            return self._folder(at.path)
        return self._obstore.store.from_url(
            self.url,
            client_options={
                "allow_http": True,
                "connect_timeout": _CONNECT_WITHIN,
                "timeout": within,
            },
            retry_config={"max_retries": _RETRIES, "retry_timeout": within},
        )

    def _folder(self, place: str) -> Any:
        try:
            return self._obstore.store.LocalStore(place, mkdir=True)
        except (self._obstore.exceptions.BaseError, OSError) as error:
            raise OutsideFailed(
                f"{self.url} cannot be opened: {store_refusal.cause(str(error))}",
                remedy="name a folder that this user may read and write",
            ) from error

    @contextmanager
    def _told(self, done: str, path: str) -> Iterator[None]:
        errors = self._obstore.exceptions
        try:
            yield
        except (errors.BaseError, OSError) as error:
            raise OutsideFailed(
                f"{self.url}/{path} cannot be {done}: {store_refusal.cause(str(error))}",
                remedy=_remedy(error, errors, _RIGHTS[done]),
            ) from error

    def _is_denied(self, error: BaseException | None) -> bool:
        # Of a folder the library raises no kind of its own.
        denied = self._obstore.exceptions.PermissionDeniedError
        return isinstance(error, denied) or store_refusal.lacks_permission(str(error))

    def _no_conditional_put(self) -> OutsideFailed:
        return OutsideFailed(
            f"{self.url} writes over what is there though it is asked not to (If-None-Match), so "
            "of several that publish at once none can be sure to be the one",
            remedy="publish to a store that knows conditional writes: Amazon S3, MinIO of 2024 or "
            "later, or a folder",
        )


def _obstore() -> Any:
    try:
        import obstore  # noqa: PLC0415 - an extra
        import obstore.exceptions  # noqa: PLC0415
        import obstore.store  # noqa: PLC0415
    except ImportError as error:
        raise BadInput(
            "object stores need the extra for caches (obstore is not installed)",
            remedy="pip install 'firstlight[caches]'",
        ) from error
    return obstore


def _remedy(error: Exception, errors: Any, right: str) -> str:
    if store_refusal.lacks_permission(str(error)):
        return "let this user read and write what lies in that folder"
    if store_refusal.lacks_credentials(str(error)):
        return "give this ServiceAccount a role, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
    if store_refusal.lacks_right(str(error)):
        return f"give this identity the right {right}"
    match error:
        case errors.PermissionDeniedError() | errors.UnauthenticatedError():
            return f"give this identity the right {right}"
        case errors.NotFoundError() | FileNotFoundError():
            return "see that the bucket and the object are there"
        case _:
            return (
                "see that the store can be reached, with AWS_ENDPOINT_URL and AWS_REGION, then "
                "try again"
            )
