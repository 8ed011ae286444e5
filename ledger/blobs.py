"""Content-addressed files: a blob's name is the BLAKE3 digest of its bytes."""

import fcntl
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from blake3 import blake3

from ledger.errors import BadDigest, BlobChanged, BlobMissing, NotAFile
from ledger.sqlite import translated

CHUNK = 1 << 20
"""Bytes read at a time; memory does not grow with the file."""

UNFINISHED = ".part-"
"""How the name of a file that is still being written begins."""

_DIGEST = re.compile(r"[0-9a-f]{64}")
_CLONE = 0x40049409  # the ioctl FICLONE: share the extents of another file, copy on write


class BlobStore:
    """The blobs under one folder, `ab/cdef...`. A blob is durable before `put` returns."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._durable: set[str] = set()
        """What this process saw reach the disk; a crash may have left others half way."""

    def path(self, digest: str) -> Path:
        """Return where a blob lies, or would lie.

        Raises:
            BadDigest: that is not a digest.
        """
        if not _DIGEST.fullmatch(digest):
            raise BadDigest(digest)

        return self.root / digest[:2] / digest[2:]

    def has(self, digest: str) -> bool:
        """Say whether a blob is there, without reading it."""
        return self.path(digest).is_file()

    def put(self, content: bytes | Path) -> str:
        """Store bytes or a regular file, once, and return the digest.

        Raises:
            NotAFile: the path is a link, a folder or something stranger, or not there.
            CannotWrite: no space or no permission.
        """
        if isinstance(content, bytes):
            digest = blake3(content).hexdigest()
            if digest in self._durable:
                return digest

        with translated(self.root):
            self.root.mkdir(parents=True, exist_ok=True)
            return self._store(content)

    def read(self, digest: str) -> bytes:
        """Return a blob's bytes after checking them.

        Raises:
            BlobMissing: it is not there.
            BlobChanged: the bytes are not what the name says.
        """
        path = self.path(digest)
        if not path.is_file():
            raise BlobMissing(digest, path)

        with translated(path, reading=True):
            content = path.read_bytes()

        found = blake3(content).hexdigest()
        if found != digest:
            raise BlobChanged(digest, path, found)

        return content

    def copy_to(self, digest: str, target: Path) -> None:
        """Copy a blob to a new file after checking it, sharing the disk's blocks where possible.

        Never a hard link: whoever writes to the copy does not write to the store.

        Raises:
            BlobMissing: it is not there.
            BlobChanged: the bytes are not what the name says; no file is left at the target.
            FileExistsError: something lies at the target.
        """
        source = self.path(digest)
        if not source.is_file():
            raise BlobMissing(digest, source)

        with translated(source, reading=True):
            reader = os.open(source, os.O_RDONLY | os.O_CLOEXEC)

        try:
            _copy_to(reader, target, digest, source)
        finally:
            os.close(reader)

    def digests(self) -> Iterator[str]:
        """Yield the names of all blobs, sorted."""
        for folder in _sorted(self.root):
            for path in _sorted(folder):
                if _DIGEST.fullmatch(folder.name + path.name):
                    yield folder.name + path.name

    def set_aside(self, digest: str, folder: Path) -> None:
        """Move a blob that no event names into a folder outside the store, keeping its bytes."""
        with translated(self.root):
            folder.mkdir(parents=True, exist_ok=True)
            self.path(digest).replace(folder / digest)

        self._durable.discard(digest)

    def sweep(self) -> int:
        """Remove what a crash left half written, and return how many files that were.

        Only for the holder of the writer's lock, while nothing else stores.
        """
        left = [path for path in _sorted(self.root) if path.name.startswith(UNFINISHED)]
        for path in left:
            path.unlink(missing_ok=True)

        return len(left)

    def _store(self, content: bytes | Path) -> str:
        handle, name = tempfile.mkstemp(prefix=UNFINISHED, dir=self.root)
        part = Path(name)

        try:
            try:
                digest = _fill(handle, content)
                self._settle(handle, part, digest)
            finally:
                os.close(handle)
        finally:
            part.unlink(missing_ok=True)

        return digest

    def _settle(self, handle: int, part: Path, digest: str) -> None:
        """Give a filled file its name, and return when the disk has both."""
        if digest in self._durable:
            return

        target = self.path(digest)
        if not target.exists():
            os.fchmod(handle, 0o444)
            os.fsync(handle)
            if not target.parent.is_dir():
                target.parent.mkdir(exist_ok=True)
                sync_folder(self.root)

            part.rename(target)

        sync_folder(target.parent)
        self._durable.add(digest)


def digest_of(path: Path) -> str:
    """Return the BLAKE3 digest of a file, reading it piece by piece."""
    with path.open("rb") as stream:
        return _copy(stream.fileno(), None)


def sync_folder(folder: Path) -> None:
    """Return when the disk has the names in a folder."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _fill(handle: int, content: bytes | Path) -> str:
    if isinstance(content, bytes):
        _write(handle, content)
        return blake3(content).hexdigest()

    reader = _open_regular(content)
    try:
        return _copy(reader, handle)
    finally:
        os.close(reader)


def _open_regular(path: Path) -> int:
    """Open a regular file, following no link in its last part and waiting for no pipe."""
    if not path.exists() and not path.is_symlink():
        raise NotAFile(path, "not there")

    kind = path.lstat().st_mode
    if not stat.S_ISREG(kind):
        raise NotAFile(path, "a link" if stat.S_ISLNK(kind) else "not a regular file")

    reader = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(reader).st_mode):
        os.close(reader)
        raise NotAFile(path, "not a regular file")

    return reader


def _copy_to(reader: int, target: Path, digest: str, source: Path) -> None:
    writer = os.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)

    try:
        with translated(target):
            found = _clone(reader, writer) or _copy(reader, writer)

        if found != digest:
            raise BlobChanged(digest, source, found)
    except BaseException:
        target.unlink(missing_ok=True)
        raise
    finally:
        os.close(writer)


def _clone(reader: int, writer: int) -> str | None:
    """Share the source's blocks and return the digest of the copy; None where that is not done."""
    try:
        fcntl.ioctl(writer, _CLONE, reader)
    except OSError:
        return None

    return _copy(writer, None)


def _copy(reader: int, writer: int | None) -> str:
    hasher = blake3()
    while piece := os.read(reader, CHUNK):
        hasher.update(piece)
        if writer is not None:
            _write(writer, piece)

    return hasher.hexdigest()


def _write(handle: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(handle, rest) :]


def _sorted(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


__all__ = ["CHUNK", "UNFINISHED", "BlobStore", "digest_of", "sync_folder"]
