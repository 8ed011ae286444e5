"""Events about lanes, workers, sessions, commits and attempts."""

from typing import ClassVar, Literal

from ledger.events.base import Blob, Fact, GitId, ManifestBlob, Part, Whole
from ledger.events.codes import JobEnd

Role = Literal["explorer", "optimizer", "challenger", "repair", "finalizer"]
WorkerState = Literal[
    "initialization",
    "editing",
    "evaluation",
    "reflection",
    "reassignment",
    "retirement",
]
Stage = Literal["explore", "exploit", "finalize"]


class LaneProposed(Fact):
    """A method hypothesis with the eight fields that make it arguable."""

    type: Literal["lane.proposed"] = "lane.proposed"
    lane: str
    family: str
    template: str
    kind: Literal["executable", "fallback", "paper-only"]
    priority: Whole
    """Parts per thousand; larger goes first."""
    priority_because: tuple[str, ...]
    complexity: Whole
    """Of two lanes inside one standard error the one with the lower number wins."""
    units: Whole
    """Planned price of one attempt in whole seconds of one core, all folds."""
    steps: Whole
    """Optimisation steps of each train job; 0 where training has no steps."""
    threads: Whole
    """Threads of its train and predict jobs."""
    hypothesis: str
    data_conditions: str
    required_resources: str
    preprocessing: str
    validation_obligations: str
    training_budget: str
    expected_artifacts: str
    failure_modes: str
    by: str
    """`planner`, or the agent or person who proposed it."""


class LaneRanked(Fact):
    """The place of a lane in the order of work."""

    type: Literal["lane.ranked"] = "lane.ranked"
    lane: str
    rank: Whole
    reasons: tuple[str, ...]


class LaneDownranked(Fact):
    """A lane stays on the list but is not given to a worker now."""

    type: Literal["lane.downranked"] = "lane.downranked"
    lane: str
    reason: str


class LaneCovered(Fact):
    """A family has its accepted attempts, or a recorded reason why not."""

    type: Literal["lane.covered"] = "lane.covered"
    lane: str
    accepted: Whole
    reason: str


class LanePromoted(Fact):
    """A candidate goes on to the second stage."""

    type: Literal["lane.promoted"] = "lane.promoted"
    lane: str
    attempt: str
    reason: str


class LanePromotionRefused(Fact):
    """A lane does not go on, and why."""

    type: Literal["lane.promotion_refused"] = "lane.promotion_refused"
    lane: str
    reason: str


class StageEntered(Fact):
    """A stage of the run begins."""

    type: Literal["stage.entered"] = "stage.entered"
    stage: Stage
    units: Whole
    """Planned seconds this stage may spend."""
    attempts: Whole | None
    """Attempts this stage may make; null without a number in the contract."""


class Slot(Part):
    """One place in a round: who works on what."""

    slot: Whole
    worker: str
    agent: str
    role: Role
    lane: str
    base: str | None
    """Attempt whose commit the worker starts from; null starts from the empty tree."""
    turns: Whole
    """How many attempts this worker may hand in."""
    steps: Whole
    """Steps of its training where they are not the lane's own; 0: the lane's."""
    units: Whole
    """Price of one of its attempts where it is not the lane's own; 0: the lane's."""


class RoundOpened(Fact):
    """A round names its workers before any of them starts."""

    type: Literal["stage.round_opened"] = "stage.round_opened"
    v: ClassVar[int] = 2
    stage: Stage
    round: Whole
    slots: tuple[Slot, ...]


class StageEnded(Fact):
    """A stage of the run is over."""

    type: Literal["stage.ended"] = "stage.ended"
    stage: Stage
    because: str


class BudgetSpent(Fact):
    """Planned units booked at hand-out, whatever becomes of the job."""

    type: Literal["budget.spent"] = "budget.spent"
    subject: str
    """Attempt or job kind the units are booked for."""
    stage: str
    units: Whole


class BudgetExhausted(Fact):
    """The clock or the units of a stage ran out."""

    type: Literal["budget.exhausted"] = "budget.exhausted"
    stage: str
    because: str


class WorkerSpawned(Fact):
    """A worker exists; its worktree is named after it."""

    type: Literal["worker.spawned"] = "worker.spawned"
    worker: str
    agent: str
    role: Role
    lane: str
    round: Whole
    slot: Whole


class WorkerStateEntered(Fact):
    """A worker's step in its life."""

    type: Literal["worker.state_entered"] = "worker.state_entered"
    worker: str
    state: WorkerState
    because: str


class WorkerRetired(Fact):
    """A worker is done for good."""

    type: Literal["worker.retired"] = "worker.retired"
    worker: str
    because: str


class SessionRequested(Fact):
    """An agent is asked to edit its worktree for one turn."""

    type: Literal["session.requested"] = "session.requested"
    worker: str
    turn: Whole
    agent: str
    prompt: str
    """Canonical JSON text of what the agent is told; see `runtime.ports.Brief`."""
    epoch: Whole


class TurnFinished(Fact):
    """The agent handed in its edit."""

    type: Literal["session.turn_finished"] = "session.turn_finished"
    worker: str
    turn: Whole
    epoch: Whole
    transcript: Blob
    tokens: Whole
    cost_microusd: Whole
    wall_ms: Whole


class SessionFailed(Fact):
    """The agent's turn ended without a usable edit."""

    type: Literal["session.failed"] = "session.failed"
    worker: str
    turn: Whole
    epoch: Whole
    reason: str


class SessionLost(Fact):
    """Nobody knows what became of the turn; it is asked for again with a new epoch."""

    type: Literal["session.lost"] = "session.lost"
    worker: str
    turn: Whole
    epoch: Whole
    because: str


class TreeFile(Part):
    """One file of a frozen commit."""

    path: str
    mode: Literal["100644", "100755"]
    digest: Blob
    bytes: Whole


class CommitFrozen(Fact):
    """A worktree as it was handed in; this event and its blobs make the commit again."""

    type: Literal["commit.frozen"] = "commit.frozen"
    worker: str
    turn: Whole
    commit: GitId
    tree: GitId
    parent: GitId | None
    message: str
    files: tuple[TreeFile, ...]


class Claim(Part):
    """A worker's own number. Never used to decide, only to compare."""

    metric: str
    value: str


class AttemptSubmitted(Fact):
    """A frozen commit enters as an attempt."""

    type: Literal["attempt.submitted"] = "attempt.submitted"
    attempt: str
    worker: str
    lane: str
    role: Role
    stage: Stage
    round: Whole
    slot: Whole
    turn: Whole
    commit: GitId
    description: str
    train: tuple[str, ...]
    """Command of the train job; empty when there is nothing to train."""
    predict: tuple[str, ...]
    members: tuple[str, ...]
    """Attempts whose predictions this one reads (finalizer); else empty."""
    claims: tuple[Claim, ...]
    units: Whole


class AttemptExecuted(Fact):
    """All sealed jobs of an attempt ended."""

    type: Literal["attempt.executed"] = "attempt.executed"
    v: ClassVar[int] = 2
    attempt: str
    outcome: Literal["complete", "failed"]
    reason: str
    """For people; it may hold text of a job's and goes to no worker."""
    assurance: Literal["sealed", "confined", "unrecorded", "none"]
    code: JobEnd | None
    """Why a job of it failed; null when none did, and in events of version 1."""


class AttemptVoided(Fact):
    """An attempt that must not count any more, and why."""

    type: Literal["attempt.voided"] = "attempt.voided"
    attempt: str
    because: str


class NoteLeft(Fact):
    """A worker's own notes at the end of a turn."""

    type: Literal["note.left"] = "note.left"
    worker: str
    turn: Whole
    note: Blob


class PackageBuilt(Fact):
    """The submission package lies in the run folder."""

    type: Literal["package.built"] = "package.built"
    attempt: str
    manifest: ManifestBlob
    """Blob: canonical JSON list of {path, digest, bytes} of every file under payload/."""
    files: Whole


class PackageRefused(Fact):
    """No evidence, no package."""

    type: Literal["package.refused"] = "package.refused"
    missing: tuple[str, ...]
