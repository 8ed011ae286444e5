"""Events about sealed jobs: request, outcome, what they touched."""

from typing import ClassVar, Literal

from ledger.events.base import Blob, Digest, Fact, ManifestBlob, Part, Whole
from ledger.events.codes import JobEnd

JobKind = Literal[
    "profile",
    "null",
    "train",
    "predict",
    "decode",
    "review",
    "test",
    "package",
    "probe",
]
Assurance = Literal["sealed", "confined", "unrecorded", "none"]
Reproduction = Literal["bitwise", "bitwise-predict", "statistical"]


class Input(Part):
    """Something laid out for a job before it starts.

    `view`: a named selection of the data (`name` such as `train/f1`, digest of the split);
    `code`: the files of a commit (`name` is the attempt); `outputs`: the outputs of an earlier
    job (`name` is where they are laid, digest of their manifest blob); `blob`: one file.
    """

    kind: Literal["view", "code", "outputs", "blob"]
    name: str
    digest: Digest


class Limits(Part):
    """What a job may use; the first one reached ends it."""

    wall_s: Whole
    cpu_s: Whole
    memory_mib: Whole
    output_mib: Whole
    processes: Whole


class JobRequested(Fact):
    """A job is to be run. Its key is the digest of this body without `epoch`."""

    type: Literal["job.requested"] = "job.requested"
    subject: str
    """Attempt id, or `run`."""
    kind: JobKind
    fold: str
    """Fold name, or `all`."""
    command: tuple[str, ...]
    """argv; the first word `python` stands for the interpreter that runs the job."""
    inputs: tuple[Input, ...]
    limits: Limits
    sandbox: Literal["landlock", "bubblewrap", "none", "trusted"]
    """`trusted` is our own code: limits, no confinement, no record."""
    seed: Whole
    threads: Whole
    steps: Whole
    epoch: Whole


class Resources(Part):
    """Measured use; for people, never read by a decider."""

    wall_ms: Whole
    cpu_ms: Whole
    max_rss_kib: Whole


class JobFinished(Fact):
    """A job ended well."""

    type: Literal["job.finished"] = "job.finished"
    v: ClassVar[int] = 2
    key: Digest
    epoch: Whole
    outputs: ManifestBlob
    """Blob: canonical JSON list of {path, digest, bytes}, sorted by path."""
    log: Blob | None
    stopped_at: Whole | None
    assurance: Assurance
    reproduction: Reproduction | None
    """What executing it again is expected to give; null where no record says what it ran on."""
    resources: Resources


class JobFailed(Fact):
    """A job ended badly, and how."""

    type: Literal["job.failed"] = "job.failed"
    v: ClassVar[int] = 2
    key: Digest
    epoch: Whole
    reason: str
    """For people; it may hold text of the job's and goes to no worker."""
    log: Blob | None
    assurance: Assurance
    resources: Resources
    code: JobEnd | None
    """Why, from a closed list; null in events of version 1."""


class JobLost(Fact):
    """Nobody knows what a job would have said; it is asked for again with a new epoch."""

    type: Literal["job.lost"] = "job.lost"
    v: ClassVar[int] = 2
    key: Digest
    epoch: Whole
    because: str
    cause: Literal["interrupted", "ended"]
    """`interrupted`: the run itself was, which says nothing of the job; `ended`: the job's process
    or its wrapper was killed, or ended without a result."""


class JobGivenUp(Fact):
    """A job was lost as often as the policy allows: what it would have said is undecided."""

    type: Literal["job.given_up"] = "job.given_up"
    key: Digest
    epoch: Whole
    because: str


class ResultIgnored(Fact):
    """A result of an old epoch came in and changed nothing."""

    type: Literal["job.result_ignored"] = "job.result_ignored"
    key: Digest
    epoch: Whole
    because: str


class Denied(Part):
    """One refused access."""

    op: str
    path: str
    """Relative to a named root (`vault:`, `data:`, `blobs:`, ...), or a socket address family."""
    result: str


class AccessRecorded(Fact):
    """What a job opened, and what it was refused."""

    type: Literal["access.recorded"] = "access.recorded"
    key: Digest
    epoch: Whole
    record: Blob | None
    """Blob: JSON lines {pid, ppid, op, path, dev, ino, result}; null when nothing was recorded."""
    opened: Whole
    denied: tuple[Denied, ...]
    """At most 50, in order of first occurrence; all of them are in the record."""
    denied_total: Whole
    recorder: Literal["strace", "none"]
    complete: bool
