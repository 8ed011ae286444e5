"""Share units and attempts out over the stages."""

from ledger.events.work import Stage, StageEntered
from projections.run import RunState
from runtime.decide.context import Context


def enter(state: RunState, context: Context, stage: Stage) -> StageEntered:
    """Enter a stage with its share of what the run may spend.

    The finalizer always gets its turns, so that a run ends with a package or a stated refusal;
    where attempts are numbered, the two other stages share what the finalizer leaves.
    """
    policy = context.policy
    shares = {
        "explore": policy.share_explore,
        "exploit": policy.share_exploit,
        "finalize": policy.share_finalize,
    }
    units = 0 if state.task.task is None else state.task.task.units
    handed = _handed_on(state, policy.share_explore * units // 100) if stage == "exploit" else 0
    attempts = None if state.task.task is None else state.task.task.attempts
    return StageEntered(
        stage=stage,
        units=units * shares[stage] // 100 + handed,
        attempts=None if attempts is None else _attempts(context, stage, attempts),
    )


def _handed_on(state: RunState, share: int) -> int:
    """Return what the first stage did not spend: the second one may."""
    return max(0, share - state.stages.spent.get("explore", 0))


def _attempts(context: Context, stage: Stage, attempts: int) -> int:
    policy = context.policy
    rest = max(0, attempts - 1)
    both = policy.share_explore + policy.share_exploit
    explore = max(1, rest * policy.share_explore // both)

    match stage:
        case "explore":
            return explore
        case "exploit":
            return max(0, rest - explore)
        case "finalize":
            return policy.finalizer_turns
