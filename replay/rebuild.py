"""Rebuilds what a run made from its ledger and blobs alone. Executes nothing.

Worktrees come from frozen commits and are compared with their git names; predictions and the
package's payload come from recorded manifests and are compared with their digests.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from ledger.blobs import BlobStore
from ledger.errors import LedgerError
from ledger.events.work import CommitFrozen, PackageBuilt
from ledger.reader import read
from replay.gitids import commit_id, tree_id
from replay.history import History
from runtime.errors import RunExists
from runtime.jobspec import is_inside
from runtime.layout import read_manifest

SCHEMA = "rebuild/1"


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that was rebuilt whole."""

    part: str
    """Folder below the target, such as `worktrees/<attempt>`."""
    files: int
    bytes: int
    event: int
    """The event that says what it must be."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came out of ledger and blobs, and what did not."""

    as_of: int
    parts: tuple[Part, ...]
    problems: tuple[str, ...]
    """What is recorded but could not be rebuilt as recorded."""
    not_rebuilt: tuple[str, ...]
    """What ledger and blobs alone cannot give, and why."""

    @property
    def ok(self) -> bool:
        """Say whether everything that was recorded came out as recorded."""
        return not self.problems

    @property
    def says(self) -> str:
        """Return the answer in one line."""
        files, size = sum(x.files for x in self.parts), sum(x.bytes for x in self.parts)
        return (
            f"{'yes' if self.ok else 'no'}: {len(self.parts)} parts with {files} files "
            f"({size} bytes) came out of ledger and blobs as recorded, as of event {self.as_of}; "
            f"{len(self.problems)} problems"
        )

    def to_json(self) -> dict[str, object]:
        """Return the answer for `--json`."""
        return {
            "schema": SCHEMA,
            "ok": self.ok,
            "as_of": self.as_of,
            "files": sum(part.files for part in self.parts),
            "bytes": sum(part.bytes for part in self.parts),
            "parts": [asdict(part) for part in self.parts],
            "problems": list(self.problems),
            "not_rebuilt": list(self.not_rebuilt),
        }


NOT_REBUILT = (
    "package/provenance: it withholds what the vault names, and the vault is no part of this",
    "views, vault: copies of the data, which is no part of a run",
    "jobs/*/log beyond what a blob keeps, repo.git: worktrees hold the same files",
)


@dataclass(frozen=True, slots=True)
class _Thing:
    """Something to be rebuilt: its files by path, and a last check of their contents."""

    part: str
    event: int
    files: Mapping[str, str]
    check: Callable[[Mapping[str, bytes]], str | None] | None = None
    """None where each file's digest says all."""


def rebuild(run: Path, into: Path) -> Answer:
    """Rebuild worktrees, predictions and payload of `run` in the new or empty folder `into`.

    Raises:
        RunExists: something lies in `into` already.
        ledger.errors.LedgerError: `ledger.db` cannot be read.
    """
    if into.exists() and (not into.is_dir() or any(into.iterdir())):
        raise RunExists(
            "the place to rebuild in is not empty",
            where=into,
            why="what lies there could be taken for what was rebuilt",
            hint="name a new folder",
        )

    with read(run / "ledger.db") as reader:
        history = History.of(reader.records())

    blobs = BlobStore(run / "blobs")
    problems: list[str] = []
    parts = [
        part
        for thing in _things(history, blobs, problems)
        if (part := _write(thing, blobs, into, problems)) is not None
    ]
    not_rebuilt: tuple[str, ...] = NOT_REBUILT
    if not history.all(PackageBuilt):
        not_rebuilt = ("package/payload: no package was built in this run", *NOT_REBUILT)

    return Answer(history.head, tuple(parts), tuple(problems), not_rebuilt)


def _things(history: History, blobs: BlobStore, problems: list[str]) -> Iterator[_Thing]:
    numbers = {fact.commit: number for number, fact in history.all(CommitFrozen)}
    for attempt in sorted(history.attempts):
        frozen = history.code_of(attempt)
        if frozen is None:
            problems.append(f"worktrees/{attempt}: its frozen commit is not in the ledger")
            continue

        files = {file.path: file.digest for file in frozen.files}
        check = _commit_check(frozen)
        yield _Thing(f"worktrees/{attempt}", numbers[frozen.commit], files, check)

    manifests: list[tuple[str, int | None, str]] = [
        (f"predictions/{job.request.subject}/{job.request.fold}", job.ended, job.finished.outputs)
        for job in history.jobs.values()
        if job.request.kind == "predict" and job.finished is not None
    ]
    built = history.last(PackageBuilt)
    if built is not None:
        manifests.append(("package/payload", built[0], built[1].manifest))

    for part, event, manifest in sorted(manifests):
        try:
            listed = read_manifest(blobs.read(manifest))
        except (LedgerError, ValueError) as problem:
            problems.append(f"{part}: its manifest cannot be read: {problem}")
            continue

        yield _Thing(part, event or 0, {file.path: file.digest for file in listed})


def _commit_check(frozen: CommitFrozen) -> Callable[[Mapping[str, bytes]], str | None]:
    def check(content: Mapping[str, bytes]) -> str | None:
        """Recompute the names git gives to these files and compare them with the recorded ones."""
        modes = {file.path: file.mode for file in frozen.files}
        tree = tree_id({path: (modes[path], data) for path, data in content.items()})
        if tree != frozen.tree:
            return f"its files make tree {tree}, recorded is {frozen.tree}"

        commit = commit_id(tree, frozen.parent, frozen.message)
        if commit != frozen.commit:
            return f"it makes commit {commit}, recorded is {frozen.commit}"

        return None

    return check


def _write(thing: _Thing, blobs: BlobStore, into: Path, problems: list[str]) -> Part | None:
    """Write the files of one thing; on any problem name it and leave the files that are right."""
    before = len(problems)
    content: dict[str, bytes] = {}
    for path, digest in sorted(thing.files.items()):
        if not is_inside(path):
            problems.append(f"{thing.part}: {path!r} leaves its folder; not written")
            continue

        try:
            content[path] = blobs.read(digest)
        except LedgerError as problem:
            problems.append(f"{thing.part}/{path}: {problem}")
            continue

        target = into / thing.part / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content[path])

    wrong = thing.check(content) if thing.check and len(problems) == before else None
    problems += [f"{thing.part}: {wrong}"] if wrong else []

    if len(problems) > before:
        return None

    (into / thing.part).mkdir(parents=True, exist_ok=True)
    return Part(thing.part, len(content), sum(len(data) for data in content.values()), thing.event)


__all__ = ["SCHEMA", "Answer", "Part", "rebuild"]
