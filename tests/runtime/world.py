"""A small world to drive the loop in: a domain with two lanes, an agent and a played executor."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ledger.events.base import Fact, real
from ledger.events.codes import Released
from ledger.events.data import (
    DataProfiled,
    FoldSize,
    InventoryTaken,
    NullScored,
    ProbeMeasured,
    Score,
    SplitFrozen,
    TaskAgreed,
)
from ledger.events.job import JobKind
from ledger.events.review import CheckFound, Evidence, ReviewMeasured
from ledger.events.run import Code, RunStarted, SeedDrawn
from ledger.events.work import PackageBuilt
from runtime.ports import (
    Access,
    Brief,
    Frozen,
    FrozenFile,
    JobOutcome,
    JobSpec,
    LaneOffer,
    Manifest,
    Means,
    PutBlob,
    Reading,
    Ruling,
    Turn,
)

ZERO = "0" * 64


def offer(lane: str, priority: int, complexity: int, kind: str = "executable") -> LaneOffer:
    """Return a lane offer with words in every field."""
    words = dict.fromkeys(
        (
            "hypothesis",
            "data_conditions",
            "required_resources",
            "preprocessing",
            "validation_obligations",
            "training_budget",
            "expected_artifacts",
            "failure_modes",
        ),
        "said",
    )
    return LaneOffer(
        lane=lane,
        family=f"family-{lane}",
        template=lane,
        kind=kind,  # type: ignore[arg-type]
        priority=priority,
        priority_because=("test",),
        complexity=complexity,
        units=10,
        steps=0,
        threads=1,
        **words,
    )


@dataclass
class World:
    """Scores, verdicts and failures that the played world gives, by lane and turn."""

    offers: tuple[LaneOffer, ...] = (offer("plain", 900, 1), offer("fancy", 800, 2))
    score: Callable[[str], str] = lambda attempt: "0.8" if "fancy" in attempt else "0.7"
    verdict: Callable[[str], Literal["accept", "flag", "reject"]] = lambda attempt: "accept"
    probes: tuple[str, ...] = ()
    beats: Callable[[str], bool] = lambda attempt: True
    fails: Callable[[JobSpec], str] = lambda spec: ""
    code: str = "PRED_MISSING"
    """The reason code of what is not accepted."""
    says: str = "as played"
    """What the reviewer says of it."""
    spread: float | None = None
    """Half of the interval of every score; None: no interval."""
    payload: str = ""
    """What the reviewer says of the digest over all predictions; empty: nothing."""
    waits: Callable[[JobSpec], int] = lambda spec: 1
    """How many times a job lets others go first."""
    ran: list[tuple[str, int]] = field(default_factory=list)
    running: list[JobSpec] = field(default_factory=list)
    together: list[tuple[JobSpec, JobSpec]] = field(default_factory=list)
    """Every two jobs that were under way at once."""

    # --- the domain ---

    def command(self, kind: JobKind, task: str) -> tuple[str, ...]:
        """Return words nobody runs."""
        return ("python", kind)

    def rules_digest(self) -> str:
        """Return a fixed digest."""
        return ZERO

    def given(self, contract: bytes, profile: bytes) -> Sequence[LaneOffer]:
        """Return the lanes of this world."""
        return self.offers

    def ruling(self, findings: Sequence[CheckFound]) -> Ruling:
        """Rule as the only finding says."""
        worst = findings[0].outcome if findings else "flag"
        verdict: Literal["accept", "flag", "reject"] = (
            "reject" if worst == "reject" else "flag" if worst == "flag" else "accept"
        )
        return Ruling(verdict, tuple(f.code for f in findings))


@dataclass
class PlayedDomain:
    """The domain port over a world."""

    world: World

    def command(self, kind: JobKind, task: str) -> tuple[str, ...]:
        return self.world.command(kind, task)

    def rules_digest(self) -> str:
        return self.world.rules_digest()

    def probes(self, contract: bytes, profile: bytes) -> Sequence[str]:
        return self.world.probes

    def offers(self, contract: bytes, profile: bytes, means: Means) -> Sequence[LaneOffer]:
        return self.world.given(contract, profile)

    def verdict(self, findings: Sequence[CheckFound]) -> Ruling:
        return self.world.ruling(findings)

    def advice(self, codes: Sequence[Released]) -> tuple[str, ...]:
        return tuple(f"about {code}" for code in codes)

    def round_score(self, value: str) -> str:
        return value

    def manifest(self, attempt_toml: bytes) -> Manifest:
        members = tuple(x for x in attempt_toml.decode().split(";") if x)
        train = () if members else ("python", "t.py")
        return Manifest("lane", "said", train, ("python", "p.py"), members, ())

    def lay_out_view(
        self, run: Path, view: str, into: Path, *, documents: Mapping[str, str]
    ) -> None:
        into.mkdir(parents=True)

    def roots(self, run: Path) -> Mapping[str, Path]:
        return {}

    def access_name(self, run: Path) -> Callable[[str], str]:
        return lambda path: path.replace("patient-7", "c-0007")

    def outcomes(self, kind: JobKind, subject: str, out: Path, put: PutBlob) -> Sequence[Fact]:
        if kind == "probe":
            return (ProbeMeasured(template=subject, ms_per_step=3, fixed_ms=100),)

        if kind == "null":
            return (NullScored(null="empty", score=_score("0.1"), per_case=put(b"[]")),)

        if kind == "review":
            return self._review(subject, put)

        if kind == "package":
            return (PackageBuilt(attempt=subject, manifest=put(b"[]"), files=0),)

        return ()

    def _review(self, subject: str, put: PutBlob) -> Sequence[Fact]:
        said = self.world.verdict(subject)
        outcome = "pass" if said == "accept" else said
        found = CheckFound(
            attempt=subject,
            check="played/1",
            outcome=outcome,
            code="OK" if said == "accept" else self.world.code,
            says=self.world.says,
            evidence=(Evidence(kind="number", ref="payload", says=self.world.payload),)
            if self.world.payload
            else (),
        )
        score = _score(self.world.score(subject), self.world.spread)
        measured = ReviewMeasured(
            attempt=subject,
            scores=(score,),
            inner=None,
            per_case=put(b"[]"),
            nulls_beaten=self.world.beats(subject),
            standard_error="0.001",
        )
        return (found, measured)


def _score(value: str, spread: float | None = None) -> Score:
    ends = [None if spread is None else real(float(value) + side * spread) for side in (-1, 1)]
    return Score(
        metric="dice", value=value, low=ends[0], high=ends[1], cases=4, groups=2, status="ok"
    )


class PlayedAgent:
    """Writes nothing; the played workspace makes the files."""

    name = "recipe"

    def __init__(self) -> None:
        """Remember what was asked."""
        self.members: dict[str, tuple[str, ...]] = {}
        self.chooses: tuple[str, ...] | None = None
        """Members that a finalizer hands in, whatever it was given."""

    async def edit(self, brief: Brief, reading: Reading, worktree: Path) -> Turn:
        if brief.role == "finalizer":
            given = tuple(p.attempt for p in brief.past)
            self.members[brief.worker] = given if self.chooses is None else self.chooses

        return Turn(b"played", 0, 0, 1)


@dataclass
class PlayedWorkspace:
    """Freezes the same commit for the same worker and turn."""

    run: Path
    agent: PlayedAgent

    def open(self, worker: str, base: str | None) -> Path:
        return self.run / "work" / worker

    def freeze(self, worker: str, message: str) -> Frozen:
        toml = ";".join(self.agent.members.get(worker, ())).encode()
        files = (FrozenFile("attempt.toml", "100644", toml), FrozenFile("t.py", "100644", b"1"))
        from blake3 import blake3

        commit = blake3(message.encode()).hexdigest()[:40]
        return Frozen(commit, commit, None, message, files)

    def restore(self, frozen: Frozen) -> None:
        assert frozen.files, "a commit without files was restored"


@dataclass
class PlayedExecutor:
    """Finishes every job at once, in the order the event loop gives, unless the world says no."""

    world: World

    def recover(self, folder: Path) -> Literal["finished", "gone"]:
        return "gone"

    async def run(self, spec: JobSpec) -> JobOutcome:
        import anyio

        self.world.together += [(spec, other) for other in self.world.running]
        self.world.running.append(spec)

        for _ in range(self.world.waits(spec)):
            await anyio.lowlevel.checkpoint()

        self.world.running.remove(spec)
        self.world.ran.append((spec.key, spec.epoch))
        reason = self.world.fails(spec)
        return JobOutcome(
            key=spec.key,
            epoch=spec.epoch,
            status="failed" if reason else "finished",
            reason=reason,
            code="EXIT" if reason else None,
            outputs=(),
            log=None,
            stopped_at=None,
            assurance="confined",
            access=Access(None, 0, (), 0, "none", complete=True),
            wall_ms=1,
            cpu_ms=1,
            max_rss_kib=1,
        )


def beginning(
    put: PutBlob, *, units: int = 1000, test: int = 0, attempts: int | None = None
) -> tuple[Fact, ...]:
    """Return the first batch of a run with two folds."""
    split = SplitFrozen(
        scheme="kfold",
        seed=1,
        split=put(b"split"),
        folds=(FoldSize(fold="f1", fit=2, validation=2), FoldSize(fold="f2", fit=2, validation=2)),
        groups=4,
        inner=0,
        test=test,
        findings=(),
    )
    return (
        RunStarted(
            run="ab" * 16,
            task=put(b"task"),
            settings=(),
            code=Code(version="0", commit=None, dirty=False, lock=None),
        ),
        SeedDrawn(seed=7, origin="option"),
        TaskAgreed(
            task="played",
            kind="segmentation",
            contract=put(b"{}"),
            metric="dice",
            direction="maximize",
            looks=12,
            units=units,
            attempts=attempts,
        ),
        InventoryTaken(
            inventory=put(b"{ }"),
            cases=4,
            groups=4,
            images=4,
            labels=4,
            problems=(),
            voxels=4 << 20,
        ),
        DataProfiled(profile=put(b"{  }"), says=()),
        split,
    )
