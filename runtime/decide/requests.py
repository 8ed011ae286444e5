"""Build the job requests of a run from its state: which command, inputs, limits and seed."""

from ledger.events.job import Input, JobKind, JobRequested, Limits
from ledger.events.work import AttemptSubmitted, CommitFrozen
from projections.jobs import Job
from projections.run import RunState
from runtime.decide.context import Context
from runtime.executed import executed_digest
from runtime.jobspec import code_digest
from runtime.seeds import derive

FOLDS = "folds"
"""Fold name of jobs that take in the predictions of all folds."""
ALL = "all"
"""Fold name of jobs about the hidden test cases."""


def split_digest(state: RunState) -> str:
    """Return the digest of the frozen split; every data view is named under it."""
    if state.task.split is None:
        raise ValueError("no split is frozen: a job cannot be asked for yet")

    return state.task.split.split


def folds(state: RunState) -> tuple[str, ...]:
    """Return the names of the folds in order."""
    return () if state.task.split is None else tuple(f.fold for f in state.task.split.folds)


def _request(
    state: RunState,
    context: Context,
    *,
    subject: str,
    kind: JobKind,
    fold: str,
    command: tuple[str, ...],
    inputs: tuple[Input, ...],
    trusted: bool,
    threads: int = 1,
    steps: int = 0,
    limits: Limits | None = None,
    drawn_by: str = "",
) -> JobRequested:
    return JobRequested(
        subject=subject,
        kind=kind,
        fold=fold,
        command=command,
        inputs=inputs,
        limits=limits or context.policy.limits(threads=threads),
        sandbox="trusted" if trusted else context.policy.sandbox,
        seed=derive(state.task.seed, f"{kind}/{drawn_by or subject}/{fold}"),
        threads=threads,
        steps=steps,
        epoch=1,
    )


def null(state: RunState, context: Context) -> JobRequested:
    """Ask for the null models, on all folds."""
    return _request(
        state,
        context,
        subject="run",
        kind="null",
        fold=FOLDS,
        command=context.domain.command("null", _task(state)),
        inputs=(Input(kind="view", name="null", digest=split_digest(state)),),
        trusted=True,
    )


def probe(state: RunState, context: Context, template: str) -> JobRequested:
    """Ask for the price of a template's step, with all cores."""
    return _request(
        state,
        context,
        subject=template,
        kind="probe",
        fold=ALL,
        command=context.domain.command("probe", _task(state)),
        inputs=(),
        trusted=True,
        threads=cores(state),
    )


def cores(state: RunState) -> int:
    """Return how many cores the run was given."""
    return int(state.task.setting("cores", "1"))


def train(state: RunState, context: Context, made: AttemptSubmitted, fold: str) -> JobRequested:
    """Ask for the training of one fold of an attempt."""
    return _request(
        state,
        context,
        subject=made.attempt,
        kind="train",
        fold=fold,
        command=made.train,
        inputs=(
            Input(kind="view", name=f"train/{fold}", digest=split_digest(state)),
            _code(state, made),
        ),
        trusted=False,
        threads=_threads(state, made),
        steps=_steps(state, made),
        limits=_train_limits(state, context, made),
        drawn_by=_executed(state, context, made),
    )


def predict(state: RunState, context: Context, made: AttemptSubmitted, fold: str) -> JobRequested:
    """Ask for the predictions of one fold, or of the test cases (`all`), of an attempt."""
    inputs = [
        Input(kind="view", name=f"predict/{fold}", digest=split_digest(state)),
        _code(state, made),
    ]

    if made.train:
        trained = _finished(state.jobs.one(made.attempt, "train", fold))
        inputs.append(Input(kind="outputs", name="model", digest=trained))

    for member in made.members:
        for part in folds(state) if fold == ALL else (fold,):
            done = _finished(state.jobs.one(member, "predict", part))
            inputs.append(Input(kind="outputs", name=f"members/{member}/{part}", digest=done))

    threads = 1 if made.members else _threads(state, made)
    return _request(
        state,
        context,
        subject=made.attempt,
        kind="predict",
        fold=fold,
        command=made.predict,
        inputs=tuple(inputs),
        trusted=False,
        threads=threads,
        limits=_predicted(state, context, threads),
        drawn_by=_executed(state, context, made),
    )


def decode(state: RunState, context: Context, made: AttemptSubmitted) -> JobRequested:
    """Ask for all of an attempt's predictions as plain arrays, made away from the vault."""
    inputs = [
        Input(
            kind="outputs",
            name=f"predictions/{part}",
            digest=_finished(state.jobs.one(made.attempt, "predict", part)),
        )
        for part in predicted(state, made)
    ]
    taken = state.task.inventory

    if taken is not None and taken.voxels:  # how large the images are: what is not is not read
        inputs.append(Input(kind="blob", name="inventory.json", digest=taken.inventory))

    return _request(
        state,
        context,
        subject=made.attempt,
        kind="decode",
        fold=FOLDS,
        command=context.domain.command("decode", _task(state)),
        inputs=tuple(inputs),
        trusted=False,
        limits=_predicted(state, context, 1),
    )


def predicted(state: RunState, made: AttemptSubmitted) -> tuple[str, ...]:
    """Return the folds an attempt predicts; a finalizer predicts the test cases as one set too."""
    tests = state.task.split is not None and state.task.split.test > 0
    return (*folds(state), ALL) if tests and made.role == "finalizer" else folds(state)


def score(state: RunState, context: Context, attempt: str, fold: str) -> JobRequested:
    """Ask for the review of an attempt (`folds`) or for the one test score (`all`)."""
    kind: JobKind = "test" if fold == ALL else "review"
    decoded = _finished(state.jobs.one(attempt, "decode", FOLDS))
    return _request(
        state,
        context,
        subject=attempt,
        kind=kind,
        fold=fold,
        command=context.domain.command(kind, _task(state)),
        inputs=(Input(kind="outputs", name="decoded", digest=decoded),),
        trusted=True,
    )


def package(state: RunState, context: Context, attempt: str) -> JobRequested:
    """Ask for the submission package of the final attempt."""
    return _request(
        state,
        context,
        subject=attempt,
        kind="package",
        fold=ALL,
        command=context.domain.command("package", _task(state)),
        inputs=(),
        trusted=True,
    )


def again(request: JobRequested) -> JobRequested:
    """Return the same request under the next epoch."""
    return request.model_copy(update={"epoch": request.epoch + 1})


def _task(state: RunState) -> str:
    return "" if state.task.task is None else state.task.task.kind


def _predicted(state: RunState, context: Context, threads: int) -> Limits:
    """Return the limits of a job whose outputs are as large as its images, and no larger."""
    taken = state.task.inventory
    voxels = 0 if taken is None else taken.voxels
    return context.policy.limits(threads=threads, output_mib=context.policy.predicted_mib(voxels))


def _threads(state: RunState, made: AttemptSubmitted) -> int:
    lane = state.lanes.get(made.lane)
    return 1 if lane is None else lane.proposed.threads


def _steps(state: RunState, made: AttemptSubmitted) -> int:
    """Return the steps of an attempt's training: its slot's, or its lane's."""
    found = state.stages.slot_of(made.worker)
    lane = state.lanes.get(made.lane)
    return (found[1].steps if found else 0) or (0 if lane is None else lane.proposed.steps)


def _train_limits(state: RunState, context: Context, made: AttemptSubmitted) -> Limits | None:
    """Return the limits of a training in steps: its planned time and a quarter more.

    A slower machine asks it to stop at a checkpoint instead of running over the budget.
    """
    lane = state.lanes.get(made.lane)

    if lane is None or _steps(state, made) == 0:
        return None

    jobs = lane.proposed.threads * max(1, len(folds(state)))
    wall = max(30, made.units * 5 // (4 * jobs))
    return context.policy.limits(threads=lane.proposed.threads, wall_s=wall)


def _code(state: RunState, made: AttemptSubmitted) -> Input:
    return Input(kind="code", name=made.attempt, digest=code_digest(_commit(state, made).files))


def _executed(state: RunState, context: Context, made: AttemptSubmitted) -> str:
    """Name what draws an attempt's seeds: the code and not the attempt, see `runtime.executed`."""
    return executed_digest(_commit(state, made).files, context.read)


def _commit(state: RunState, made: AttemptSubmitted) -> CommitFrozen:
    commit = state.workers.commit_of(made.commit)

    if commit is None:
        raise ValueError(f"attempt {made.attempt} names commit {made.commit}, which is not frozen")

    return commit


def _finished(job: Job | None) -> str:
    if job is None or job.finished is None:
        raise ValueError("an input job has not finished: its outputs cannot be named yet")

    return job.finished.outputs
