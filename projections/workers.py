"""Workers: their state, their sessions and what they froze.

Reads worker.*, session.*, commit.frozen.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from ledger.events.base import Fact
from ledger.events.work import (
    CommitFrozen,
    SessionFailed,
    SessionLost,
    SessionRequested,
    TurnFinished,
    WorkerRetired,
    WorkerSpawned,
    WorkerState,
    WorkerStateEntered,
)
from projections.entries import Entries

SessionStatus = Literal["none", "open", "finished", "failed", "lost"]


@dataclass(frozen=True, slots=True)
class Worker:
    """One worker as it stands now."""

    spawned: WorkerSpawned
    state: WorkerState = "initialization"
    session: SessionRequested | None = None
    session_status: SessionStatus = "none"
    failed: SessionFailed | None = None
    commits: tuple[CommitFrozen, ...] = ()
    retired: bool = False

    @property
    def id(self) -> str:
        """The worker's id."""
        return self.spawned.worker

    @property
    def turn(self) -> int:
        """The turn that was asked for last; 0 before the first."""
        return 0 if self.session is None else self.session.turn


class Workers:
    """All workers of a run."""

    def __init__(self) -> None:
        """Start with no workers."""
        self._by_id = Entries[Worker]()
        self._number: dict[str, int] = {}
        """Worker to its place in the order in which they were spawned."""
        self._with: dict[SessionStatus, set[str]] = {}
        self._froze: dict[str, str] = {}
        """Commit to the worker that froze it first."""

    def apply(self, event: Fact) -> None:
        """Take in one event; session outcomes of an older epoch change nothing."""
        match event:
            case WorkerSpawned(worker=name):
                self._number.setdefault(name, len(self._number))
                self._store(Worker(event))
            case WorkerStateEntered(worker=name, state=state):
                self._put(name, state=state)
            case WorkerRetired(worker=name):
                self._put(name, retired=True)
            case SessionRequested(worker=name):
                self._put(name, session=event, session_status="open", failed=None)
            case TurnFinished(worker=name):
                self._end(event, "finished")
            case SessionFailed(worker=name):
                if self._end(event, "failed"):
                    self._put(name, failed=event)
            case SessionLost(worker=name):
                self._end(event, "lost")
            case CommitFrozen(worker=name) if name in self._by_id:
                self._put(name, commits=(*self._by_id[name].commits, event))
                self._froze.setdefault(event.commit, name)
            case _:
                pass

    def _put(self, name: str, **change: object) -> None:
        """Change one entry. An event about an unknown one changes nothing: the fold is total."""
        if name in self._by_id:
            self._store(replace(self._by_id[name], **change))  # type: ignore[arg-type]

    def _store(self, worker: Worker) -> None:
        known = self._by_id.get(worker.id)

        if known is None or known.session_status != worker.session_status:
            self._with.setdefault(worker.session_status, set()).add(worker.id)

            if known is not None:
                self._with[known.session_status].discard(worker.id)

        self._by_id[worker.id] = worker

    def _end(self, event: TurnFinished | SessionFailed | SessionLost, to: SessionStatus) -> bool:
        known = self._by_id.get(event.worker)
        asked = None if known is None else known.session
        fresh = asked is not None and (asked.turn, asked.epoch) == (
            event.turn,
            event.epoch,
        )

        if fresh:
            self._put(event.worker, session_status=to)

        return fresh

    @property
    def entries(self) -> Entries[Worker]:
        """Workers, in the order of spawning."""
        return self._by_id

    def __iter__(self) -> Iterator[Worker]:
        """Yield workers in the order they were spawned."""
        yield from self._by_id.values()

    def get(self, name: str) -> Worker | None:
        """Return one worker, if it is known."""
        return self._by_id.get(name)

    def commit_of(self, commit: str) -> CommitFrozen | None:
        """Return the frozen commit with this id, if a worker made it."""
        worker = self.get(self._froze.get(commit, ""))
        made = () if worker is None else worker.commits
        return next((one for one in made if one.commit == commit), None)

    def with_session(self, status: SessionStatus) -> tuple[Worker, ...]:
        """Return the workers whose last turn is in one status, in the order of spawning."""
        names = sorted(self._with.get(status, ()), key=self._number.__getitem__)
        return tuple(self._by_id[name] for name in names)
