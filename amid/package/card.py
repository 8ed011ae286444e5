"""The model card: every sentence that claims something names the events that bear it.

Event numbers differ between two runs that decided alike (two jobs may end in either order), so the
card, which is compared byte for byte, cites claims by name, and `provenance/claims.json` says which
events each rests on.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from amid.package.gather import Evidence, accepted
from amid.review.kind import review_part
from amid.words.scores import bracketed
from ledger.events.base import Fact
from ledger.events.data import (
    DataProfiled,
    InventoryTaken,
    NullScored,
    Score,
    SplitFrozen,
    TaskAgreed,
    TestScored,
)
from ledger.events.review import CheckFound, FeedbackReleased, ReviewMeasured
from ledger.events.work import AttemptExecuted, AttemptSubmitted, CommitFrozen


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence of the card and the numbers of the events behind it."""

    name: str
    says: str
    events: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Card:
    """The model card's text and its claims."""

    text: str
    claims: tuple[Claim, ...]


def write(evidence: Evidence) -> Card:
    """Return the card of a package."""
    parts = (
        ("What it is", (_task(evidence), *_code(evidence))),
        ("Data", (_data(evidence), _split(evidence))),
        (
            "How well it does",
            (*_scores(evidence), *_strata(evidence), _nulls(evidence), _test(evidence)),
        ),
        ("How it was judged", (*_verdicts(evidence), _checks(evidence), _looks(evidence))),
    )
    claims: list[Claim] = []
    lines = [f"# Model card: {evidence.contract.task.id}, attempt {evidence.attempt}", ""]
    for title, said in parts:
        lines += [f"## {title}", ""]
        for says, events in said:
            claims.append(Claim(f"C{len(claims) + 1}", says, events))
            lines.append(f"- {says} [{claims[-1].name}]")
        lines.append("")

    return Card("\n".join([*lines, *_footer(evidence)]), tuple(claims))


Said = tuple[str, tuple[int, ...]]


def interval(score: Score) -> str:
    """Return a score for people: value, interval, or why there is none."""
    if score.value is None:
        return f"{score.metric} undefined ({score.status})"

    if score.low is None or score.high is None:
        return f"{score.metric} {_short(score.value)} (no interval)"

    return (
        f"{score.metric} {_short(score.value)} "
        f"(95 % interval {_short(score.low)} to {_short(score.high)})"
    )


def unchecked(evidence: Evidence) -> tuple[CheckFound, ...]:
    """Return the checks that could not be done on any attempt of the package, by name."""
    found = [fact for _, fact in _checks_of(evidence) if fact.outcome == "unchecked"]
    return tuple(sorted(found, key=lambda fact: (fact.check, fact.attempt)))


def _task(evidence: Evidence) -> Said:
    task, metric = evidence.contract.task, evidence.contract.metric
    says = (
        f"A {task.dimensions}-dimensional {task.kind} of {' and '.join(task.modality) or 'images'} "
        f"into {', '.join(evidence.contract.foreground)}; "
        f"{metric.direction} {metric.primary} ({metric.average})."
    )
    return says, _numbers(evidence, TaskAgreed)


def _code(evidence: Evidence) -> list[Said]:
    said: list[Said] = []
    for attempt, commit in evidence.code.items():
        submitted = evidence.history.attempts[attempt]
        says = f"`{attempt}` is commit {commit.commit}: {_one_line(submitted.description)}"
        events = [n for n, fact in evidence.history.all(AttemptSubmitted) if fact == submitted]
        events += [n for n, fact in evidence.history.all(CommitFrozen) if fact == commit]
        said.append((says, tuple(sorted(events))))

    return said


def _data(evidence: Evidence) -> Said:
    _, inventory = evidence.history.all(InventoryTaken)[0]
    says = f"{inventory.cases} cases of {inventory.groups} groups were read and hashed once."
    return says, _numbers(evidence, InventoryTaken, DataProfiled)


def _split(evidence: Evidence) -> Said:
    _, frozen = evidence.history.all(SplitFrozen)[-1]
    says = (
        f"The split ({frozen.scheme}, {len(frozen.folds)} folds, {frozen.groups} development "
        f"groups, {frozen.inner} inner cases, {frozen.test} test cases) was frozen before anything "
        "was trained; no group stands on two sides."
    )
    return says, _numbers(evidence, SplitFrozen)


def _scores(evidence: Evidence) -> list[Said]:
    of = (evidence.attempt, *(name for name in evidence.code if name != evidence.attempt))
    said: list[Said] = []
    for attempt in of:
        found = [(n, f) for n, f in evidence.history.all(ReviewMeasured) if f.attempt == attempt]
        for number, fact in found[-1:]:
            scores = _overall(fact.scores)
            cases = fact.scores[0].cases if fact.scores else 0
            says = f"Validation of `{attempt}` over {cases} held-out cases: {scores}."
            said.append((says, (number,)))

    return said


def _overall(scores: tuple[Score, ...]) -> str:
    """Return the scores over all labels; those of one label stand in `scores/`."""
    whole = [score for score in scores if ":" not in score.metric]
    return "; ".join(map(interval, whole)) + (bracketed(whole[0].status) if whole else "")


def _strata(evidence: Evidence) -> list[Said]:
    """Return a sentence for each column of `report_by`."""
    contract, said = evidence.contract, []
    for column in contract.validation.report_by:
        rows = review_part(contract.task.kind).by_columns(
            evidence.validation, evidence.inventory, (column,), contract.metric.primary
        )
        values = "; ".join(
            f"{_one_line(row.value)}: {interval(row.score)} over {row.score.cases} cases of "
            f"{row.score.groups} groups{bracketed(row.score.status)}"
            for row in rows
        )
        measured = [n for n, f in evidence.history.all(ReviewMeasured) if f == evidence.measured]
        numbers = sorted([*_numbers(evidence, InventoryTaken), *measured])
        said.append((f"Validation of `{evidence.attempt}` by {column}: {values}.", tuple(numbers)))

    return said


def _nulls(evidence: Evidence) -> Said:
    nulls = evidence.history.all(NullScored)
    named = "; ".join(f"{fact.null}: {interval(fact.score)}" for _, fact in nulls) or "none scored"
    beats = "is" if evidence.measured.nulls_beaten else "is not"
    says = (
        f"It {beats} above every model that does not look at the image, compared case by case over "
        f"groups ({named})."
    )
    measured = [n for n, fact in evidence.history.all(ReviewMeasured) if fact == evidence.measured]
    return says, tuple(sorted([*(n for n, _ in nulls), *measured]))


def _test(evidence: Evidence) -> Said:
    if evidence.test is None:
        return "The test cases were predicted but not scored: no test score is claimed.", ()

    scores = _overall(evidence.test.scores)
    says = f"Hidden test set, scored once after the last verdict: {scores}."
    numbers = [n for n, fact in evidence.history.all(TestScored) if fact == evidence.test]
    return says, tuple(numbers)


def _verdicts(evidence: Evidence) -> list[Said]:
    said: list[Said] = []
    for attempt in evidence.code:
        ruling = accepted(evidence.history, attempt)
        executed = [n for n, f in evidence.history.all(AttemptExecuted) if f.attempt == attempt]
        if ruling is not None and executed:
            says = (
                f"`{attempt}` was executed by the runtime, not by its author, and accepted by "
                f"{ruling[1]}; how well it was sealed stands in `provenance/assurance.json`."
            )
            said.append((says, (executed[-1], ruling[0])))

    return said


def _checks(evidence: Evidence) -> Said:
    found = _checks_of(evidence)
    counts = [
        f"{sum(fact.outcome == outcome for _, fact in found)} {word}"
        for outcome, word in (("pass", "passed"), ("note", "noted"), ("unchecked", "not checked"))
    ]
    return f"Checks: {', '.join(counts)}.", tuple(number for number, _ in found)


def _looks(evidence: Evidence) -> Said:
    looks = evidence.history.all(FeedbackReleased)
    tried = evidence.history.all(AttemptSubmitted)
    says = (
        f"{len(tried)} attempts were judged in this run and validation results were shown to "
        f"workers {len(looks)} times, so validation scores of the best are likely too good."
    )
    return says, tuple(sorted([*(n for n, _ in looks), *(n for n, _ in tried)]))


def _footer(evidence: Evidence) -> list[str]:
    lines = ["## Not checked", ""]
    said = dict.fromkeys(f"- {fact.check}: {_one_line(fact.says)}" for fact in unchecked(evidence))
    lines += said
    lines += [
        "- How the model does on data of other sites, scanners or populations.",
        "",
        "## Use",
        "",
        "For research. Not a medical device; not for decisions about patients.",
        "`predict.py` runs the frozen code again on a folder of images.",
        "Each claim [C…] is tied to event numbers and hashes in `provenance/claims.json`.",
        "",
    ]
    return lines


def _checks_of(evidence: Evidence) -> list[tuple[int, CheckFound]]:
    return [
        (number, fact)
        for number, fact in evidence.history.all(CheckFound)
        if fact.attempt in evidence.code
    ]


def _numbers(evidence: Evidence, *kinds: type[Fact]) -> tuple[int, ...]:
    found: Iterable[int] = (n for kind in kinds for n, _ in evidence.history.all(kind))
    return tuple(sorted(found))


def _short(value: str) -> str:
    return f"{float(value):.4f}"


def _one_line(text: str) -> str:
    """Return a worker's or a check's words so that they cannot pass for a claim of the card."""
    return " ".join(text.split()).replace("[", "(").replace("]", ")")


__all__ = ["Card", "Claim", "interval", "unchecked", "write"]
