"""Checks a whole ledger and its blobs, changing nothing, and names everything that is wrong."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ledger import blobfsck, mark, schema, sqlite
from ledger.blobfsck import Named, References
from ledger.chain import Walk
from ledger.errors import LedgerDamaged, LedgerError, LedgerUnsettled, NotALedger
from ledger.reader import Reader
from ledger.record import Head, Record

LEDGER = "ledger.db"
BLOBS = "blobs"

MANY = 100
"""How many problems with one code are told one by one."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is not as it must be."""

    code: str
    where: str
    """`event 12`, `blob ab12...`, or a file name."""
    says: str


@dataclass(frozen=True, slots=True)
class Report:
    """What a check found."""

    run: str
    """Run id; empty when there is no first event."""
    events: int
    head: Head
    blobs: int
    """Blobs whose bytes were read and are what their names say."""
    problems: tuple[Problem, ...]
    said: tuple[str, ...]
    """What was not or cannot be checked, and what is unusual but no problem."""

    @property
    def ok(self) -> bool:
        """Say whether nothing is wrong."""
        return not self.problems


@dataclass(slots=True)
class Findings:
    """Collects problems; those past `MANY` of one code are only counted."""

    _problems: list[Problem] = field(default_factory=list)
    _counts: Counter[str] = field(default_factory=Counter)

    def add(self, code: str, where: str, says: str) -> None:
        """Note a problem."""
        self._counts[code] += 1
        if self._counts[code] <= MANY:
            self._problems.append(Problem(code, where, says))

    def orphans(self, digests: Sequence[str]) -> None:
        """Note blobs that no event names."""
        for digest in digests:
            self.add("BLOB_UNREFERENCED", f"blob {digest}", "no event names it")

    def all(self) -> tuple[Problem, ...]:
        """Return the problems, with one more for each code that had too many."""
        rest = (
            Problem(code, "further places", f"{count - MANY} more of these")
            for code, count in sorted(self._counts.items())
            if count > MANY
        )
        return (*self._problems, *rest)


def check(
    folder: Path,
    *,
    references: References | None = None,
    head: tuple[int, str] | None = None,
    findings: Findings | None = None,
    orphans: Callable[[Sequence[str]], None] | None = None,
) -> Report:
    """Check every column of every event and every byte of every blob in a run folder.

    Args:
        folder: holds `ledger.db` and `blobs/`.
        references: names the blobs of an event; None leaves blobs unmatched with events.
        head: (seq, hash in hex) kept elsewhere: the log must hold exactly that event.
        findings: collects the problems; give one to add others to the same report.
        orphans: judges the blobs that no event names; None calls each a problem.

    Raises:
        NotALedger: there is no ledger file in the folder.
        LedgerTooNew: a later version of this program wrote it.
        CannotRead: no permission, or the disk does not answer.
        LedgerUnsettled: it is being written to.
    """
    found = Findings() if findings is None else findings
    named = Named()
    walk = Walk()
    said: list[str] = []
    heads = _Heads(head, _kept(folder, found), found, said)
    events = 0

    for record in _events(folder / LEDGER, walk, found, said):
        events += 1
        if record is None:
            continue

        heads.look(record)
        for digest, kind in references(record) if references else ():
            named.add(digest, kind, record.seq)

    if not events:
        found.add("NO_EVENTS", LEDGER, "there is no event in it")

    heads.end(walk.head)
    store = folder / BLOBS
    whole, extra = blobfsck.check(store, named, found.add, said, match=references is not None)
    (orphans or found.orphans)(extra)
    return Report(
        run=walk.run.hex() if walk.run else "",
        events=events,
        head=walk.head,
        blobs=whole,
        problems=found.all(),
        said=tuple(said),
    )


@dataclass(slots=True)
class _Heads:
    """Compares a log with the head that was given and with the one kept in the folder."""

    given: tuple[int, str] | None
    kept: Head | None
    found: Findings
    said: list[str]
    met: bool = False
    """Whether the kept head was met."""

    def look(self, record: Record) -> None:
        """Compare one record."""
        if self.given is not None and record.seq == self.given[0]:
            if record.hash.hex() != self.given[1]:
                says = f"the head given says {self.given[1]}"
                self.found.add("HEAD_DIFFERS", f"event {record.seq}", says)

        self.met = self.met or (record.seq, record.hash) == self.kept

    def end(self, head: Head) -> None:
        """Judge where the log ends."""
        if self.kept is not None and not self.met:
            says = f"the folder has seen event {self.kept.seq}, {self.kept.hash.hex()}"
            self.found.add("ROLLED_BACK", LEDGER, f"{says}, which is not in it")

        if self.given is None:
            self.said.append(
                "whether events after the last one shown were cut off: that needs a head that was"
                " kept outside this folder"
            )
        elif head.seq < self.given[0]:
            says = f"the log ends at event {head.seq}, the head given is event {self.given[0]}"
            self.found.add("ROLLED_BACK", LEDGER, says)


def _kept(folder: Path, found: Findings) -> Head | None:
    try:
        return mark.get(folder)
    except LedgerDamaged:
        found.add("HEAD_DIFFERS", mark.NAME, "it holds no head, SEQ:HASH, as a writer leaves it")
        return None


def _events(path: Path, walk: Walk, found: Findings, said: list[str]) -> Iterator[Record | None]:
    """Yield every stored record that can be read as one, None for each that cannot."""
    if not path.is_file():
        raise NotALedger(path, "there is no such file")

    with sqlite.translated(path, reading=True):
        path.open("rb").close()

    try:
        reader = Reader(path)
    except LedgerUnsettled:
        raise
    except LedgerError as error:
        found.add("LEDGER_UNREADABLE", path.name, str(error))
        return

    with reader:
        _check_header(reader, found)
        _check_side_files(reader, found, said)
        _check_structure(reader, found)

        try:
            for row in reader.rows():
                record, faults = walk.step(row)
                for fault in faults:
                    found.add(fault.code, f"event {fault.seq}", fault.says)

                yield record
        except LedgerUnsettled:
            raise
        except LedgerError as error:
            where = f"after event {walk.head.seq}"
            found.add("LEDGER_UNREADABLE", where, f"reading stopped: {error}")


def _check_header(reader: Reader, found: Findings) -> None:
    if reader.meta.application_id != schema.APPLICATION_ID:
        says = f"application_id is {reader.meta.application_id}, not {schema.APPLICATION_ID}"
        found.add("SCHEMA_CHANGED", LEDGER, says)

    elif reader.meta.user_version > schema.FORMAT:
        reader.require()  # raises: nothing can be said about a format that is not known

    if reader.meta.user_version != schema.FORMAT:
        says = f"user_version is {reader.meta.user_version}, not {schema.FORMAT}"
        found.add("SCHEMA_CHANGED", LEDGER, says)


def _check_side_files(reader: Reader, found: Findings, said: list[str]) -> None:
    journal = reader.path.with_name(f"{LEDGER}-journal")
    if journal.exists():
        says = "SQLite would play it back into the ledger, which never makes such a file"
        found.add("LEDGER_FOREIGN", journal.name, says)

    if reader.wal.damage:
        says = f"{reader.wal.damage}; events behind that place, if any, cannot be shown"
        found.add("WAL_DAMAGED", f"{LEDGER}-wal", says)

    open_frames = reader.wal.frames - reader.wal.committed
    if open_frames:
        said.append(f"{LEDGER}-wal holds {open_frames} frames of an append that was not finished")


def _check_structure(reader: Reader, found: Findings) -> None:
    """Check the schema against ours, and SQLite's own pages and index."""
    try:
        for says in schema.differences(reader.connection):
            found.add("SCHEMA_CHANGED", LEDGER, says)

        for (says,) in reader.connection.execute("PRAGMA integrity_check(20)"):
            if says != "ok":
                found.add("LEDGER_UNREADABLE", LEDGER, str(says))
    except sqlite.SqliteError as error:
        found.add("LEDGER_UNREADABLE", LEDGER, str(error))


__all__ = ["BLOBS", "LEDGER", "Findings", "Problem", "References", "Report", "check"]
