"""The timeline: one sentence an event, with gaps, crashes and resumes marked."""

import re
from dataclasses import dataclass

from amid.report.subject import Subject
from amid.report.words import lasting
from amid.words.sentences import sentence
from ledger.record import Record

GAP_US = 60_000_000
"""A silence longer than this is marked."""

QUIET = frozenset({"access.recorded", "budget.spent", "worker.state_entered", "job.requested"})
"""Events that stand among the raw events only: they would drown the others."""

_JOB = re.compile(r"\bjob ([0-9a-f]{12})\b")

_SHOWN = 400
"""Characters of a body that the raw list shows."""


@dataclass(frozen=True, slots=True)
class Moment:
    """One line of the timeline."""

    seq: int
    at: str
    """Since the first event, as the machine's clock said."""
    type: str
    says: str
    mark: str
    """`gap`, `crash`, `resume`, `pause`, `bad` or empty."""


@dataclass(frozen=True, slots=True)
class Raw:
    """One event as it is stored."""

    seq: int
    type: str
    hash: str
    body: str


def timeline(subject: Subject) -> tuple[Moment, ...]:
    """Return the moments of a run in order."""
    moments: list[Moment] = []
    before, paused = None, False
    for record in subject.records:
        at = record.at_us - subject.records[0].at_us
        silence = 0 if before is None else record.at_us - before
        before = record.at_us
        if silence > GAP_US:
            says = f"nothing was recorded for {lasting(silence)}"
            moments.append(Moment(record.seq, lasting(at), "", says, "gap"))

        if record.type == "run.resumed":
            says = "the process before was paused" if paused else "the process before had died"
            mark = "pause" if paused else "crash"
            moments.append(Moment(record.seq, lasting(at), "", says, mark))

        paused = record.type == "run.paused" or (paused and record.type == "writer.acquired")
        if record.type not in QUIET and not _passed(record):
            says = subject.shown(_named(subject, sentence(record.type, record.body)))
            mark = _mark(record.type)
            moments.append(Moment(record.seq, lasting(at), record.type, says, mark))

    return tuple(moments)


def _passed(record: Record) -> bool:
    """Say whether an event is a check that passed: the findings list those."""
    return record.type == "review.check_found" and b'"outcome":"pass"' in record.body


def _named(subject: Subject, says: str) -> str:
    """Put a job's kind, attempt and fold in place of its key."""
    found = _JOB.search(says)
    if found is None:
        return says

    for job in subject.history.jobs.values():
        if job.key.startswith(found[1]):
            name = f"{job.request.kind} of {job.request.subject}, fold {job.request.fold},"
            return says.replace(found[0], name, 1)

    return says


def _mark(kind: str) -> str:
    if kind in ("run.resumed", "run.paused"):
        return "resume" if kind == "run.resumed" else "pause"

    return "bad" if kind.endswith((".failed", ".lost", ".aborted", ".refused", ".voided")) else ""


def raw(subject: Subject) -> tuple[Raw, ...]:
    """Return every event, its body cut where it is long and withheld where it is private."""
    rows = []
    for record in subject.records:
        text = subject.shown(record.body.decode())
        cut = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text)} characters)"
        rows.append(Raw(record.seq, record.type, record.hash.hex()[:12], cut))

    return tuple(rows)


__all__ = ["Moment", "Raw", "raw", "timeline"]
