"""Finds one thing of a run by its name or by the beginning of its digest.

Names are gathered from the ledger alone, in one pass; the file of a blob is read only to be shown.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from amid.cli.cases import about
from amid.cli.errors import AmidUsageError
from amid.cli.folder import Row, check_run, moment, rows
from amid.words.sentences import fields_of, sentence
from ledger.events.base import Fact, blobs_of
from ledger.events.job import JobRequested
from ledger.events.key import key_of
from ledger.events.union import parse

KINDS = ("event", "attempt", "lane", "worker", "job", "commit", "blob", "case")
SHORTEST = 4
"""A prefix of a digest has at least so many characters."""
PREVIEW = 4000
"""Bytes of a text blob that are shown."""


class Ambiguous(AmidUsageError):
    """An ID could mean more than one thing."""


class Unknown(AmidUsageError):
    """Nothing in the run has this ID."""


@dataclass(frozen=True, slots=True)
class Found:
    """One thing, and the events that speak of it."""

    kind: str
    name: str
    events: tuple[Row, ...]
    blob: Path | None = None
    about: Mapping[str, object] | None = None
    """What is known of a case or group, whose names are no event's."""

    def to_json(self) -> dict[str, object]:
        """Return it in plain JSON types."""
        told: dict[str, object] = {"kind": self.kind, "id": self.name}
        if self.kind == "event":
            return told | _whole(self.events[0])

        if self.blob is not None:
            told |= _content(self.blob)

        if self.about is not None:
            return told | dict(self.about)

        return told | {"events": [_brief(row) for row in self.events]}


def _whole(row: Row) -> dict[str, object]:
    return {
        "type": row.type,
        "v": row.v,
        "at": moment(row.at_us).isoformat(),
        "hash": row.hash,
        "body_hash": row.body_hash,
        "says": sentence(row.type, row.body),
        "body": fields_of(row.body),
    }


def _brief(row: Row) -> dict[str, object]:
    return {"seq": row.seq, "type": row.type, "says": sentence(row.type, row.body)}


def _content(path: Path) -> dict[str, object]:
    if not path.is_file():
        return {"bytes": None, "text": "the blob is not in the store; `amid verify` says more"}

    with path.open("rb") as file:
        head = file.read(PREVIEW)

    size = path.stat().st_size
    try:
        text = head.decode() if size <= PREVIEW else head.decode(errors="ignore") + "…"
    except UnicodeDecodeError:
        text = None

    return {"bytes": size, "text": text if text is not None and "\x00" not in text else None}


@dataclass(slots=True)
class Index:
    """What has a name in a run: kind and name to the events that speak of it."""

    run: Path
    events: dict[int, Row] = field(default_factory=dict)
    names: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    aliases: dict[str, int] = field(default_factory=dict)
    """Hash of an event, or of its body, to its number."""

    @classmethod
    def of(cls, run: Path) -> "Index":
        """Read the ledger of a run once."""
        return cls.over(check_run(run), rows(run))

    @classmethod
    def over(cls, run: Path, past: Iterable[Row]) -> "Index":
        """Gather the names in the events of a run."""
        index = cls(run)
        for row in past:
            index.events[row.seq] = row
            index.aliases[row.hash] = row.seq
            index.aliases[row.body_hash] = row.seq
            for kind, name in dict.fromkeys(_names(row)):
                index.names.setdefault((kind, name), []).append(row.seq)

        return index

    def find(self, thing: str) -> Found:
        """Return the one thing that an ID means.

        Raises:
            Unknown: nothing has this ID.
            Ambiguous: several things do; the message lists them.
        """
        kind, _, name = thing.rpartition(":")
        if kind and kind not in KINDS:
            raise Unknown(f"there is no kind {kind!r}", hint=f"kinds are {', '.join(KINDS)}")

        if name.isdecimal() and kind in ("", "event") and int(name) in self.events:
            return Found("event", str(int(name)), (self.events[int(name)],))

        hits = self._hits(kind, name)
        known = about(self.run, self.events.values(), name) if not hits else None
        if known is not None and kind in ("", "case"):
            return Found("case" if "cases" not in known else "group", name, (), about=known)

        if not hits:
            raise Unknown(
                f"nothing in this run is called {thing!r}",
                where=str(self.run),
                hint=f"the run has {len(self.events)} events; `amid tail RUN --once` lists them",
            )

        if len(hits) > 1:
            raise Ambiguous(
                f"{thing!r} could mean {len(hits)} things",
                problems=tuple(f"{kind}:{name}" for kind, name in hits),
                hint="give more characters, or the kind as in blob:12ab",
            )

        return self._found(*hits[0])

    def _hits(self, kind: str, name: str) -> list[tuple[str, str]]:
        known = [pair for pair in self.names if kind in ("", pair[0])]
        exact = sorted(pair for pair in known if pair[1] == name)
        if exact or not name:
            return exact

        hits = {pair for pair in known if pair[1].startswith(name) and _long_enough(pair, name)}
        if kind in ("", "event") and len(name) >= SHORTEST:
            hits |= {("event", str(s)) for h, s in self.aliases.items() if h.startswith(name)}

        return sorted(hits)

    def _found(self, kind: str, name: str) -> Found:
        if kind == "event":
            return Found(kind, name, (self.events[int(name)],))

        speaking = tuple(self.events[seq] for seq in self.names[kind, name])
        blob = self.run / "blobs" / name[:2] / name[2:] if kind == "blob" else None
        return Found(kind, name, speaking, blob)


def _long_enough(pair: tuple[str, str], name: str) -> bool:
    return pair[0] not in ("job", "commit", "blob") or len(name) >= SHORTEST


_FIELDS = {
    "attempt": "attempt",
    "base": "attempt",
    "lane": "lane",
    "worker": "worker",
    "key": "job",
    "commit": "commit",
    "parent": "commit",
}


def _names(row: Row) -> Iterator[tuple[str, str]]:
    """Yield kind and name of everything an event speaks of."""
    body = fields_of(row.body)
    yield from _named(body)
    event = _event(row)
    if isinstance(event, JobRequested):
        yield "job", key_of(event)

    if event is not None:
        yield from (("blob", digest) for digest, _kind in blobs_of(event))


def _named(value: object) -> Iterator[tuple[str, str]]:
    match value:
        case Mapping():
            for name, inner in value.items():
                if name in _FIELDS and isinstance(inner, str):
                    yield _FIELDS[name], inner
                elif name == "subject" and isinstance(inner, str) and inner.startswith("a-"):
                    yield "attempt", inner
                elif name == "members" and isinstance(inner, list):
                    yield from (("attempt", member) for member in inner)
                else:
                    yield from _named(inner)
        case list():
            for inner in value:
                yield from _named(inner)


def _event(row: Row) -> Fact | None:
    """Return the event; None for one that this version does not know."""
    try:
        return parse(row.type, row.body)
    except (KeyError, ValidationError):
        return None
