"""A small run folder with what verifying looks at: events of many kinds, blobs, a verdict."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from blake3 import blake3

from ledger.blobs import BlobStore
from ledger.canonical import document
from ledger.events.base import Fact
from ledger.events.data import FoldSize, SplitFrozen, TaskAgreed
from ledger.events.job import JobFinished, JobKind, JobRequested, Limits, Resources
from ledger.events.key import key_of
from ledger.events.review import CheckFound, ReviewRequested, VerdictGiven
from ledger.events.run import Code, RunStarted, SeedDrawn, WriterAcquired
from ledger.events.stored import to_new
from ledger.events.work import (
    AttemptExecuted,
    AttemptSubmitted,
    CommitFrozen,
    SessionRequested,
    TreeFile,
    TurnFinished,
    WorkerSpawned,
)
from ledger.store import Ledger
from runtime.ports import PutBlob, Ruling
from tests.ledger.making import RUN, ticking

WORKER = "w-intensity-prior-explorer-r1s1"
ATTEMPT = "a-intensity-prior-explorer-r1s1t1"


class Rules:
    """Rules that reject where any finding rejects."""

    def __init__(self, name: str = "rules/1", *, lenient: bool = False) -> None:
        self._name = name
        self._lenient = lenient

    def rules_digest(self) -> str:
        """Return a digest of the name."""
        return blake3(self._name.encode()).hexdigest()

    def outcomes(self, kind: JobKind, subject: str, out: Path, put: PutBlob) -> Sequence[Fact]:
        """Read nothing: no job of this run is trusted."""
        return ()

    def verdict(self, findings: Sequence[CheckFound]) -> Ruling:
        """Reject where any finding rejects, unless lenient."""
        codes = tuple(found.code for found in findings if found.outcome == "reject")
        if codes and not self._lenient:
            return Ruling("reject", codes)

        return Ruling("accept", ())


def found(outcome: Literal["pass", "reject"], code: str) -> CheckFound:
    """Return what one check saw."""
    return CheckFound(
        attempt=ATTEMPT, check="geometry/1", outcome=outcome, code=code, says="-", evidence=()
    )


def verdict(rules: Rules, findings: Sequence[CheckFound]) -> VerdictGiven:
    """Return the verdict that some rules give."""
    ruling = rules.verdict(findings)
    return VerdictGiven(
        attempt=ATTEMPT,
        verdict=ruling.verdict,
        codes=ruling.codes,
        rules=rules.rules_digest(),
        assurance="confined",
    )


def make_run(folder: Path, rules: Rules | None = None) -> Path:
    """Make a run folder and close it."""
    folder.mkdir()
    blobs = BlobStore(folder / "blobs")

    with Ledger.create(folder / "ledger.db", clock=ticking()) as ledger:
        ledger.append([to_new(event) for event in _beginning(blobs)])
        ledger.append([to_new(event) for event in _work(blobs)])
        ledger.append([to_new(event) for event in _review(rules or Rules())])

    return folder


def _beginning(blobs: BlobStore) -> tuple[Fact, ...]:
    task, contract = blobs.put(b'name = "tiny"\n'), blobs.put(document({"task": "tiny"}))
    code = Code(version="0.1.0", commit=None, dirty=False, lock=None)
    return (
        RunStarted(run=RUN, task=task, settings=(), code=code),
        SeedDrawn(seed=7, origin="option"),
        WriterAcquired(term=1, pid=1, started="1", boot=""),
        TaskAgreed(
            task="tiny",
            kind="segmentation",
            contract=contract,
            metric="dice",
            direction="maximize",
            looks=4,
            attempts=None,
            units=60,
        ),
        SplitFrozen(
            scheme="holdout",
            seed=7,
            split=blobs.put(document({"scheme": "holdout"})),
            folds=(FoldSize(fold="f1", fit=3, validation=1),),
            groups=4,
            inner=0,
            test=0,
            findings=(),
        ),
    )


def _work(blobs: BlobStore) -> tuple[Fact, ...]:
    outputs = [("a.bin", b"a" * 500), ("b.bin", b"b" * 700)]
    manifest = [
        {"path": path, "digest": blobs.put(content), "bytes": len(content)}
        for path, content in outputs
    ]
    request = JobRequested(
        subject=ATTEMPT,
        kind="predict",
        fold="f1",
        command=("python", "predict.py"),
        inputs=(),
        limits=Limits(wall_s=60, cpu_s=60, memory_mib=512, output_mib=64, processes=8),
        sandbox="landlock",
        seed=7,
        threads=1,
        steps=0,
        epoch=1,
    )
    return (
        *_turn(blobs),
        request,
        JobFinished(
            key=key_of(request),
            epoch=1,
            outputs=blobs.put(document(manifest)),
            log=blobs.put(b"done\n"),
            stopped_at=None,
            assurance="confined",
            reproduction="bitwise",
            resources=Resources(wall_ms=1, cpu_ms=1, max_rss_kib=1),
        ),
        AttemptExecuted(
            attempt=ATTEMPT, outcome="complete", reason="", assurance="confined", code=None
        ),
    )


def _turn(blobs: BlobStore) -> tuple[Fact, ...]:
    """Return how a worker came to hand in the attempt."""
    code = b"print()\n"
    file = TreeFile(path="predict.py", mode="100644", digest=blobs.put(code), bytes=len(code))
    return (
        WorkerSpawned(
            worker=WORKER,
            agent="recipe",
            role="explorer",
            lane="intensity-prior",
            round=1,
            slot=1,
        ),
        SessionRequested(worker=WORKER, turn=1, agent="recipe", prompt="{}", epoch=1),
        TurnFinished(
            worker=WORKER,
            turn=1,
            epoch=1,
            transcript=blobs.put(b"wrote it\n"),
            tokens=0,
            cost_microusd=0,
            wall_ms=1,
        ),
        CommitFrozen(
            worker=WORKER,
            turn=1,
            commit="1" * 40,
            tree="2" * 40,
            parent=None,
            message=ATTEMPT,
            files=(file,),
        ),
        AttemptSubmitted(
            attempt=ATTEMPT,
            worker=WORKER,
            lane="intensity-prior",
            role="explorer",
            stage="explore",
            round=1,
            slot=1,
            turn=1,
            commit="1" * 40,
            description="threshold",
            train=(),
            predict=("python", "predict.py"),
            members=(),
            claims=(),
            units=1,
        ),
    )


def _review(rules: Rules) -> tuple[Fact, ...]:
    first = (found("pass", "OK"), found("reject", "GEOMETRY-MISMATCH"))
    again = (found("pass", "OK"),)
    request = ReviewRequested(attempt=ATTEMPT)
    return (request, *first, verdict(rules, first), request, *again, verdict(rules, again))
