"""Events about a run as a whole: its start, seed, environment, pauses and end."""

from typing import ClassVar, Literal

from ledger.events.base import Blob, Fact, Part, Whole


class Setting(Part):
    """One setting in force, and where its value came from."""

    name: str
    value: str
    origin: Literal["default", "task", "option", "environment"]


class Code(Part):
    """Which program wrote the run."""

    version: str
    commit: str | None
    """Git commit of the program's own checkout; null when it was installed from a wheel."""
    dirty: bool | None
    """Whether files of that checkout were changed; null where nobody can tell."""
    lock: Blob | None
    """Blob: JSON object, name of each installed distribution to its version."""
    source: Blob | None = None
    """Blob: JSON object, path of each file of the program to the digest of its bytes."""


class RunStarted(Fact):
    """The first event of every run; its `run` is in the preimage of every later hash."""

    type: Literal["run.started"] = "run.started"
    v: ClassVar[int] = 2
    run: str
    """Run id: 32 lowercase hex characters."""
    task: Blob
    """Blob: the bytes of task.toml as given."""
    settings: tuple[Setting, ...]
    code: Code


class SeedDrawn(Fact):
    """The one random number of the run; all others are derived from it."""

    type: Literal["run.seed_drawn"] = "run.seed_drawn"
    seed: Whole
    origin: Literal["option", "drawn"]


class RunResumed(Fact):
    """A later process goes on with the run."""

    type: Literal["run.resumed"] = "run.resumed"
    v: ClassVar[int] = 2
    after_seq: Whole
    code: Code


class RunPaused(Fact):
    """The run was asked to stop before its end and can be resumed."""

    type: Literal["run.paused"] = "run.paused"
    because: str


class RunFinished(Fact):
    """The run is over; nothing is appended after this."""

    v: ClassVar[int] = 2
    type: Literal["run.finished"] = "run.finished"
    outcome: Literal["package", "refused", "undecided", "stopped"]
    """`undecided`: nothing but flags, which a person may settle, stands in the way."""
    because: str


class RunAborted(Fact):
    """The run cannot go on."""

    type: Literal["run.aborted"] = "run.aborted"
    because: str


class WriterAcquired(Fact):
    """A process took the writer's lease; its term stands in the envelope of what it appends."""

    type: Literal["writer.acquired"] = "writer.acquired"
    term: Whole
    pid: Whole
    started: str
    """Start time of the process in clock ticks since boot, from /proc."""
    boot: str
    """Boot id of the machine, from /proc; empty where there is none."""


class EnvironmentCaptured(Fact):
    """The machine and libraries the run started with."""

    type: Literal["environment.captured"] = "environment.captured"
    python: str
    packages: Blob
    """Blob: JSON object, distribution name to version."""
    cpu: str
    cores: Whole
    gpu: str | None
    os: str
    sandboxes: tuple[str, ...]
    """Sandbox kinds that work here, such as `landlock` with its ABI: `landlock:7`."""
