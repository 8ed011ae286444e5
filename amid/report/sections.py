"""The sections about the run as a whole: integrity, claim, findings, splits, lanes, provenance."""

from collections import Counter
from dataclasses import dataclass

from amid.report.subject import Subject
from amid.report.words import ASSURANCE, OUTCOME, STANDING, better, interval, plural, shortened
from amid.words.scores import bracketed
from ledger.chain import Walk
from ledger.events.base import Fact
from ledger.events.data import (
    InventoryTaken,
    SplitFrozen,
    SuspectedLink,
    TaskAgreed,
    TestScored,
)
from ledger.events.review import CheckFound, ReviewMeasured, VerdictGiven
from ledger.events.work import CommitFrozen, LaneProposed, PackageBuilt
from projections.attempts import Attempt
from projections.lanes import Lane


@dataclass(frozen=True, slots=True)
class Line:
    """A glyph, a word for it, what it says, and the events it rests on."""

    glyph: str
    word: str
    says: str
    events: tuple[int, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Findings:
    """The checks with one outcome; each with the different things it said."""

    glyph: str
    word: str
    rows: tuple[tuple[str, tuple[Line, ...]], ...]


@dataclass(frozen=True, slots=True)
class Splits:
    """Who stands where."""

    says: str
    event: int
    roles: tuple[tuple[str, int, int], ...]
    """Role, groups, cases."""
    columns: tuple[str, ...]
    groups: tuple[tuple[str, tuple[int, ...]], ...]
    """Alias of a group and its cases per role."""
    overlaps: tuple[str, ...]
    links: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class LaneBar:
    """How far a lane came."""

    lane: str
    family: str
    hypothesis: str
    steps: tuple[tuple[str, str], ...]
    """State (`done`, `stopped`, `open`) and word of each step."""
    reason: str
    event: int


@dataclass(frozen=True, slots=True)
class Link:
    """One link of the winner's chain of provenance."""

    what: str
    says: str
    events: tuple[int, ...]


def integrity(subject: Subject) -> tuple[Line, ...]:
    """Recompute every hash of the chain, and say what this page did not check."""
    walk, faults = Walk(), []
    for record in subject.records:
        faults += walk.step(record)[1]

    count = len(subject.records)
    chain = (
        Line("✗", "broken", f"{len(faults)} faults, the first at event {faults[0].seq}")
        if faults
        else Line("✓", "unbroken", f"all {count} events hash to what is recorded, each on the last")
    )
    winner = subject.winner()
    cage = winner.executed.assurance if winner and winner.executed else "nothing executed"
    return (
        Line("?", "self-attested", "one party holds data and machine; nobody else vouches for it"),
        chain,
        Line("i", "execution", f"how the leading attempt was shut in: {ASSURANCE.get(cage, cage)}"),
        Line("?", "not checked", "blobs and verdicts, by this page: amid verify checks both"),
    )


def claim(subject: Subject) -> tuple[Line, ...]:
    """Return what the run claims, and what a worker claimed beside it."""
    winner = subject.winner()
    if winner is None or winner.measured is None:
        return (Line("?", "no claim", "no attempt has been accepted"),)

    built = subject.history.last(PackageBuilt)
    place = "is packaged" if built else "leads; nothing is packaged yet"
    measured = _numbers(subject, ReviewMeasured, winner.id)
    lines = [
        Line("✓", "claim", f"{winner.id} {place}", (built[0],) if built else ()),
        Line("i", "validation", f"{subject.metric} {_scores(winner)}", measured),
        _nulls(winner, measured),
        *_test(subject, winner),
    ]
    for given in winner.submitted.claims:
        says = f"the worker's own number for {given.metric} was {given.value}; it decides nothing"
        lines.append(Line("i", "worker's claim", subject.shown(says)))

    return tuple(lines)


def _scores(attempt: Attempt) -> str:
    first = attempt.measured.scores[0] if attempt.measured and attempt.measured.scores else None
    if first is None:
        return interval(first)

    held = f"over {plural(first.cases, 'held-out case')} of {plural(first.groups, 'group')}"
    return f"{interval(first)} {held}{bracketed(first.status)}"


def _nulls(winner: Attempt, events: tuple[int, ...]) -> Line:
    beaten = winner.measured is not None and winner.measured.nulls_beaten
    says = "every model that does not look at the image, compared case by case over groups"
    glyph, word = ("✓", "above the nulls") if beaten else ("!", "not above the nulls")
    return Line(glyph, word, f"{'above' if beaten else 'not above'} {says}", events)


def _test(subject: Subject, winner: Attempt) -> list[Line]:
    scored = [(n, f) for n, f in subject.history.all(TestScored) if f.attempt == winner.id]
    if not scored:
        return [Line("?", "test", "the hidden test set is not scored")]

    number, fact = scored[-1]
    first = fact.scores[0]
    over = f"{plural(first.cases, 'case')} of {plural(first.groups, 'group')}"
    whole = [score for score in fact.scores if ":" not in score.metric]
    says = "; ".join(f"{score.metric} {interval(score)}" for score in whole)
    lines = [
        Line(
            "i",
            "test",
            f"{says} over {over}, scored once, after the last verdict{bracketed(first.status)}",
            (number,),
        )
    ]
    for metric in (score.metric for score in whole):
        labels = [score for score in fact.scores if score.metric.startswith(f"{metric}:")]
        told = "; ".join(f"{s.metric.partition(':')[2]} {interval(s)}" for s in labels)
        if told:
            lines.append(Line("i", f"test, {metric} by label", told, (number,)))

    return lines


def findings(subject: Subject) -> tuple[Findings, ...]:
    """Return what the checks said by outcome, worst first; each outcome always stands.

    A check has one row for the leading attempt and all that it averages.
    """
    of = judged(subject)
    found = [(n, f) for n, f in subject.history.all(CheckFound) if f.attempt in of]
    groups = []
    for outcome, (glyph, word) in OUTCOME.items():
        by_check: dict[str, list[tuple[int, CheckFound]]] = {}
        for number, fact in sorted(found, key=lambda x: (x[1].check, x[0])):
            if fact.outcome == outcome:
                by_check.setdefault(fact.check, []).append((number, fact))

        rows = tuple((check, _said(subject, facts, of)) for check, facts in by_check.items())
        groups.append(Findings(glyph, word, rows))

    return tuple(groups)


def judged(subject: Subject) -> tuple[str, ...]:
    """Return the leading attempt and those it averages."""
    winner = subject.winner()
    return (*winner.submitted.members, winner.id) if winner else ()


def _said(
    subject: Subject, found: list[tuple[int, CheckFound]], of: tuple[str, ...]
) -> tuple[Line, ...]:
    """Return each different thing that one check said, with the attempts it was said of."""
    by_text: dict[str, list[tuple[int, CheckFound]]] = {}
    for number, fact in found:
        by_text.setdefault(fact.says, []).append((number, fact))

    lines = []
    for says, facts in by_text.items():
        names = tuple(dict.fromkeys(fact.attempt for _, fact in facts))
        whose = f"all {len(of)} attempts" if len(names) == len(of) > 1 else ", ".join(names)
        events = tuple(number for number, _ in facts)
        lines.append(Line("", "", subject.shown(says), events, whose))

    return tuple(lines)


def splits(subject: Subject) -> Splits | None:
    """Return how groups are dealt to roles; a group in two roles is an overlap."""
    frozen, split = subject.history.last(SplitFrozen), subject.split
    if frozen is None or split is None:
        return None

    roles = {"test": split.test, "inner": split.inner}
    roles |= {f"validation {fold.fold}": fold.validation for fold in split.folds}
    if len(split.folds) == 1:  # a holdout also has cases that are never held out
        roles["fit"] = split.folds[0].fit

    counts: dict[str, Counter[str]] = {}
    for role, cases in roles.items():
        for case in cases:
            counts.setdefault(split.group_of.get(case, "?"), Counter())[role] += 1

    overlaps = tuple(
        f"{group} stands in {' and '.join(sorted(seen))}"
        for group, seen in sorted(counts.items())
        if len(seen) > 1
    )
    number, fact = frozen
    says = f"{fact.scheme}, drawn from seed {fact.seed}, frozen before anything was trained"
    return Splits(
        says=says,
        event=number,
        roles=tuple(
            (role, len({split.group_of.get(case) for case in cases}), len(cases))
            for role, cases in roles.items()
        ),
        columns=tuple(roles),
        groups=tuple(
            (group, tuple(seen[role] for role in roles)) for group, seen in sorted(counts.items())
        ),
        overlaps=overlaps,
        links=tuple(
            Line("!", f"{f.first} and {f.second}", subject.shown(f.evidence), (n,))
            for n, f in subject.history.all(SuspectedLink)
        ),
    )


def lanes(subject: Subject) -> tuple[LaneBar, ...]:
    """Return how far each lane came, by rank."""
    numbers = {fact.lane: n for n, fact in subject.history.all(LaneProposed)}
    return tuple(_bar(subject, lane, numbers[lane.name]) for lane in subject.state.lanes)


def _bar(subject: Subject, lane: Lane, event: int) -> LaneBar:
    tried = subject.state.attempts.of_lane(lane.name)
    good = [attempt for attempt in tried if attempt.standing == "accept"]
    steps = [("done", "proposed")]
    if lane.downranked is not None:
        steps.append(("stopped", "ranked down"))
    else:
        steps.append(("done" if tried else "open", f"{plural(len(tried), 'attempt')}"))
        steps.append(("done" if good else "open", f"{len(good)} accepted"))

    if lane.promoted:
        steps.append(("done", "promoted"))
    elif lane.refused:
        steps.append(("stopped", "not promoted"))
    elif lane.downranked is None:
        steps.append(("open", "no decision on promotion"))

    # The last decision says what the ones before it said, and more.
    reason = (
        lane.promoted.reason
        if lane.promoted
        else lane.refused.reason
        if lane.refused
        else lane.covered.reason
        if lane.covered
        else lane.downranked or ""
    )
    return LaneBar(
        lane=lane.name,
        family=f"{lane.proposed.family}, {lane.proposed.kind}",
        hypothesis=subject.shown(lane.proposed.hypothesis),
        steps=tuple(steps),
        reason=subject.shown(shortened(reason)),
        event=event,
    )


def provenance(subject: Subject) -> tuple[Link, ...]:
    """Return the straight chain from contract to package for the leading attempt."""
    winner = subject.winner()
    if winner is None:
        return ()

    chain = [
        Link("contract", "data, metric and direction", _first(subject, TaskAgreed)),
        Link("inventory", "every file read and hashed", _first(subject, InventoryTaken)),
        Link("split", "who stands where", _first(subject, SplitFrozen)),
    ]
    for attempt in (*winner.submitted.members, winner.id):
        chain += _attempt_links(subject, attempt)

    chain += _test_and_package(subject, winner)
    return tuple(link for link in chain if link.events)


def _attempt_links(subject: Subject, name: str) -> list[Link]:
    attempt = subject.state.attempts.get(name)
    if attempt is None:
        return []

    commit = attempt.submitted.commit
    frozen = [n for n, f in subject.history.all(CommitFrozen) if f.commit == commit]
    links = [Link("code", f"{name}: commit {commit[:12]}", tuple(frozen[:1]))]
    for kind in ("train", "predict"):
        jobs = [job for job in subject.history.jobs_of(name, kind) if job.ended is not None]
        folds = ", ".join(job.request.fold for job in jobs)
        ended = tuple(job.ended for job in jobs if job.ended is not None)
        links.append(Link(kind, f"{name}: {folds}", ended))

    glyph, word = STANDING[attempt.standing]
    verdict = _numbers(subject, VerdictGiven, name)
    return [*links, Link("verdict", f"{name}: {glyph} {word}", verdict)]


def _test_and_package(subject: Subject, winner: Attempt) -> list[Link]:
    built = subject.history.last(PackageBuilt)
    scored = _numbers(subject, TestScored, winner.id)
    return [
        Link("test", f"{winner.id}: scored once", scored),
        Link(
            "package",
            f"manifest {built[1].manifest[:12]}, {plural(built[1].files, 'file')}" if built else "",
            (built[0],) if built else (),
        ),
    ]


def _first(subject: Subject, kind: type[Fact]) -> tuple[int, ...]:
    return tuple(number for number, _ in subject.history.all(kind)[:1])


def _numbers(
    subject: Subject,
    kind: type[ReviewMeasured] | type[VerdictGiven] | type[TestScored],
    attempt: str,
) -> tuple[int, ...]:
    return tuple(n for n, fact in subject.history.all(kind) if fact.attempt == attempt)[-1:]


def subtitle(subject: Subject) -> str:
    """Return the line under the title."""
    task = subject.state.task.task
    if task is None:
        return "no task is agreed yet"

    modality = subject.contract.task.modality if subject.contract else ()
    what = f"{task.kind} of {', '.join(modality)}" if modality else task.kind
    return f"{what}; {task.metric}, {better(task.direction)}"


__all__ = [
    "Findings",
    "LaneBar",
    "Line",
    "Link",
    "Splits",
    "claim",
    "findings",
    "integrity",
    "judged",
    "lanes",
    "provenance",
    "splits",
    "subtitle",
]
