"""The leaderboard and what lies behind each attempt: commit, jobs, verdict, evidence."""

from dataclasses import dataclass

from amid.report.plot import Dot
from amid.report.sections import Line
from amid.report.subject import Subject, primary
from amid.report.words import OUTCOME, STANDING, better, interval
from ledger.events.data import Score
from ledger.events.job import AccessRecorded, JobFailed
from ledger.events.review import CheckFound, VerdictGiven
from ledger.events.work import AttemptSubmitted, CommitFrozen
from projections.attempts import Attempt


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table under the plot."""

    rank: str
    name: str
    lane: str
    glyph: str
    word: str
    validation: str
    inner: str
    cases: str
    nulls: str
    href: str


@dataclass(frozen=True, slots=True)
class JobRow:
    """One sealed job of an attempt."""

    what: str
    events: tuple[int, ...]
    outputs: str
    sandbox: str
    access: str
    used: str


@dataclass(frozen=True, slots=True)
class Detail:
    """Everything recorded about one attempt."""

    name: str
    glyph: str
    word: str
    summary: str
    description: str
    commit: str
    parent: str
    files: tuple[tuple[str, int, str], ...]
    events: tuple[int, ...]
    jobs: tuple[JobRow, ...]
    codes: str
    findings: tuple[Line, ...]
    evidence: tuple[str, ...]


def dots_of(subject: Subject) -> list[Dot]:
    """Return a dot for each scored attempt, best first, and then for each null model."""
    rows = []
    for attempt in subject.ranked():
        first = attempt.measured.scores[0] if attempt.measured else None
        if first is not None:
            _, word = STANDING[attempt.standing]
            rows.append(_dot(attempt.id, first, _kind(attempt), word))

    sign = -1 if subject.direction == "maximize" else 1
    nulls = [null for null in subject.state.task.nulls if null.score.value is not None]
    for null in sorted(nulls, key=lambda x: (sign * float(x.score.value or 0), x.null)):
        rows.append(_dot(f"null: {null.null}", null.score, "null", "does not look at the image"))

    return rows


def _kind(attempt: Attempt) -> str:
    return attempt.standing if attempt.standing in ("accept", "reject", "flag") else "open"


def _dot(name: str, score: Score, kind: str, word: str) -> Dot:
    low, high = (None if end is None else float(end) for end in (score.low, score.high))
    says = f"{name}: {score.metric} {interval(score)}, {word}."
    return Dot(name, float(score.value or 0), low, high, kind, says)


def board(subject: Subject) -> tuple[Row, ...]:
    """Return the leaderboard's table: scored attempts best first, then the others, then nulls."""
    ranked = subject.ranked()
    rest = sorted((a for a in subject.state.attempts if primary(a) is None), key=lambda a: a.id)
    rows = [_row(attempt, str(place)) for place, attempt in enumerate(ranked, start=1)]
    rows += [_row(attempt, "—") for attempt in rest]
    for null in sorted(subject.state.task.nulls, key=lambda x: x.null):
        score = null.score
        cases = f"{score.cases} / {score.groups}"
        row = Row("", null.null, "null model", "□", "reference", interval(score), "", cases, "", "")
        rows.append(row)

    return tuple(rows)


def _row(attempt: Attempt, rank: str) -> Row:
    glyph, word = STANDING[attempt.standing]
    measured = attempt.measured
    first = measured.scores[0] if measured and measured.scores else None
    return Row(
        rank=rank,
        name=attempt.id,
        lane=f"{attempt.submitted.lane}, {attempt.submitted.role}",
        glyph=glyph,
        word=word,
        validation=interval(first),
        inner=interval(measured.inner) if measured else "—",
        cases=f"{first.cases} / {first.groups}" if first else "—",
        nulls="—" if measured is None else ("✓ yes" if measured.nulls_beaten else "✗ no"),
        href=f"#{attempt.id}",
    )


def details(subject: Subject) -> tuple[Detail, ...]:
    """Return what lies behind every attempt, in the order they were handed in."""
    return tuple(_detail(subject, attempt) for attempt in subject.state.attempts)


def _detail(subject: Subject, attempt: Attempt) -> Detail:
    history, submitted = subject.history, attempt.submitted
    frozen = history.code_of(attempt.id)
    glyph, word = STANDING[attempt.standing]
    events = [n for n, f in history.all(AttemptSubmitted) if f.attempt == attempt.id]
    events += [n for n, f in history.all(CommitFrozen) if f.commit == submitted.commit][:1]
    events += [n for n, f in history.all(VerdictGiven) if f.attempt == attempt.id]
    found = [(n, f) for n, f in history.all(CheckFound) if f.attempt == attempt.id]
    verdict = attempt.verdict
    first = attempt.measured.scores[0] if attempt.measured and attempt.measured.scores else None
    return Detail(
        name=attempt.id,
        glyph=glyph,
        word=word,
        summary=f"{submitted.lane}, {submitted.role}, round {submitted.round}: {interval(first)}",
        description=subject.shown(submitted.description),
        commit=submitted.commit,
        parent=(frozen.parent if frozen else None) or "none: from an empty tree",
        files=tuple((f.path, f.bytes, f.digest[:12]) for f in frozen.files) if frozen else (),
        events=tuple(sorted(set(events))),
        jobs=_jobs(subject, attempt.id),
        codes=(", ".join(verdict.codes) or "none") if verdict else "no verdict yet",
        findings=tuple(_finding(subject, n, f) for n, f in found),
        evidence=tuple(
            subject.shown(f"{fact.check}: {item.kind} {item.ref}: {item.says}")
            for _, fact in found
            for item in fact.evidence
        ),
    )


def _finding(subject: Subject, number: int, fact: CheckFound) -> Line:
    glyph, word = OUTCOME[fact.outcome]
    return Line(glyph, f"{fact.check} {word}", subject.shown(fact.says), (number,), fact.code)


def _jobs(subject: Subject, attempt: str) -> tuple[JobRow, ...]:
    history = subject.history
    accesses = {fact.key: (number, fact) for number, fact in history.all(AccessRecorded)}
    failures = {fact.key: (number, fact) for number, fact in history.all(JobFailed)}
    rows = []
    for job in history.jobs.values():
        if job.request.subject != attempt:
            continue

        events = [job.requested, *([job.ended] if job.ended else [])]
        seen = accesses.get(job.key)
        failed = failures.get(job.key)
        events += [entry[0] for entry in (seen, failed) if entry is not None]
        done = job.finished
        outputs = f"manifest {done.outputs[:12]}" if done else "none"
        if done is None and failed is not None:
            outputs = subject.shown(f"failed: {failed[1].reason}")

        cage = done.assurance if done else (failed[1].assurance if failed else "not ended")
        rows.append(
            JobRow(
                what=f"{job.request.kind} {job.request.fold}",
                events=tuple(sorted(events)),
                outputs=outputs,
                sandbox=f"{job.request.sandbox} → {cage}",
                access=_access(seen[1]) if seen else "not recorded",
                used=f"{done.resources.cpu_ms / 1000:.1f} s CPU" if done else "—",
            )
        )

    return tuple(rows)


def _access(fact: AccessRecorded) -> str:
    denied = f"{fact.denied_total} denied" if fact.denied_total else "none denied"
    return f"{fact.opened} opened, {denied}{'' if fact.complete else ' (record not complete)'}"


def plot_title(subject: Subject) -> tuple[str, str]:
    """Return the metric's name and which way is good."""
    return subject.metric, better(subject.direction)


__all__ = ["Detail", "JobRow", "Row", "board", "details", "dots_of", "plot_title"]
