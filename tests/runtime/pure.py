"""Plays a run without loop, folder or clock: decide until quiet, let one intent come back, again.

Which intent comes back next, which are lost and when the budget ends is given from outside.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Literal

from blake3 import blake3

from ledger.events.base import Fact
from ledger.events.job import JobFailed, JobFinished, JobLost, Resources
from ledger.events.run import Code, RunResumed
from ledger.events.union import dump
from ledger.events.work import BudgetExhausted, SessionLost
from projections.jobs import Job
from projections.run import RunState
from projections.workers import Worker
from replay.redecide import DECISIONS
from runtime import landing
from runtime.decide import Context, decide, stuck
from runtime.intents import JobIntent, SessionIntent, open_intents
from runtime.jobspec import spec
from runtime.policy import Policy
from runtime.ports import Turn
from tests.runtime.world import PlayedAgent, PlayedDomain, PlayedWorkspace, World, beginning

NOWHERE = Path("nowhere")
BATCHES, OUTCOMES = 300, 3000
"""More decisions in a row, or more outcomes, than any run of these worlds can need."""


@dataclass
class Memory:
    """Blobs by digest."""

    held: dict[str, bytes] = field(default_factory=dict)

    def put(self, content: bytes | Path, /) -> str:
        assert isinstance(content, bytes)
        digest = blake3(content).hexdigest()
        self.held[digest] = content
        return digest

    def read(self, digest: str) -> bytes:
        return self.held[digest]


@dataclass
class Pure:
    """One run, played."""

    world: World
    policy: Policy = field(default_factory=Policy)
    test: int = 0
    units: int = 1000
    attempts: int | None = None
    looks: int = 12
    cause: Literal["interrupted", "ended"] = "interrupted"
    """Why jobs are lost."""
    idle: Callable[[str], str] = lambda worker: ""
    """Why a worker's turn gives nothing; empty: it hands in."""

    def __post_init__(self) -> None:
        self.blobs = Memory()
        self.domain = PlayedDomain(self.world)
        self.context = Context(self.policy, self.domain, self.blobs.read)
        self.state = RunState()
        self.log: list[Fact] = []

    def play(
        self, order: Random, *, lose: Callable[[], bool] = lambda: False, late: int | None = None
    ) -> "Pure":
        """Play to the end.

        Args:
            order: decides which of the open intents comes back next.
            lose: says whether the next one is lost instead.
            late: number of the outcome after which the wall budget is used up.
        """
        for _ in self.outcomes(order, lose=lose, late=late):
            pass

        return self

    def outcomes(
        self, order: Random, *, lose: Callable[[], bool] = lambda: False, late: int | None = None
    ) -> Iterator[RunState]:
        """Play to the end, yielding the state when all is quiet, before each outcome."""
        put = self.blobs.put
        start = beginning(put, units=self.units, test=self.test, attempts=self.attempts)
        self.append(start)
        most = OUTCOMES + 20 * len(self.world.offers)

        for n in range(most):
            self.settle()
            yield self.state

            if self.state.task.finished is not None:
                return

            if n == late:
                stage = self.state.stages.now or "explore"
                self.append((BudgetExhausted(stage=stage, because="played"),))
                continue

            if stuck(self.state):
                code = Code(version="0", commit=None, dirty=None, lock=None)
                self.append((RunResumed(after_seq=self.state.seq, code=code),))
                continue

            intent = order.choice(open_intents(self.state))
            self.append(self.lost(intent) if lose() else self.outcome(intent))

        raise AssertionError("the run does not end")

    def settle(self) -> None:
        """Decide until all is quiet."""
        for _ in range(BATCHES):
            name, events = decide(self.state, self.context)

            if not events:
                return

            self.append(events)

        raise AssertionError(f"{name} goes on and on: {events}")

    def append(self, facts: Sequence[Fact]) -> None:
        for fact in facts:
            self.state.apply(fact)
            self.log.append(fact)

    def lost(self, intent: JobIntent | SessionIntent) -> tuple[Fact, ...]:
        if isinstance(intent, JobIntent):
            job = intent.job
            return (
                JobLost(key=job.key, epoch=job.request.epoch, because="played", cause=self.cause),
            )

        asked = intent.worker.session
        assert asked is not None
        return (
            SessionLost(worker=asked.worker, turn=asked.turn, epoch=asked.epoch, because="played"),
        )

    def outcome(self, intent: JobIntent | SessionIntent) -> Sequence[Fact]:
        if isinstance(intent, JobIntent):
            return self.job(intent.job)

        return self.session(intent.worker)

    def job(self, job: Job) -> tuple[Fact, ...]:
        request = job.request
        played = spec(request, key=job.key, folder=NOWHERE, reads=(), roots={}, data=None)
        reason = self.world.fails(played)
        used = Resources(wall_ms=1, cpu_ms=1, max_rss_kib=1)

        if reason:
            failed = JobFailed(
                key=job.key, epoch=request.epoch, reason=reason, log=None,
                assurance="confined", resources=used, code="EXIT",
            )  # fmt: skip
            return (failed,)

        finished = JobFinished(
            key=job.key, epoch=request.epoch, outputs=self.blobs.put(b"[]"), log=None,
            stopped_at=None, assurance="confined", reproduction="bitwise", resources=used,
        )  # fmt: skip
        told = landing.kind_outcomes(request, NOWHERE, self.domain, self.blobs.put)
        return (*told, finished)

    def session(self, worker: Worker) -> Sequence[Fact]:
        asked = worker.session
        assert asked is not None
        reason = self.idle(f"{worker.id} {asked.turn}")

        if reason:
            return (landing.session_failed(asked, reason),)

        agent = PlayedAgent()
        brief = landing.read_brief(asked.prompt)

        if brief.role == "finalizer":
            agent.members[worker.id] = tuple(p.attempt for p in brief.past)

        frozen = PlayedWorkspace(NOWHERE, agent).freeze(
            worker.id, landing.attempt_id(worker, asked.turn)
        )
        turn = Turn(b"played", 0, 0, 1)
        return landing.handed_in(self.state, worker, turn, frozen, self.domain, self.blobs.put)

    def decided(self) -> list[str]:
        """Return every decision but for its epoch, each as text, sorted."""
        told = []

        for event in self.log:
            if event.type in DECISIONS:
                body = dump(event)
                body.pop("epoch", None)
                told.append(f"{event.type} {sorted(body.items())!r}")

        return sorted(told)
