"""Which program this is: version, commit, packages and the digest of every file of its source."""

import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import metadata
from pathlib import Path

import orjson
from blake3 import blake3

from ledger.blobs import digest_of
from ledger.errors import LedgerError
from ledger.events.run import Code
from runtime.ports import PutBlob

DISTRIBUTION = "amid-runtime"
FOLDERS = ("amid", "ledger", "projections", "replay", "runtime")
"""Everything that takes part in a run lies in these."""

Read = Callable[[str], bytes]
"""Returns a stored list by its digest."""

_ROOT = Path(__file__).resolve().parents[2]

DIGEST = 64
"""Characters of a digest; a version has fewer."""

_SHOWN = 3
"""Names of files or distributions that are told; the rest is counted."""


@cache
def packages() -> Mapping[str, str]:
    """Return every installed distribution by its normalised name, sorted."""
    found = {
        (d.metadata["Name"] or "").lower().replace("_", "-"): d.version
        for d in metadata.distributions()
    }
    return dict(sorted((name, version) for name, version in found.items() if name))


@cache
def source() -> Mapping[str, str]:
    """Return path to digest of every file of the program, sorted by path."""
    return {path.relative_to(_ROOT).as_posix(): digest_of(path) for path in sorted(_files())}


def code(put: PutBlob) -> Code:
    """Say which program this is, storing the lists behind its digests."""
    commit, dirty = _checkout(_ROOT)
    return Code(
        version=metadata.version(DISTRIBUTION),
        commit=commit,
        dirty=dirty,
        lock=put(listing(packages())),
        source=put(listing(source())),
    )


def source_digest() -> str:
    """Return the digest of the list of files, as `code` names it."""
    return blake3(listing(source())).hexdigest()


def listing(found: Mapping[str, str]) -> bytes:
    """Return a list of distributions or of files as it is stored."""
    return orjson.dumps(dict(found), option=orjson.OPT_SORT_KEYS)


def changes(was: Code, now: Code, read: Read) -> Iterator[str]:
    """Yield in words how this program is another than the one that wrote.

    Args:
        was: The program as it was recorded.
        now: This program.
        read: Gives the lists that were recorded.
    """
    if was.version != now.version:
        yield f"version: {was.version}, now {now.version}"

    if was.source is None:
        yield "source: not recorded, so nobody can tell whether it is the same"
    elif was.source != now.source:
        yield f"source: {_differences(was.source, source(), read)}"

    if was.lock is not None and was.lock != now.lock:
        yield f"packages: {_differences(was.lock, packages(), read)}"


def _differences(digest: str, now: Mapping[str, str], read: Read) -> str:
    """Say which entries of a recorded list are others now."""
    try:
        was = orjson.loads(read(digest))
    except (LedgerError, ValueError):
        return "changed; the recorded list cannot be read any more"

    words = [
        f"{name} {how}"
        for name in sorted({*was, *now})
        if (how := _how(was.get(name), now.get(name)))
    ]
    more = f" and {len(words) - _SHOWN} more" if len(words) > _SHOWN else ""
    return ", ".join(words[:_SHOWN]) + more


def _how(was: str | None, now: str | None) -> str:
    if was == now:
        return ""

    if was is None or now is None:
        return "is gone" if now is None else "is new"

    return "changed" if len(now) == DIGEST else f"{was}, now {now}"


def _files() -> Iterator[Path]:
    for folder in FOLDERS:
        for path in (_ROOT / folder).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path


def _checkout(root: Path) -> tuple[str | None, bool | None]:
    """Return the commit of the program's own checkout and whether it has changes, if known."""
    if not (root / ".git").exists():
        return None, None

    commit, status = _git(root, "rev-parse", "HEAD"), _git(root, "status", "--porcelain", "-uno")
    return commit or None, None if status is None else bool(status)


def _git(root: Path, *words: str) -> str | None:
    """Return what git says; None where there is no git, or it does not answer."""
    command = ["git", "-C", os.fspath(root), *words]

    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return None

    return done.stdout.strip() if done.returncode == 0 else None
