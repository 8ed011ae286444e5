"""Checks the blob folder: every file against its name, and names against the events."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import orjson

from ledger.blobs import UNFINISHED, BlobStore, digest_of
from ledger.errors import BadDigest
from ledger.record import Record
from ledger.sqlite import translated

References = Callable[[Record], Iterable[tuple[str, Literal["file", "manifest"]]]]
"""Returns the blobs that an event names; the ledger itself does not know bodies."""

Add = Callable[[str, str, str], None]
"""Notes a problem: code, where, says."""

_FOLDER = re.compile(r"[0-9a-f]{2}")
_FILE = re.compile(r"[0-9a-f]{62}")


@dataclass(slots=True)
class Named:
    """The blobs that events name, each with the first event that does."""

    files: dict[str, int] = field(default_factory=dict)
    manifests: dict[str, int] = field(default_factory=dict)

    def add(self, digest: str, kind: Literal["file", "manifest"], seq: int) -> None:
        """Note that an event names a blob."""
        (self.manifests if kind == "manifest" else self.files).setdefault(digest, seq)


def check(
    root: Path, named: Named, add: Add, said: list[str], *, match: bool
) -> tuple[int, tuple[str, ...]]:
    """Check the blob folder; return how many blobs are whole, and which no event names.

    Args:
        root: the blob folder.
        named: what the events name.
        add: notes a problem.
        said: gets what was not checked.
        match: whether `named` is all that events name, so that others are too many.
    """
    there = {}
    with translated(root, reading=True):
        for path in _walk(root, add, said):
            digest = path.parent.name + path.name
            there[digest] = _check_file(path, digest, add)

    if not match:
        said.append("whether events and blobs name each other: nobody said what events name")
        return sum(there.values()), ()

    wanted = _wanted(BlobStore(root), named, there, add)
    for digest in sorted(wanted.keys() - there.keys()):
        add("BLOB_MISSING", f"blob {digest}", f"event {wanted[digest]} rests on it")

    return sum(there.values()), tuple(sorted(there.keys() - wanted.keys()))


def unnamed(store: BlobStore, named: Named) -> list[str]:
    """Return the blobs that no event names, such as those a crash left before their event.

    Reads no blob but the manifests. `resume` moves these aside: whoever needs one puts it again.
    """
    there = dict.fromkeys(store.digests(), True)
    wanted = _wanted(store, named, there, lambda *_: None)
    return sorted(there.keys() - wanted.keys())


def _walk(root: Path, add: Add, said: list[str]) -> Iterator[Path]:
    """Yield every file that has the name of a blob; say what else lies there."""
    if root.is_symlink() or (root.exists() and not root.is_dir()):
        add("BLOB_FOREIGN", root.name, "this is not a folder")
        return

    unfinished = 0
    for folder in sorted(root.iterdir()) if root.is_dir() else ():
        if folder.name.startswith(UNFINISHED):
            unfinished += 1
        elif folder.is_symlink() or not folder.is_dir() or not _FOLDER.fullmatch(folder.name):
            add("BLOB_FOREIGN", f"{root.name}/{folder.name}", "this is not part of a blob store")
        else:
            yield from _blobs_in(folder, add)

    if unfinished:
        said.append(f"{unfinished} half-written files in {root.name}/, left by a crash")


def _blobs_in(folder: Path, add: Add) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.is_symlink() or not path.is_file() or not _FILE.fullmatch(path.name):
            where = f"{folder.parent.name}/{folder.name}/{path.name}"
            add("BLOB_FOREIGN", where, "this is not part of a blob store")
        else:
            yield path


def _check_file(path: Path, digest: str, add: Add) -> bool:
    try:
        found = digest_of(path)
    except OSError as error:
        add("BLOB_CHANGED", f"blob {digest}", f"it cannot be read: {error.strerror}")
        return False

    if found != digest:
        add("BLOB_CHANGED", f"blob {digest}", f"its bytes have the digest {found}")

    return found == digest


def _wanted(store: BlobStore, named: Named, there: dict[str, bool], add: Add) -> dict[str, int]:
    """Return all that events name, directly or through a manifest."""
    wanted = {**named.manifests, **named.files}

    for manifest, seq in named.manifests.items():
        if not there.get(manifest):
            continue  # told elsewhere: missing or changed

        for digest, size in _entries(store.path(manifest), manifest, add):
            wanted.setdefault(digest, seq)
            path = store.path(digest)
            if there.get(digest) and path.stat().st_size != size:
                says = f"it gives {size} bytes to blob {digest}, which has others"
                add("MANIFEST_WRONG", f"blob {manifest}", says)

    return wanted


def _entries(path: Path, manifest: str, add: Add) -> Iterator[tuple[str, int]]:
    try:
        listed = orjson.loads(path.read_bytes())
        entries = [(str(entry["digest"]), int(entry["bytes"])) for entry in listed]
        for digest, _ in entries:
            BlobStore(path.parent).path(digest)
    except (ValueError, KeyError, TypeError, BadDigest) as error:
        says = f"it is not a list of path, digest and bytes ({error!r})"
        add("MANIFEST_WRONG", f"blob {manifest}", says)
        return

    yield from entries


__all__ = ["Add", "Named", "References", "check", "unnamed"]
