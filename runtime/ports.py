"""The ports: what the loop may ask of the world, and the plain values that pass through them.

Adapters implement these; the pure core only sees the values. Nothing here acts.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from ledger.events.base import Fact
from ledger.events.codes import JobEnd, Released
from ledger.events.job import Assurance, JobKind, Limits
from ledger.events.review import CheckFound
from projections.attempts import Standing

Sandbox = Literal["landlock", "bubblewrap", "none", "trusted"]


# --- jobs -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class JobSpec:
    """A job laid out and ready to run in `folder`, which is also its working directory.

    `folder` already holds `in/` (inputs laid out), and gets `job.json`, `out/`, `log/` and, last,
    `result.json` from the executor. Paths in `environment` and `argv` are relative to `folder`.
    """

    key: str
    epoch: int
    kind: JobKind
    argv: tuple[str, ...]
    environment: Mapping[str, str]
    folder: Path
    reads: tuple[Path, ...]
    """Absolute paths the sandbox may read besides the interpreter and `folder`."""
    roots: Mapping[str, Path]
    """Names for places in the access record: `view`, `out`, `vault`, `data`, `blobs`, `run`."""
    limits: Limits
    sandbox: Sandbox
    threads: int
    seed: int
    private: Mapping[str, str] = field(default_factory=dict)
    """Goes into `job.json` for trusted jobs only, never into an event (absolute paths)."""
    subject: str = "run"
    """Attempt id, or `run`; goes into `job.json`."""
    fold: str = "all"
    """Fold name, or `all`; goes into `job.json`."""
    patience_s: int | None = None
    """Seconds allowed instead of the recorded wall and CPU limits, which only a reproduction
    gives: then nothing asks the job to end early, and `job.json` still tells the recorded limits.
    """


@dataclass(frozen=True, slots=True)
class OutputFile:
    """One file a job left under `out/`, hashed by the wrapper."""

    path: str
    digest: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Refusal:
    """One refused access, path relative to a named root."""

    op: str
    path: str
    result: str


@dataclass(frozen=True, slots=True)
class Access:
    """What the recorder saw. `record` is a file of JSON lines, or None."""

    record: Path | None
    opened: int
    denied: tuple[Refusal, ...]
    denied_total: int
    recorder: Literal["strace", "none"]
    complete: bool


@dataclass(frozen=True, slots=True)
class JobOutcome:
    """How a job ended; the content of `result.json`."""

    key: str
    epoch: int
    status: Literal["finished", "failed", "lost"]
    reason: str
    outputs: tuple[OutputFile, ...]
    """Sorted by path; regular files only."""
    log: Path | None
    """Standard output and error of the job, cut to its last 64 KiB."""
    stopped_at: int | None
    assurance: Assurance
    access: Access
    wall_ms: int
    cpu_ms: int
    max_rss_kib: int
    code: JobEnd | None = None
    """Why it did not finish; None when it finished."""


class Executor(Protocol):
    """Runs sealed jobs. Running a key and epoch twice finds the first result."""

    async def run(self, spec: JobSpec) -> JobOutcome:
        """Run the job to its end, or adopt the result that is already in its folder.

        Cancelling the call ends every process of the job.
        """

    def recover(self, folder: Path) -> Literal["finished", "gone"]:
        """After a crash: `finished` when `result.json` is whole; else end leftovers, `gone`."""


# --- agents and their worktrees -------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Past:
    """What a worker is told about one earlier attempt of its own or of its base.

    Words of a job never come here: what a job read, its words may hold.
    """

    attempt: str
    verdict: Standing
    codes: tuple[Released, ...]
    advice: tuple[str, ...]
    """What the domain says to these codes."""
    score: str | None
    """Primary validation score rounded to 0.005, only where feedback was released."""
    inner: str | None
    description: str
    """The agent's own line in `attempt.toml`."""


@dataclass(frozen=True, slots=True)
class Brief:
    """What an agent is asked to do in one turn. Canonical JSON of it is the recorded prompt."""

    worker: str
    role: str
    lane: str
    template: str
    turn: int
    slot: int
    units: int
    past: tuple[Past, ...]
    """Oldest first. For a finalizer: the accepted candidates to average."""
    longer: bool = False
    """Whether the first of the past is to be trained again as it is, in more steps."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The documents an agent may read besides its brief: contract, profile, lane, as JSON text."""

    contract: str
    profile: str
    lane: str


@dataclass(frozen=True, slots=True)
class Turn:
    """What an agent did. `failed` is a reason when the edit is not usable."""

    transcript: bytes
    tokens: int
    cost_microusd: int
    wall_ms: int
    failed: str | None = None


class Agent(Protocol):
    """Edits a worktree. Commits nothing and runs nothing outside it."""

    @property
    def name(self) -> str:
        """The backend's name, such as `recipe`."""

    async def edit(self, brief: Brief, reading: Reading, worktree: Path) -> Turn:
        """Write code and `attempt.toml` into the worktree for one turn."""


@dataclass(frozen=True, slots=True)
class FrozenFile:
    """One file of a frozen tree."""

    path: str
    mode: Literal["100644", "100755"]
    content: bytes


@dataclass(frozen=True, slots=True)
class Frozen:
    """A commit made from a worktree: deterministic in its files, parent and message."""

    commit: str
    tree: str
    parent: str | None
    message: str
    files: tuple[FrozenFile, ...]
    """Sorted by path."""


class Workspace(Protocol):
    """Worktrees of one run, backed by a bare repository."""

    def open(self, worker: str, base: str | None) -> Path:
        """Make the worker's worktree afresh at commit `base` (None: empty) and return its path."""

    def freeze(self, worker: str, message: str) -> Frozen:
        """Commit the worktree as it is, without running anything of it.

        Raises:
            runtime.errors.WorktreeRefused: a file is too large, not text, or not a regular file.
        """

    def restore(self, frozen: Frozen) -> None:
        """Make the same commit again from its files; raise if the commit id differs."""


# --- the medical domain, as far as the lower layers know it -----------------------------------


@dataclass(frozen=True, slots=True)
class LaneOffer:
    """A lane that the domain proposes for this data. Fields as in `lane.proposed`."""

    lane: str
    family: str
    template: str
    kind: Literal["executable", "fallback", "paper-only"]
    priority: int
    priority_because: tuple[str, ...]
    complexity: int
    units: int
    steps: int
    threads: int
    hypothesis: str
    data_conditions: str
    required_resources: str
    preprocessing: str
    validation_obligations: str
    training_budget: str
    expected_artifacts: str
    failure_modes: str


@dataclass(frozen=True, slots=True)
class Probe:
    """What one step of a template costs on this machine."""

    ms_per_step: int
    fixed_ms: int


@dataclass(frozen=True, slots=True)
class Means:
    """What a plan may count on: prices of templates, units and cores of the run."""

    probes: Mapping[str, Probe]
    """Template to its price; a template whose probe failed is missing."""
    units: int
    cores: int


@dataclass(frozen=True, slots=True)
class Ruling:
    """Findings turned into a verdict."""

    verdict: Literal["accept", "flag", "reject"]
    codes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Manifest:
    """`attempt.toml` as the runtime reads it."""

    lane: str
    description: str
    train: tuple[str, ...]
    predict: tuple[str, ...]
    members: tuple[str, ...]
    claims: tuple[tuple[str, str], ...]


class Domain(Protocol):
    """What the runtime may know of medicine. Methods are pure unless they name a folder."""

    def command(self, kind: JobKind, task: str) -> tuple[str, ...]:
        """Return the argv of a job kind that runs our own code, for a kind of task.

        The first word is `python`.
        """

    def rules_digest(self) -> str:
        """Return the digest of the rule set behind `verdict`."""

    def probes(self, contract: bytes, profile: bytes) -> Sequence[str]:
        """Name the templates whose step must be timed before lanes are planned."""

    def offers(self, contract: bytes, profile: bytes, means: Means) -> Sequence[LaneOffer]:
        """Propose lanes for a contract and a profile (blob bytes), best first."""

    def verdict(self, findings: Sequence[CheckFound]) -> Ruling:
        """Rule over the findings of one attempt. Total and pure."""

    def advice(self, codes: Sequence[Released]) -> tuple[str, ...]:
        """Say what to do about each code: fixed sentences, made of nothing else."""

    def round_score(self, value: str) -> str:
        """Round a score to what a worker may see."""

    def manifest(self, attempt_toml: bytes) -> Manifest:
        """Read an attempt.toml; raise runtime.errors.AttemptRefused with what is wrong."""

    def lay_out_view(
        self, run: Path, view: str, into: Path, *, documents: Mapping[str, str]
    ) -> None:
        """Copy or reflink the named selection of the data into the new folder `into`.

        `documents` are the blob digests of `contract`, `inventory` and `split`.
        """

    def roots(self, run: Path) -> Mapping[str, Path]:
        """Return the domain's own names for places in access records, such as `data`."""

    def access_name(self, run: Path) -> Callable[[str], str]:
        """Return what turns a path of an access record into one without real ids of cases."""

    def outcomes(self, kind: JobKind, subject: str, out: Path, put: "PutBlob") -> Sequence[Fact]:
        """Translate the output folder of a finished trusted job into facts to append."""


class PutBlob(Protocol):
    """Stores bytes or a file durably and returns the digest."""

    def __call__(self, content: bytes | Path, /) -> str:
        """Store and return the BLAKE3 digest."""
