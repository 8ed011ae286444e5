"""Which recorded evidence a package of one attempt rests on, and what of it is missing. Pure.

Blobs come in through `read`, so that nothing here knows where they lie.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from amid.documents import CaseScores, Inventory, Split
from amid.tasks.contract import Contract
from ledger.events.data import InventoryTaken, SplitFrozen, TaskAgreed, TestScored
from ledger.events.review import ReviewMeasured, ReviewResolved, VerdictGiven
from ledger.events.run import EnvironmentCaptured
from ledger.events.work import AttemptExecuted, AttemptVoided, CommitFrozen
from replay.history import History, Job
from runtime.layout import read_manifest
from runtime.ports import OutputFile

Read = Callable[[str], bytes]
"""Returns the bytes of a blob; raises KeyError where it is missing or changed."""
Answered = Callable[[str, tuple[OutputFile, ...], Read], Mapping[str, OutputFile]]
"""Returns, for a kind of task and the files of a predict job, each case's file with its answer."""


class IncompleteError(Exception):
    """The evidence for a package is not all there."""

    def __init__(self, missing: list[str]) -> None:
        """Say everything that is missing at once."""
        super().__init__("; ".join(missing))
        self.missing = tuple(missing)


@dataclass(frozen=True, slots=True)
class Made:
    """A finished job with the files it left."""

    job: Job
    files: tuple[OutputFile, ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that one attempt's package is made of."""

    attempt: str
    history: History
    contract: Contract
    inventory: Inventory
    split: Split
    predictions: Mapping[str, OutputFile]
    """Alias of each test case to the file with the final answer."""
    steps: tuple[Made, ...]
    """The predict jobs behind them, each after those it reads; the last one is the final."""
    weights: tuple[Made, ...]
    """The train jobs whose outputs those predict jobs read."""
    code: Mapping[str, CommitFrozen]
    """Frozen commit of every attempt in the chain, the final attempt's first."""
    measured: ReviewMeasured
    validation: CaseScores
    test: TestScored | None
    test_cases: CaseScores | None
    environment: EnvironmentCaptured
    packages: bytes


def gather(history: History, attempt: str, read: Read, answered: Answered) -> Evidence:
    """Return the evidence for a package of `attempt`.

    Args:
        history: of the run.
        attempt: to be packaged.
        read: returns a blob.
        answered: finds each case's answer among the files of a predict job.

    Raises:
        IncompleteError: something is missing; it lists everything that is.
    """
    missing = [*_gaps(history), *_not_accepted(history, attempt)]
    final = _test_job(history, attempt)
    if final is None:
        missing.append(f"test predictions: no job of {attempt} predicted the test cases")

    try:
        contract, inventory, split = _documents(history, read)
        steps, weights = _chain(history, final, read) if final else ((), ())
    except KeyError as problem:
        raise IncompleteError([*missing, f"blob {problem.args[0]}"]) from problem

    code = _code(history, attempt, steps)
    missing += [f"frozen commit of {name}" for name, commit in code.items() if commit is None]
    missing += [line for name in code if name != attempt for line in _not_accepted(history, name)]
    predictions = answered(contract.task.kind, steps[-1].files, read) if steps else {}
    lacking = [alias for alias in split.test if alias not in predictions] if steps else []
    missing += [f"test prediction of case {alias}" for alias in lacking]
    measured = [fact for _, fact in history.all(ReviewMeasured) if fact.attempt == attempt]
    environment = history.last(EnvironmentCaptured)
    missing += [] if measured else [f"scores of {attempt} (review.measured)"]
    missing += [] if environment else ["environment.captured"]
    if missing or environment is None:
        raise IncompleteError(missing)

    tests = [fact for _, fact in history.all(TestScored) if fact.attempt == attempt]
    test = tests[-1] if tests else None
    try:
        return Evidence(
            attempt=attempt,
            history=history,
            contract=contract,
            inventory=inventory,
            split=split,
            predictions={alias: predictions[alias] for alias in split.test},
            steps=steps,
            weights=weights,
            code={name: commit for name, commit in code.items() if commit is not None},
            measured=measured[-1],
            validation=CaseScores.model_validate_json(read(measured[-1].per_case)),
            test=test,
            test_cases=CaseScores.model_validate_json(read(test.per_case)) if test else None,
            environment=environment[1],
            packages=read(environment[1].packages),
        )
    except KeyError as problem:
        raise IncompleteError([f"blob {problem.args[0]}"]) from problem


def accepted(history: History, attempt: str) -> tuple[int, str] | None:
    """Return the event that accepted an attempt, with who did; None while nothing did."""
    found: tuple[int, str] | None = None
    for step in history.steps:
        match step.fact:
            case VerdictGiven(attempt=of, verdict=verdict) if of == attempt:
                found = (step.seq, "the reviewer") if verdict == "accept" else None
            case ReviewResolved(attempt=of, decision=decision) if of == attempt:
                found = (step.seq, "a person") if decision == "accept" else None
            case AttemptVoided(attempt=of) if of == attempt:
                found = None
            case _:
                pass

    return found


def _gaps(history: History) -> list[str]:
    """Return what a ledger without its first or middle events lacks."""
    numbers = [step.seq for step in history.steps]
    absent = sorted(set(range(1, history.head + 1)) - set(numbers))
    kinds = (TaskAgreed, InventoryTaken, SplitFrozen)
    lines = [f"events {absent[0]} to {absent[-1]} ({len(absent)} of them)"] if absent else []
    return lines + [kind.model_fields["type"].default for kind in kinds if not history.all(kind)]


def _not_accepted(history: History, attempt: str) -> list[str]:
    lines = []
    if attempt not in history.attempts:
        lines.append(f"attempt {attempt} (attempt.submitted)")
    if accepted(history, attempt) is None:
        lines.append(f"accepted verdict of {attempt}")
    executed = [fact for _, fact in history.all(AttemptExecuted) if fact.attempt == attempt]
    if not executed or executed[-1].outcome != "complete":
        lines.append(f"complete execution of {attempt}")
    return lines


def _test_job(history: History, attempt: str) -> Job | None:
    """Return the job with the final test predictions: fold `all`, or the only one there is."""
    done = [job for job in history.jobs_of(attempt, "predict") if job.finished is not None]
    whole = [job for job in done if job.request.fold == "all"]
    if whole:
        return whole[-1]

    return done[0] if len(done) == 1 else None


def _documents(history: History, read: Read) -> tuple[Contract, Inventory, Split]:
    agreed, frozen = history.last(TaskAgreed), history.last(SplitFrozen)
    taken = history.last(InventoryTaken)
    if agreed is None or frozen is None or taken is None:
        raise IncompleteError(_gaps(history))

    return (
        Contract.from_bytes(read(agreed[1].contract)),
        Inventory.model_validate_json(read(taken[1].inventory)),
        Split.model_validate_json(read(frozen[1].split)),
    )


def _chain(history: History, final: Job, read: Read) -> tuple[tuple[Made, ...], tuple[Made, ...]]:
    """Return the predict jobs and the train jobs behind `final`, each after what it reads."""
    order: dict[str, Job] = {}

    def visit(job: Job) -> None:
        for _, source in history.needed_by(job):
            visit(source)
        order.setdefault(job.key, job)

    visit(final)
    made = [
        Made(job, read_manifest(read(job.finished.outputs)))
        for job in order.values()
        if job.finished is not None
    ]
    steps = tuple(item for item in made if item.job.request.kind == "predict")
    return steps, tuple(item for item in made if item.job.request.kind == "train")


def _code(
    history: History, attempt: str, steps: tuple[Made, ...]
) -> dict[str, CommitFrozen | None]:
    others = sorted({made.job.request.subject for made in steps} - {attempt})
    return {name: history.code_of(name) for name in (attempt, *others)}


__all__ = ["Answered", "Evidence", "IncompleteError", "Made", "Read", "accepted", "gather"]
