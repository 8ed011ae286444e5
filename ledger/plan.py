"""Decides which records a request becomes on top of a head. Pure but for the clock it is given."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ledger import hashing
from ledger.chain import event_hash
from ledger.committer import Request
from ledger.errors import CommandReused, FenceViolation, HeadMoved
from ledger.fence import LAST_US
from ledger.record import Head, NewEvent, Record, run_id

Find = Callable[[str], Record | None]
"""Looks up a stored record by its command id."""


@dataclass(frozen=True, slots=True)
class Top:
    """What the next event is put on."""

    head: Head
    term: int
    run: bytes | None


@dataclass(frozen=True, slots=True)
class Plan:
    """What a request becomes: one record per event, of which `new` are not stored yet."""

    records: tuple[Record, ...]
    new: tuple[Record, ...]
    top: Top
    """What stands on top once `new` is stored."""


def plan(request: Request, top: Top, *, find: Find, clock: Callable[[], int]) -> Plan:
    """Return the records of a request, stored ones where a command is repeated.

    A repeated request is answered with what it became the first time, even where the head has
    moved on since: whoever lost the answer may ask again.

    Raises:
        HeadMoved: something of the request is new and the head is not the expected one.
        CommandReused: a command id is stored with another content.
        FenceViolation: the clock gives a time that cannot be stored.
    """
    expected = top.head.seq if request.expect_head is None else request.expect_head
    made: dict[str, Record] = {}
    records: list[Record] = []
    new: list[Record] = []
    place = expected + 1

    for event in request.events:
        cmd = event.cmd or hashing.command_id(place, event.type, event.v, event.body)
        known = made.get(cmd) or find(cmd)

        if known is None:
            if top.head.seq != expected:
                raise HeadMoved(expected, top.head.seq)

            record, top = _on_top(top, event, cmd, _time(clock))
            expected += 1
            new.append(record)
        else:
            record = _same(known, event, made)

        made[cmd] = record
        records.append(record)
        place = max(place, record.seq + 1)

    return Plan(tuple(records), tuple(new), top)


def likely(requests: Sequence[Request], head: int) -> tuple[str, ...]:
    """Return the command ids that a group has if all of it is new, each once.

    What is not among them, because something of the group turns out to be stored, is looked up
    by itself.
    """
    cmds: dict[str, None] = {}

    for request in requests:
        place = head if request.expect_head is None else request.expect_head
        for event in request.events:
            place += 1
            cmds[event.cmd or hashing.command_id(place, event.type, event.v, event.body)] = None

        head += len(request.events)

    return tuple(cmds)


def _time(clock: Callable[[], int]) -> int:
    now = clock()
    if not 0 <= now <= LAST_US:
        raise FenceViolation(
            f"the time {now} µs", "it does not lie between the years 1970 and 9999; set the clock"
        )

    return now


def _same(known: Record, event: NewEvent, made: Mapping[str, Record]) -> Record:
    if (known.type, known.v, known.body) != (event.type, event.v, event.body):
        raise CommandReused(known.cmd, None if known.cmd in made else known.seq)

    return known


def _on_top(top: Top, event: NewEvent, cmd: str, at_us: int) -> tuple[Record, Top]:
    run = run_id(event.body) if top.run is None else top.run
    record = Record(
        seq=top.head.seq + 1,
        term=top.term,
        at_us=at_us,
        cmd=cmd,
        type=event.type,
        v=event.v,
        prev=top.head.hash,
        body_hash=hashing.body_hash(event.body),
        hash=b"",
        body=event.body,
    )
    record = record._replace(hash=event_hash(record, run))
    return record, Top(Head(record.seq, record.hash), top.term, run)


__all__ = ["Find", "Plan", "Top", "likely", "plan"]
