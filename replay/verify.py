"""Answers whether a run is whole and unaltered: bytes, chain, blobs, bodies and verdicts."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from ledger import fsck
from ledger.errors import LedgerError
from ledger.events.base import Fact, blobs_of
from ledger.events.review import CheckFound, ReviewRequested, VerdictGiven
from ledger.events.stored import BodyUnfit, UnknownEvent, from_record
from ledger.fsck import Findings, Problem
from ledger.record import Record
from runtime.ports import Ruling

SCHEMA = "verify/1"

_HEAD = re.compile(r"([1-9][0-9]*):([0-9a-f]{64})")


class VerdictDomain(Protocol):
    """What verifying needs of the domain: its rules, as `runtime.ports.Domain` has them."""

    def rules_digest(self) -> str:
        """Return the digest of the rule set behind `verdict`."""

    def verdict(self, findings: Sequence[CheckFound]) -> Ruling:
        """Rule over the findings of one attempt."""


class BadHead(LedgerError):
    """A head kept elsewhere was given in another form."""

    exit_code = 2

    def __init__(self, head: str) -> None:
        super().__init__(
            f"{head!r} is not a head: give SEQ:HASH, the number and hash of an event, as `amid"
            " verify` and `amid status` print it."
        )


@dataclass(frozen=True, slots=True)
class Answer:
    """What verifying found."""

    ok: bool
    run: str
    """Run id in hex."""
    events: int
    head: str
    """`SEQ:HASH` of the last event; keep it elsewhere and give it back later."""
    blobs: int
    problems: tuple[Problem, ...]
    said: tuple[str, ...]
    """What was not checked, and why."""
    marks: tuple[str, ...]
    """Evidence from outside the owner's hands; with none the run is self-attested."""

    @property
    def exit_code(self) -> Literal[0, 1]:
        """0 when all is well, 1 when something is wrong."""
        return 0 if self.ok else 1

    def to_json(self) -> dict[str, object]:
        """Return the answer as one JSON object."""
        return {
            "schema": SCHEMA,
            "ok": self.ok,
            "run": self.run,
            "events": self.events,
            "head": self.head,
            "blobs": self.blobs,
            "problems": [
                {"code": problem.code, "where": problem.where, "says": problem.says}
                for problem in self.problems
            ],
            "said": list(self.said),
            "marks": list(self.marks),
            "assurance": " ".join(self.marks) or "self-attested",
        }


def verify(run: Path, *, domain: VerdictDomain | None = None, head: str | None = None) -> Answer:
    """Check a run folder and change nothing in it.

    Args:
        run: the folder of the run.
        domain: recomputes verdicts from recorded findings; None leaves verdicts unchecked.
        head: `SEQ:HASH` kept outside the folder, which the log must hold.

    Raises:
        NotALedger: there is no ledger in the folder.
        LedgerTooNew: a later version of this program wrote it.
        LedgerUnsettled: it is being written to.
        BadHead: the head is not of that form.
    """
    findings = Findings()
    reading = _Reading(findings, domain)
    report = fsck.check(
        run, references=reading.references, head=_parse_head(head), findings=findings
    )
    return Answer(
        ok=report.ok,
        run=report.run,
        events=report.events,
        head=f"{report.head.seq}:{report.head.hash.hex()}",
        blobs=report.blobs,
        problems=report.problems,
        said=(*report.said, *reading.said()),
        marks=(),
    )


@dataclass(slots=True)
class _Reading:
    """Understands each event once: its blobs, its body, and verdicts against their findings."""

    findings: Findings
    domain: VerdictDomain | None
    seen: dict[str, list[CheckFound]] = field(default_factory=dict)
    """Attempt to what the reviewer found since it was last asked."""
    verdicts: int = 0
    other_rules: int = 0

    def references(self, record: Record) -> Iterable[tuple[str, Literal["file", "manifest"]]]:
        """Return the blobs a record names, after checking what it says."""
        where = f"event {record.seq}"
        try:
            event = from_record(record)
        except UnknownEvent as error:
            self.findings.add("EVENT_UNKNOWN", where, str(error))
            return ()
        except BodyUnfit as error:
            self.findings.add("BODY_UNFIT", where, str(error))
            return ()

        self._judge(where, event)
        return tuple(blobs_of(event))

    def said(self) -> tuple[str, ...]:
        """Return what was not checked here."""
        says = []
        if self.verdicts and self.domain is None:
            says.append(f"{self.verdicts} verdicts were not recomputed: no rules were given")

        if self.other_rules:
            says.append(
                f"{self.other_rules} verdicts were given under another rule set than today's;"
                " today's rules give the same verdicts"
            )

        says.append("what jobs computed was not executed again: see `amid replay --reproduce`")
        says.append("nothing outside the owner's hands vouches for this run: it is self-attested")
        return tuple(says)

    def _judge(self, where: str, event: Fact) -> None:
        match event:
            case ReviewRequested(attempt=attempt):
                self.seen[attempt] = []
            case CheckFound(attempt=attempt):
                self.seen.setdefault(attempt, []).append(event)
            case VerdictGiven():
                self.verdicts += 1
                found = self.seen.pop(event.attempt, [])
                if self.domain is not None:
                    self._compare(where, event, self.domain.verdict(tuple(found)), self.domain)
            case _:
                pass

    def _compare(
        self, where: str, given: VerdictGiven, ruling: Ruling, domain: VerdictDomain
    ) -> None:
        same_rules = given.rules == domain.rules_digest()
        if (given.verdict, given.codes) != (ruling.verdict, ruling.codes):
            under = "the rules named there" if same_rules else "today's rules, which are others"
            says = (
                f"attempt {given.attempt}: recorded {_words(given.verdict, given.codes)}, but the"
                f" recorded findings give {_words(ruling.verdict, ruling.codes)} under {under}"
            )
            self.findings.add("VERDICT_DIFFERS", where, says)
        elif not same_rules:
            self.other_rules += 1


def _words(verdict: str, codes: tuple[str, ...]) -> str:
    return f"{verdict} ({', '.join(codes) or 'no codes'})"


def _parse_head(head: str | None) -> tuple[int, str] | None:
    if head is None:
        return None

    found = _HEAD.fullmatch(head)
    if found is None:
        raise BadHead(head)

    return int(found[1]), found[2]


__all__ = ["Answer", "BadHead", "VerdictDomain", "verify"]
