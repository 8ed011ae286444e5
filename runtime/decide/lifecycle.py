"""Lead each worker through its life, from initialization to retirement."""

from ledger.events.base import Fact
from ledger.events.job import Assurance
from ledger.events.work import (
    AttemptExecuted,
    AttemptSubmitted,
    BudgetSpent,
    Slot,
    WorkerRetired,
    WorkerSpawned,
    WorkerState,
    WorkerStateEntered,
)
from projections.attempts import Attempt
from projections.jobs import Job
from projections.run import RunState
from projections.workers import Worker
from runtime.decide import briefs, requests
from runtime.decide.context import Context

_RANK: dict[Assurance, int] = {"none": 0, "unrecorded": 1, "confined": 2, "sealed": 3}


def decide(state: RunState, context: Context) -> tuple[Fact, ...]:
    """Take the next step of the first worker that has one, in the order of rounds and slots."""
    for opened in state.open_rounds():
        for slot in opened.slots:
            step = _step(state, context, slot)

            if step:
                return step

    return ()


def _step(state: RunState, context: Context, slot: Slot) -> tuple[Fact, ...]:
    worker = state.workers.get(slot.worker)

    if worker is None:
        return _spawn(state, context, slot)

    if worker.retired:
        return ()

    match worker.state:
        case "editing":
            return _editing(state, context, worker)
        case "evaluation":
            return _evaluation(state, context, worker)
        case "reflection":
            return _reflection(state, context, worker, slot)
        case _:
            return ()


def _spawn(state: RunState, context: Context, slot: Slot) -> tuple[Fact, ...]:
    found = state.stages.slot_of(slot.worker)
    number = 0 if found is None else found[0].round
    spawned = WorkerSpawned(
        worker=slot.worker,
        agent=slot.agent,
        role=slot.role,
        lane=slot.lane,
        round=number,
        slot=slot.slot,
    )
    return (
        spawned,
        _enter(slot.worker, "initialization", f"round {number} names it"),
        _enter(slot.worker, "editing", "turn 1"),
        briefs.session(state, context, slot, 1),
    )


def _editing(state: RunState, context: Context, worker: Worker) -> tuple[Fact, ...]:
    if worker.session_status == "failed" and worker.failed is not None:
        return _retire(worker.id, f"turn {worker.turn} gave no usable edit: {worker.failed.reason}")

    made = _current(state, worker)

    if worker.session_status != "finished" or made is None:
        return ()

    first = requests.train if made.submitted.train else requests.predict
    jobs = (first(state, context, made.submitted, fold) for fold in requests.folds(state))
    spent = BudgetSpent(subject=made.id, stage=made.submitted.stage, units=made.submitted.units)
    return (_enter(worker.id, "evaluation", made.id), spent, *jobs)


def _evaluation(state: RunState, context: Context, worker: Worker) -> tuple[Fact, ...]:
    made = _current(state, worker)

    if made is None:
        return ()

    if made.executed is None:
        return _execute(state, context, made.submitted)

    if made.executed.outcome == "failed":
        return (_enter(worker.id, "reflection", f"{made.id} failed: {made.executed.reason}"),)

    if made.verdict is not None:
        return (_enter(worker.id, "reflection", f"{made.id}: {made.verdict.verdict}"),)

    return ()


def _execute(state: RunState, context: Context, made: AttemptSubmitted) -> tuple[Fact, ...]:
    """Ask for all predictions once all training has ended, and sum up once all jobs have.

    No fold goes ahead of the others: what is asked for must not depend on which of them failed
    first.
    """
    jobs = [j for j in state.jobs.of(made.attempt) if j.request.kind in ("train", "predict")]
    under_way = {j.request.kind for j in jobs if j.status in ("open", "lost")}

    if "train" in under_way:
        return ()

    failed = [j for j in jobs if j.came_to_nothing]

    if failed:
        return () if under_way else _gave_up(made, failed)

    asked = {j.request.fold for j in jobs if j.request.kind == "predict"}
    missing = [fold for fold in requests.predicted(state, made) if fold not in asked]

    if missing:
        return tuple(requests.predict(state, context, made, fold) for fold in missing)

    if under_way:
        return ()

    assurance = min((_assurance(j) for j in jobs), key=_RANK.__getitem__)
    executed = AttemptExecuted(
        attempt=made.attempt, outcome="complete", reason="", assurance=assurance, code=None
    )
    return (executed,)


def _gave_up(made: AttemptSubmitted, failed: list[Job]) -> tuple[Fact, ...]:
    job = failed[0]
    return (
        AttemptExecuted(
            attempt=made.attempt,
            outcome="failed",
            reason=f"{job.request.kind} job of fold {job.request.fold}: {job.why}",
            assurance=min((_assurance(j) for j in failed), key=_RANK.__getitem__),
            code="LOST" if job.failed is None else job.failed.code,
        ),
    )


def _assurance(job: Job) -> Assurance:
    ended = job.finished or job.failed
    return "none" if ended is None else ended.assurance


def _reflection(state: RunState, context: Context, worker: Worker, slot: Slot) -> tuple[Fact, ...]:
    made = _current(state, worker)

    if made is None:
        return ()

    because = _stop(state, worker, slot, made)

    if because:
        return _retire(worker.id, because)

    turn = worker.turn + 1
    return (
        _enter(worker.id, "editing", f"turn {turn} after {made.standing}"),
        briefs.session(state, context, slot, turn),
    )


def _stop(state: RunState, worker: Worker, slot: Slot, made: Attempt) -> str:
    """Say why a worker gets no further turn, or nothing when it does."""
    if made.standing == "accept" and slot.role != "optimizer":
        return f"{made.id} was accepted"

    if worker.turn >= slot.turns:
        return f"all {slot.turns} turns used; the last was {made.standing}"

    clock = state.stages.exhausted

    if clock is not None and made.submitted.stage != "finalize":
        return f"budget exhausted: {clock.because}"

    return ""


def _current(state: RunState, worker: Worker) -> Attempt | None:
    return next(
        (a for a in state.attempts.of_worker(worker.id) if a.submitted.turn == worker.turn),
        None,
    )


def _enter(worker: str, to: WorkerState, because: str) -> WorkerStateEntered:
    return WorkerStateEntered(worker=worker, state=to, because=because)


def _retire(worker: str, because: str) -> tuple[Fact, ...]:
    return (
        _enter(worker, "retirement", because),
        WorkerRetired(worker=worker, because=because),
    )
