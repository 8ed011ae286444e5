"""What the run is about: contract, seed, split and null scores.

Reads run.started, run.seed_drawn, task.*, data.*, split.frozen, null.scored, run.finished.
"""

from dataclasses import dataclass, field

from ledger.events.base import Fact
from ledger.events.data import (
    DataProfiled,
    InventoryTaken,
    NullScored,
    SplitFrozen,
    TaskAgreed,
    TestScored,
)
from ledger.events.run import RunFinished, RunStarted, SeedDrawn
from ledger.events.work import PackageBuilt, PackageRefused


@dataclass(slots=True)
class TaskState:
    """The facts that hold for the whole run; None until they are recorded."""

    started: RunStarted | None = None
    seed: int = 0
    task: TaskAgreed | None = None
    inventory: InventoryTaken | None = None
    profile: DataProfiled | None = None
    split: SplitFrozen | None = None
    nulls: list[NullScored] = field(default_factory=list)
    test: TestScored | None = None
    package: PackageBuilt | None = None
    refused: PackageRefused | None = None
    finished: RunFinished | None = None

    def apply(self, event: Fact) -> None:
        """Take in one event."""
        match event:
            case RunStarted():
                self.started = event
            case SeedDrawn(seed=seed):
                self.seed = seed
            case TaskAgreed():
                self.task = event
            case InventoryTaken():
                self.inventory = event
            case DataProfiled():
                self.profile = event
            case SplitFrozen():
                self.split = event
            case NullScored():
                self.nulls.append(event)
            case TestScored():
                self.test = event
            case PackageBuilt():
                self.package = event
            case PackageRefused():
                self.refused = event
            case RunFinished():
                self.finished = event
            case _:
                pass

    def setting(self, name: str, default: str) -> str:
        """Return a recorded setting, or `default` where the run did not record it."""
        if self.started is None:
            return default

        return next((s.value for s in self.started.settings if s.name == name), default)
