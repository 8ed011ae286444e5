"""Where a run stands, as plain JSON values for people and programs."""

from ledger.events.data import TaskAgreed
from projections.attempts import Attempt
from projections.lanes import Lane
from projections.run import RunState
from runtime.intents import JobIntent, open_intents


def status(state: RunState) -> dict[str, object]:
    """Return the standing of a run; `stage` is `ended` once nothing more will come."""
    ended, stage = state.task.finished, state.stages.now
    return {
        "run": "" if state.task.started is None else state.task.started.run,
        "task": "" if state.task.task is None else state.task.task.task,
        "metric": "" if state.task.task is None else _metric(state.task.task),
        "events": state.seq,
        "data": list(data(state)),
        "stage": "ended" if ended is not None else stage or "planning",
        "outcome": None if ended is None else ended.outcome,
        "because": None if ended is None else ended.because,
        "under_way": [] if ended is not None else _under_way(state),
        "units": {
            name: f"{state.stages.spent.get(name, 0)} of {entered.units}"
            for name, entered in state.stages.entered.items()
        },
        "nulls": [{"null": n.null, "score": n.score.value} for n in state.task.nulls],
        "lanes": [_lane(lane) for lane in state.lanes],
        "attempts": [_attempt(attempt) for attempt in state.attempts],
    }


def data(state: RunState) -> tuple[str, ...]:
    """Return what the profile says of the data, and what is notable about the split."""
    profile, split = state.task.profile, state.task.split
    says = () if profile is None else profile.says
    return (*says, *(() if split is None else split.findings))


def _metric(task: TaskAgreed) -> str:
    better = "higher" if task.direction == "maximize" else "lower"
    return f"{task.metric}, {better} is better"


def _under_way(state: RunState) -> list[str]:
    return [
        f"{i.job.request.kind} {i.job.request.subject} {i.job.request.fold}"
        if isinstance(i, JobIntent)
        else f"turn {i.worker.turn} of {i.worker.id}"
        for i in open_intents(state)
    ]


def _lane(lane: Lane) -> dict[str, object]:
    standing = (
        "promoted"
        if lane.promoted
        else lane.refused.reason
        if lane.refused
        else lane.covered.reason
        if lane.covered
        else lane.downranked or "waiting"
    )
    return {"lane": lane.name, "rank": lane.rank, "standing": standing}


def _attempt(attempt: Attempt) -> dict[str, object]:
    scores = () if attempt.measured is None else attempt.measured.scores
    score = scores[0] if scores else None
    return {
        "attempt": attempt.id,
        "standing": attempt.standing,
        "codes": [] if attempt.verdict is None else list(attempt.verdict.codes),
        "score": None if score is None else score.value,
        "low": None if score is None else score.low,
        "high": None if score is None else score.high,
    }
