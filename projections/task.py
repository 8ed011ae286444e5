"""What the run is about: contract, seed, split and null scores.

Reads run.started, run.resumed, run.seed_drawn, run.finished, task.*, data.*, split.frozen,
null.scored.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ledger.events.base import Fact
from ledger.events.data import (
    DataProfiled,
    InventoryTaken,
    NullScored,
    ProbeMeasured,
    SplitFrozen,
    TaskAgreed,
    TestScored,
)
from ledger.events.run import Code, RunFinished, RunResumed, RunStarted, SeedDrawn
from ledger.events.work import PackageBuilt, PackageRefused

_FIELDS: Mapping[type[Fact], str] = {
    RunStarted: "started",
    TaskAgreed: "task",
    InventoryTaken: "inventory",
    DataProfiled: "profile",
    SplitFrozen: "split",
    TestScored: "test",
    PackageBuilt: "package",
    PackageRefused: "refused",
    RunFinished: "finished",
}
"""Events that are kept as they are, and the field that holds the last of each."""


@dataclass(slots=True)
class TaskState:
    """The facts that hold for the whole run; None until they are recorded."""

    started: RunStarted | None = None
    code: Code | None = None
    """The program that wrote last."""
    seed: int = 0
    task: TaskAgreed | None = None
    inventory: InventoryTaken | None = None
    profile: DataProfiled | None = None
    split: SplitFrozen | None = None
    nulls: list[NullScored] = field(default_factory=list)
    probes: dict[str, ProbeMeasured] = field(default_factory=dict)
    """By template."""
    test: TestScored | None = None
    package: PackageBuilt | None = None
    refused: PackageRefused | None = None
    finished: RunFinished | None = None

    def apply(self, event: Fact) -> None:
        """Take in one event."""
        name = _FIELDS.get(type(event))

        if name is not None:
            setattr(self, name, event)

        if isinstance(event, RunStarted | RunResumed):
            self.code = event.code
        elif isinstance(event, SeedDrawn):
            self.seed = event.seed
        elif isinstance(event, NullScored):
            self.nulls.append(event)
        elif isinstance(event, ProbeMeasured):
            self.probes[event.template] = event

    def setting(self, name: str, default: str) -> str:
        """Return a recorded setting, or `default` where the run did not record it."""
        if self.started is None:
            return default

        return next((s.value for s in self.started.settings if s.name == name), default)
