"""Events about the task, its data, its split and what the runtime found to work with."""

from typing import ClassVar, Literal

from ledger.events.base import Blob, Fact, Part, Real, Whole


class TaskAgreed(Fact):
    """The task contract in force. Direction, split and score come from here."""

    type: Literal["task.agreed"] = "task.agreed"
    task: str
    kind: str
    contract: Blob
    """Blob: the contract with every default filled in, canonical JSON."""
    metric: str
    direction: Literal["maximize", "minimize"]
    looks: Whole
    """How many times validation feedback may be released in this run."""
    units: Whole
    """Planned seconds of one core that the run may spend."""
    attempts: Whole | None
    """How many attempts the run may make; null where the contract sets no number."""


class InventoryTaken(Fact):
    """Every input file was read and hashed once."""

    type: Literal["task.inventory_taken"] = "task.inventory_taken"
    v: ClassVar[int] = 2
    inventory: Blob
    """Blob: canonical JSON, see `amid.documents.Inventory`."""
    cases: Whole
    groups: Whole
    images: Whole
    labels: Whole
    problems: tuple[str, ...]
    voxels: Whole
    """Of the first image of each case, together; 0 where an earlier version did not count them."""


class DataSealed(Fact):
    """Hidden labels, the alias table and the salts lie in the vault."""

    type: Literal["data.sealed"] = "data.sealed"
    commitments: Blob
    """Blob: canonical JSON, alias to BLAKE3 keyed with the item's salt."""
    labels: Whole
    says: str


class FoldSize(Part):
    """How many cases one fold has on each side."""

    fold: str
    fit: Whole
    validation: Whole


class SplitFrozen(Fact):
    """Which group stands where; drawn once from the seed, before anything is trained."""

    type: Literal["split.frozen"] = "split.frozen"
    scheme: Literal["holdout", "kfold", "leave-one-out", "column", "file"]
    seed: Whole
    split: Blob
    """Blob: canonical JSON, see `amid.documents.Split`."""
    folds: tuple[FoldSize, ...]
    groups: Whole
    """Groups outside the test set."""
    inner: Whole
    """Cases in the inner set."""
    test: Whole
    """Cases in the hidden test set."""
    findings: tuple[str, ...]


class SuspectedLink(Fact):
    """Two cases that may belong to one patient, with what suggests it."""

    type: Literal["split.suspected_link"] = "split.suspected_link"
    first: str
    second: str
    evidence: str


class DataProfiled(Fact):
    """What the data is, found without training."""

    type: Literal["data.profiled"] = "data.profiled"
    profile: Blob
    """Blob: canonical JSON, see `amid.documents.Profile`."""
    says: tuple[str, ...]


class ResourceProbed(Fact):
    """Something a lane may need, and whether it is there."""

    type: Literal["resource.probed"] = "resource.probed"
    resource: str
    kind: Literal["library", "weights", "device", "tool"]
    available: bool
    because: str
    version: str | None


class ProbeMeasured(Fact):
    """The price of a template's step on this machine, taken once or given by a file."""

    type: Literal["probe.measured"] = "probe.measured"
    template: str
    ms_per_step: Whole
    fixed_ms: Whole


class Score(Part):
    """One metric over a set of cases. `value` is null when it is undefined."""

    metric: str
    value: Real | None
    low: Real | None
    """Lower end of the 95 % interval over groups; null when it could not be made."""
    high: Real | None
    cases: Whole
    groups: Whole
    status: str
    """`ok`, or why the value is undefined or partial."""


class NullScored(Fact):
    """The score of a model that did not look at the image."""

    type: Literal["null.scored"] = "null.scored"
    null: str
    score: Score
    """Primary metric over the validation cases of all folds."""
    per_case: Blob
    """Blob: canonical JSON, see `amid.documents.CaseScores`."""


class TestScored(Fact):
    """The hidden test set was scored: once, after the last verdict."""

    __test__ = False  # not a test class
    type: Literal["test.scored"] = "test.scored"
    attempt: str
    scores: tuple[Score, ...]
    per_case: Blob
