"""Answers whether a run is whole and unaltered: bytes, chain, blobs, story, outcomes, verdicts."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from ledger import fsck
from ledger.blobs import BlobStore
from ledger.errors import LedgerError
from ledger.events.base import Fact, blobs_of
from ledger.events.data import DataSealed
from ledger.events.job import JobFinished
from ledger.events.review import CheckFound, ReviewRequested, VerdictGiven
from ledger.events.run import RunFinished
from ledger.events.stored import BodyUnfit, UnknownEvent, from_record
from ledger.events.work import CommitFrozen, PackageBuilt
from ledger.fsck import Findings, Problem
from ledger.record import Record
from replay.story import Story
from replay.translated import Domain, Translated
from runtime import ahead
from runtime.ahead import Lying
from runtime.ports import Ruling

SCHEMA = "verify/1"

_HEAD = re.compile(r"([1-9][0-9]*):([0-9a-f]{64})")


class VerdictDomain(Domain, Protocol):
    """What verifying needs of the domain: its rules, and how it reads what trusted jobs left."""

    def rules_digest(self) -> str:
        """Return the digest of the rule set behind `verdict`."""

    def verdict(self, findings: Sequence[CheckFound]) -> Ruling:
        """Rule over the findings of one attempt."""


Beside = Callable[[Path, Sequence[Fact], Callable[[str, str, str], None]], Iterable[str]]
"""Checks what lies beside ledger and blobs, given the folder, the events that tell of it and what
notes a problem (code, where, says); returns what is not there to be checked."""

TOLD_BESIDE = (CommitFrozen, DataSealed, PackageBuilt, RunFinished)
"""Events that tell of what lies beside ledger and blobs."""


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


def verify(
    run: Path,
    *,
    domain: VerdictDomain | None = None,
    head: str | None = None,
    beside: Beside | None = None,
) -> Answer:
    """Check a run folder and change nothing in it.

    Args:
        run: the folder of the run.
        domain: rules again over recorded findings and reads again what trusted jobs left; None
            leaves both unchecked.
        head: `SEQ:HASH` kept outside the folder, which the log must hold.
        beside: checks what lies beside ledger and blobs; None leaves that unchecked.

    Raises:
        NotALedger: there is no ledger in the folder.
        LedgerTooNew: a later version of this program wrote it.
        LedgerUnsettled: it is being written to.
        BadHead: the head is not of that form.
    """
    findings = Findings()
    lying = Lying.look(run)  # before the ledger, which only grows
    translated = None if domain is None else Translated(BlobStore(run / "blobs"), domain)
    reading = _Reading(findings, domain, translated)
    report = fsck.check(
        run,
        references=reading.references,
        head=_parse_head(head),
        findings=findings,
        orphans=reading.orphans,
    )
    reading.end(lying)
    absent = () if beside is None else tuple(beside(run, reading.told, findings.add))
    return Answer(
        ok=not findings.all(),
        run=report.run,
        events=report.events,
        head=f"{report.head.seq}:{report.head.hash.hex()}",
        blobs=report.blobs,
        problems=findings.all(),
        said=(*reading.standing(), *report.said, *absent, *reading.said()),
        marks=(),
    )


@dataclass(slots=True)
class _Reading:
    """Understands each event once: its blobs, its body, and verdicts against their findings."""

    findings: Findings
    domain: VerdictDomain | None
    translated: Translated | None
    story: Story = field(default_factory=Story)
    told: list[Fact] = field(default_factory=list)
    """Events that tell of what lies beside ledger and blobs."""
    stray: int = 0
    """Blobs that no event names, in a run that is not over."""
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

        self._follow(where, event)
        self._judge(where, event)
        return tuple(blobs_of(event))

    def orphans(self, digests: Sequence[str]) -> None:
        """Judge the blobs that no event names: a run that goes on may have stored them already."""
        if self.story.finished:
            self.findings.orphans(digests)
        else:
            self.stray = len(digests)

    def end(self, lying: Lying) -> None:
        """Judge the end of the log by what lies beside it."""
        story = self.story
        signs = [
            *ahead.signs(
                lying,
                jobs=story.jobs,
                workers=story.workers,
                packaged=story.packaged and bool(story.finished),
            ),
            ahead.stray(self.stray, under_way=story.under_way),
        ]

        for sign in signs:
            if sign:
                self.findings.add("ROLLED_BACK", fsck.LEDGER, f"the folder is ahead of it: {sign}")

        if cut := ahead.cut(story.last, begun=story.begun):
            self.findings.add("ROLLED_BACK", fsck.LEDGER, f"it was cut: {cut}")

    def standing(self) -> tuple[str, ...]:
        """Say that the run is not over, where it is not."""
        if self.story.finished:
            return ()

        open_ = f"{self.story.under_way} jobs and turns under way"
        blobs = f", {self.stray} blobs that no event names yet" if self.stray else ""
        return (f"the run is unfinished: {open_}{blobs}; `amid resume` goes on",)

    def _follow(self, where: str, event: Fact) -> None:
        """Check that an event follows from those before it, and from what its job left."""
        if isinstance(event, TOLD_BESIDE):
            self.told.append(event)

        about = self.story.open_jobs.get(event.key) if isinstance(event, JobFinished) else None

        for says in self.story.take(event):
            self.findings.add("STORY_BROKEN", where, f"{event.type} does not follow: {says}")

        for says in self.translated.take(event, about) if self.translated is not None else ():
            self.findings.add("OUTCOME_DIFFERS", where, says)

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
