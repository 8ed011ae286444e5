"""What can go wrong in the runtime, as a tree with exit codes.

AmidRuntimeError                5  the work failed
├── Refused                     1  the answer is no
│   ├── AttemptRefused             attempt.toml or the attempt's files are not usable
│   └── WorktreeRefused            a worktree holds something that may not be committed
├── RunExists                   2  a run folder that is already there
├── Needed                      3  something needed is missing
│   ├── RunMissing                 there is no run at this path
│   ├── SandboxUnavailable         this machine cannot give the sandbox asked for
│   └── AgentUnavailable           an agent backend does not answer
├── RunBusy                     4  another writer holds the run
├── ExecutorFailed              5  the executor itself failed, whatever the job did
├── AgentFailed                 5  an agent backend broke off
├── Unexpected                  5  a defect of ours met an intent, which is recorded as failed
└── Diverged                    1  a redone piece of work differs from the recorded one
"""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from ledger.events.base import Fact


class AmidRuntimeError(Exception):
    """An error that says what happened, where, why it matters and what to do."""

    exit_code: ClassVar[int] = 5

    def __init__(
        self, what: str, *, where: str | Path | None = None, why: str = "", hint: str = ""
    ) -> None:
        super().__init__(what)
        self.what = what
        self.where = "" if where is None else str(where)
        self.why = why
        self.hint = hint

    def __str__(self) -> str:
        """Return the four parts, one a line, leaving out those not given."""
        parts = [self.what]
        parts += [f"  where: {self.where}"] if self.where else []
        parts += [f"  why it matters: {self.why}"] if self.why else []
        parts += [f"  what to do: {self.hint}"] if self.hint else []
        return "\n".join(parts)


class Refused(AmidRuntimeError):
    """The answer is no."""

    exit_code = 1


class AttemptRefused(Refused):
    """`attempt.toml`, or a file it names, is not usable."""


class WorktreeRefused(Refused):
    """A worktree holds a file that is too large, not text, or not a regular file."""


class Diverged(Refused):
    """A redone piece of work is not what was recorded."""


class RunExists(AmidRuntimeError):
    """A run is to be made where something already is."""

    exit_code = 2


class Needed(AmidRuntimeError):
    """Something that is needed is missing."""

    exit_code = 3


class RunMissing(Needed):
    """There is no run at this path."""


class SandboxUnavailable(Needed):
    """This machine cannot give the sandbox that was asked for."""


class AgentUnavailable(Needed):
    """An agent backend is not installed or does not answer."""


class RunBusy(AmidRuntimeError):
    """Another process is the writer of this run."""

    exit_code = 4


class ExecutorFailed(AmidRuntimeError):
    """The executor itself failed, whatever the job did."""


class AgentFailed(AmidRuntimeError):
    """An agent backend broke off in the middle of a turn."""


class Unexpected(AmidRuntimeError):
    """A defect of ours met an intent; `facts` record it as failed."""

    def __init__(self, doing: str, facts: Sequence[Fact]) -> None:
        """Say what was being done, with the facts to append."""
        super().__init__(
            f"a defect of amid in {doing}",
            why="it is recorded as failed, so that the run can go on without it",
            hint="report the traceback that -v shows; `amid resume` goes on",
        )
        self.facts = facts


__all__ = [
    "AgentFailed",
    "AgentUnavailable",
    "AmidRuntimeError",
    "AttemptRefused",
    "Diverged",
    "ExecutorFailed",
    "Needed",
    "Refused",
    "RunBusy",
    "RunExists",
    "RunMissing",
    "SandboxUnavailable",
    "Unexpected",
    "WorktreeRefused",
]
