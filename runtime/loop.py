"""The loop: read, decide, append, act, append. The only place where these meet."""

import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from ledger.events.base import Fact
from ledger.events.work import BudgetExhausted
from projections.run import RunState
from runtime import crash
from runtime.decide import Context, decide
from runtime.errors import ExecutorFailed, Unexpected
from runtime.intents import Intent, open_intents, startable
from runtime.journal import Journal
from runtime.watching import bind, log

Perform = Callable[[RunState, Intent], Awaitable[Sequence[Fact]]]
Reconcile = Callable[[Sequence[Intent]], Sequence[Fact]]
Stop = Callable[[RunState], bool]


@dataclass(frozen=True, slots=True)
class Clock:
    """When the run's wall budget is over, in seconds of `now`."""

    now: Callable[[], float]
    deadline: float = math.inf


@dataclass(frozen=True, slots=True)
class _Landed:
    """An intent that came back."""

    intent: Intent
    facts: Sequence[Fact]
    defect: Unexpected | None = None
    """Raised again once its facts are appended: nothing is lost, nothing is hushed up."""


async def drive(
    journal: Journal,
    context: Context,
    perform: Perform,
    *,
    reconcile: Reconcile,
    clock: Clock,
    stop: Stop,
) -> bool:
    """Go on with a run until it is finished (True) or `stop` says so (False).

    What an earlier process decided is completed first; then `reconcile` says what became of the
    intents it left open.

    Raises:
        runtime.errors.ExecutorFailed: nothing is under way and no decider has anything to say.
        runtime.errors.Unexpected: a defect of ours; what it met is recorded as failed.
    """
    started = journal.state.task.started
    bind("" if started is None else started.run)
    send, receive = anyio.create_memory_object_stream[_Landed](math.inf)
    flying: set[str] = set()

    left = {intent.name for intent in open_intents(journal.state)}

    if not settle(journal, context, stop):
        still = [intent for intent in open_intents(journal.state) if intent.name in left]

        if lost := reconcile(still):
            journal.append(lost)

    with send, receive:
        async with anyio.create_task_group() as group:
            while not settle(journal, context, stop):
                for intent in startable(journal.state, flying):
                    flying.add(intent.name)
                    group.start_soon(_fly, perform, journal.state, intent, send)

                if not flying:
                    raise ExecutorFailed(
                        "the run stands still: nothing is under way and nothing was decided",
                        hint="this is a defect: please report it with `amid events list RUN`",
                    )

                await _land(journal, receive, flying, clock)

            group.cancel_scope.cancel()

    return journal.state.task.finished is not None


def settle(journal: Journal, context: Context, stop: Stop) -> bool:
    """Decide and append until all is quiet; say whether the run is over or asked to stop."""
    while journal.state.task.finished is None and not stop(journal.state):
        name, events = decide(journal.state, context)

        if not events:
            return False

        journal.append(events)
        log.debug("decided", by=name, events=len(events), seq=journal.state.seq)
        crash.point("decided")

    return True


async def _fly(
    perform: Perform, state: RunState, intent: Intent, send: MemoryObjectSendStream[_Landed]
) -> None:
    crash.point("before-effect")
    log.debug("begins", intent=intent.says, seq=state.seq)
    try:
        landed = _Landed(intent, await perform(state, intent))
    except Unexpected as defect:
        landed = _Landed(intent, defect.facts, defect)

    crash.point("after-effect")
    await send.send(landed)


async def _land(
    journal: Journal,
    receive: MemoryObjectReceiveStream[_Landed],
    flying: set[str],
    clock: Clock,
) -> None:
    """Append the next outcome, or the end of the wall budget if that comes first."""
    late = journal.state.stages.exhausted is not None
    wait = math.inf if late else max(0.0, clock.deadline - clock.now())

    with anyio.move_on_after(wait):
        landed = await receive.receive()
        flying.discard(landed.intent.name)
        journal.append(landed.facts)
        log.debug("came back", intent=landed.intent.says, seq=journal.state.seq)

        if landed.defect is not None:
            raise landed.defect

        return

    stage = journal.state.stages.now or "explore"
    journal.append((BudgetExhausted(stage=stage, because="the wall budget is used up"),))
