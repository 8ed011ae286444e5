"""Makes a small but whole run without the loop: ledger, blobs and vault, with jobs really executed.

Two accepted lanes and a rejected one, two folds, an average of the accepted ones, twelve cases of
which four are hidden test cases. `Variant` changes what may differ between two runs that decided
alike: run id, clock, and the order in which jobs end.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import anyio
from blake3 import blake3

from amid.documents import CaseScore, CaseScores, Split
from amid.review.decode import decode
from ledger.blobs import BlobStore
from ledger.canonical import document, encode
from ledger.events import data, job, review, run, work
from ledger.events.base import Fact, real
from ledger.events.union import dump
from ledger.record import NewEvent
from ledger.store import Ledger
from replay.gitids import commit_id, tree_id
from runtime.jobspec import code_digest, key_of, spec, view_folder, view_from_job
from runtime.layout import lay_out_inputs, read_manifest, write_manifest
from runtime.ports import OutputFile
from tests.amid.package import sample_data as sample
from tests.amid.package import sample_facts as facts
from tests.amid.package.sample_jobs import PlainExecutor, lay_out_view, outputs_of

FINAL = "a-finalizer-finalizer-r2s1t1"
MEMBERS = ("a-ball-explorer-r1s1t1", "a-plain-explorer-r1s2t1")
CRUDE = "a-crude-explorer-r1s3t1"
LIMITS = job.Limits(wall_s=60, cpu_s=60, memory_mib=512, output_mib=64, processes=16)
FOLDS = ("f1", "f2")


@dataclass(frozen=True, slots=True)
class Variant:
    """What may differ between two runs of one task, seed and code."""

    run: str = "0" * 31 + "1"
    clock: int = 1_700_000_000_000_000
    backwards: bool = False
    share: bool = True


@dataclass(slots=True)
class Sample:
    """A run in the making."""

    folder: Path
    data: Path
    variant: Variant
    split: Split
    ledger: Ledger
    blobs: BlobStore
    executor: PlainExecutor = field(default_factory=PlainExecutor)
    code: dict[str, tuple[work.TreeFile, ...]] = field(default_factory=dict)
    outputs: dict[tuple[str, str, str], str] = field(default_factory=dict)
    """Kind, attempt and fold to the manifest blob of the job."""

    def add(self, *new: Fact) -> None:
        """Append events."""
        events = [NewEvent(fact.type, fact.v, encode(dump(fact))) for fact in new]
        self.ledger.append(events)

    def put(self, value: object) -> str:
        """Store a document."""
        return self.blobs.put(document(value))


def make(folder: Path, variant: Variant | None = None) -> Path:
    """Make a run below `folder` and return its folder."""
    variant = variant or Variant()
    source, place = folder / "data", folder / "RUN"
    sample.write_data(source)
    place.mkdir()
    sample.write_vault(place / "vault", source)
    clock = iter(range(variant.clock, variant.clock + 10**9, 1234))
    with Ledger.create(place / "ledger.db", clock=lambda: next(clock)) as ledger:
        made = Sample(place, source, variant, facts.split(), ledger, BlobStore(place / "blobs"))
        _begin(made)
        _attempts(made)
        _end(made)

    return place


def head_of(place: Path) -> int:
    """Return the number of a run's last event."""
    with Ledger.open(place / "ledger.db") as ledger:
        return ledger.head.seq


def _begin(made: Sample) -> None:
    code = run.Code(version="0.1.0", commit=None, dirty=False, lock=None)
    settings = (run.Setting(name="data", value=str(made.data), origin="option"),)
    task = made.blobs.put(b"[task]\n")
    agreed = facts.contract(share=made.variant.share)
    folds = tuple(
        data.FoldSize(fold=f.fold, fit=len(f.fit), validation=len(f.validation))
        for f in made.split.folds
    )
    made.add(
        run.RunStarted(run=made.variant.run, task=task, settings=settings, code=code),
        run.SeedDrawn(seed=7, origin="option"),
        run.EnvironmentCaptured(
            python="3.11.9",
            packages=made.put({"numpy": "2.0.0"}),
            cpu="a cpu",
            cores=2,
            gpu=None,
            os="Linux 6",
            sandboxes=("landlock:7",),
        ),
        run.WriterAcquired(term=1, pid=made.variant.clock % 999, started="1", boot=""),
        data.TaskAgreed(
            task="balls",
            kind="segmentation",
            contract=made.blobs.put(agreed.to_bytes()),
            metric="dice",
            direction="maximize",
            looks=12,
            units=600,
            attempts=None,
        ),
        data.InventoryTaken(
            inventory=made.put(sample.inventory(made.data).model_dump(mode="json")),
            cases=12,
            groups=6,
            images=12,
            labels=12,
            problems=(),
            voxels=12_000,
        ),
        data.DataSealed(commitments=made.put({}), labels=12, says="labels lie in the vault"),
        data.DataProfiled(profile=made.put(sample.PROFILE), says=("small balls",)),
        data.SplitFrozen(
            scheme="kfold",
            seed=7,
            split=made.put(made.split.model_dump(mode="json")),
            folds=folds,
            groups=4,
            inner=2,
            test=4,
            findings=(),
        ),
        data.SuspectedLink(first="c-0002", second="c-0003", evidence="headers are equal"),
        *(
            data.NullScored(null=name, score=facts.score(value, 7), per_case=made.put({"of": name}))
            for name, value in (("empty", 0.0), ("mean-shape", 0.31))
        ),
    )


def _attempts(made: Sample) -> None:
    made.add(work.StageEntered(stage="explore", units=300, attempts=None))
    for slot, attempt in enumerate((*MEMBERS, CRUDE), start=1):
        made.add(facts.lane(attempt.split("-")[1]))
        _submit(made, attempt, slot=slot, members=())

    order = [(a, f) for a in (*MEMBERS, CRUDE) for f in FOLDS]
    for attempt, fold in reversed(order) if made.variant.backwards else order:
        _job(made, "train", attempt, fold)
        _job(made, "predict", attempt, fold)

    for attempt, dice in zip((*MEMBERS, CRUDE), (0.81, 0.79, 0.12), strict=True):
        _judge(made, attempt, dice)

    made.add(
        work.LanePromoted(lane="ball", attempt=MEMBERS[0], reason="best by 0.02"),
        work.LanePromotionRefused(lane="crude", reason="no accepted attempt"),
        work.StageEnded(stage="explore", because="covered"),
        run.RunPaused(because="asked to stop"),
        run.RunResumed(
            after_seq=made.ledger.head.seq,
            code=run.Code(version="0.1.0", commit=None, dirty=False, lock=None),
        ),
    )
    _submit(made, FINAL, slot=1, members=MEMBERS)
    for fold in (*FOLDS, "all"):
        _job(made, "predict", FINAL, fold)
    _judge(made, FINAL, 0.84)


def _end(made: Sample) -> None:
    cases = [(alias, "all") for alias in made.split.test]
    scores = _case_scores(made, FINAL, "test", cases)
    made.add(data.TestScored(attempt=FINAL, scores=(facts.score(0.83, 3),), per_case=scores))


def _submit(made: Sample, attempt: str, *, slot: int, members: tuple[str, ...]) -> None:
    files = sample.code_of(attempt)
    tree = tree_id({path: ("100644", content) for path, content in files.items()})
    message = f"{attempt}: first try\n"
    made.code[attempt] = tuple(
        work.TreeFile(path=p, mode="100644", digest=made.blobs.put(c), bytes=len(c))
        for p, c in sorted(files.items())
    )
    frozen = work.CommitFrozen(
        worker=f"w-{attempt[2:-2]}",
        turn=1,
        commit=commit_id(tree, None, message),
        tree=tree,
        parent=None,
        message=message,
        files=made.code[attempt],
    )
    made.add(
        work.WorkerSpawned(
            worker=frozen.worker,
            agent="recipe",
            role="finalizer" if members else "explorer",
            lane=attempt.split("-")[1],
            round=2 if members else 1,
            slot=slot,
        ),
        frozen,
        work.AttemptSubmitted(
            attempt=attempt,
            worker=frozen.worker,
            lane=attempt.split("-")[1],
            role="finalizer" if members else "explorer",
            stage="finalize" if members else "explore",
            round=2 if members else 1,
            slot=slot,
            turn=1,
            commit=frozen.commit,
            description="threshold halfway between the classes",
            train=() if members else ("python", "train.py"),
            predict=("python", "predict.py"),
            members=members,
            claims=(work.Claim(metric="dice", value="0.9"),),
            units=10,
        ),
    )


def _inputs(made: Sample, kind: str, attempt: str, fold: str) -> tuple[job.Input, ...]:
    digest = blake3(document(made.split.model_dump(mode="json"))).hexdigest()
    inputs = [
        job.Input(kind="view", name=f"{kind}/{fold}", digest=digest),
        job.Input(kind="code", name=attempt, digest=code_digest(made.code[attempt])),
    ]
    if attempt == FINAL:
        folds = FOLDS if fold == "all" else (fold,)
        names = [(member, f) for member in MEMBERS for f in folds]
        inputs += [
            job.Input(kind="outputs", name=f"members/{m}/{f}", digest=made.outputs["predict", m, f])
            for m, f in names
        ]
    elif kind == "predict":
        model = made.outputs["train", attempt, fold]
        inputs.append(job.Input(kind="outputs", name="model", digest=model))

    return tuple(inputs)


def _job(made: Sample, kind: str, attempt: str, fold: str) -> None:
    """Ask for a job, run it and record what it left."""
    request = job.JobRequested(
        subject=attempt,
        kind="train" if kind == "train" else "predict",
        fold=fold,
        command=("python", f"{kind}.py"),
        inputs=_inputs(made, kind, attempt, fold),
        limits=LIMITS,
        sandbox="none",
        seed=11,
        threads=1,
        steps=0,
        epoch=1,
    )
    key = key_of(request)
    folder = made.folder / "jobs" / key
    view = request.inputs[0]
    where = made.folder / view_folder(view.name, view.digest)
    if not where.exists():
        lay_out_view(made.data, made.split, view.name, where)

    lay_out_inputs(
        request,
        folder,
        code={file.path: file.digest for file in made.code[attempt]},
        outputs=lambda given: read_manifest(made.blobs.read(given.digest)),
        copy=made.blobs.copy_to,
    )
    data_path = view_from_job(view.name, view.digest)
    todo = spec(request, key=key, folder=folder, reads=(), roots={}, data=data_path)
    made.add(request)
    outcome = anyio.run(made.executor.run, todo)
    assert outcome.status == "finished", outcome.reason
    made.outputs[kind, attempt, fold] = _finish(made, key, folder, outcome.outputs)


def _decode(made: Sample, attempt: str) -> None:
    """Turn an attempt's predictions into plain arrays, as the decode job does."""
    digests = {fold: made.outputs["predict", attempt, fold] for fold in FOLDS}
    request = job.JobRequested(
        subject=attempt,
        kind="decode",
        fold="folds",
        command=("python", "-I", "-m", "amid.review.decode", "segmentation"),
        inputs=tuple(
            job.Input(kind="outputs", name=f"predictions/{fold}", digest=digest)
            for fold, digest in digests.items()
        ),
        limits=LIMITS,
        sandbox="landlock",
        seed=0,
        threads=1,
        steps=0,
        epoch=1,
    )
    folder = made.folder / "jobs" / key_of(request)
    lay_out_inputs(
        request,
        folder,
        code={},
        outputs=lambda given: read_manifest(made.blobs.read(given.digest)),
        copy=made.blobs.copy_to,
    )
    decode("segmentation", folder / "in/predictions", folder / "out")
    made.add(request)
    _finish(made, key_of(request), folder, outputs_of(folder / "out"))


def _finish(made: Sample, key: str, folder: Path, outputs: Sequence[OutputFile]) -> str:
    """Store what a job left and record that it ended well; return its manifest."""
    for file in outputs:
        made.blobs.put(folder / "out" / file.path)

    manifest = made.blobs.put(write_manifest(outputs))
    made.add(
        job.JobFinished(
            key=key,
            epoch=1,
            outputs=manifest,
            log=None,
            stopped_at=None,
            assurance="confined",
            reproduction="bitwise",
            resources=job.Resources(wall_ms=40, cpu_ms=30, max_rss_kib=9000),
        )
    )
    return manifest


def _judge(made: Sample, attempt: str, dice: float) -> None:
    """Record a review as the reviewer would."""
    _decode(made, attempt)
    good = dice > 0.5
    cases = [(alias, fold.fold) for fold in made.split.folds for alias in fold.validation]
    per_case = _case_scores(made, attempt, "validation", cases)
    found = [
        ("prediction-geometry/1", "pass", "OK", "all label maps lie on their image's grid"),
        ("beats-null/1", "pass" if good else "reject", "OK" if good else "NOT_ABOVE_NULL", "-"),
        ("reexecution/1", "unchecked", "UNCHECKED", "the attempt was not executed a second time"),
    ]
    made.add(
        work.AttemptExecuted(
            attempt=attempt, outcome="complete", reason="", assurance="confined", code=None
        ),
        review.ReviewRequested(attempt=attempt),
        *(facts.found(attempt, *row) for row in found),
        review.ReviewMeasured(
            attempt=attempt,
            scores=(facts.score(dice, 7),),
            inner=facts.score(dice, 2),
            per_case=per_case,
            nulls_beaten=good,
            standard_error="0.02",
        ),
        review.VerdictGiven(
            attempt=attempt,
            verdict="accept" if good else "reject",
            codes=() if good else ("NOT_ABOVE_NULL",),
            rules="d" * 64,
            assurance="confined",
        ),
        review.FeedbackReleased(attempt=attempt, n=1, says="dice about 0.8"),
    )


def _case_scores(made: Sample, of: str, part: str, cases: Sequence[tuple[str, str]]) -> str:
    rows = [
        CaseScore(
            case=alias,
            group=made.split.group_of[alias],
            fold=fold,
            values={"dice": real(0.9 - 0.05 * place), "dice:ball": None},
        )
        for place, (alias, fold) in enumerate(cases)
    ]
    scores = CaseScores(of=of, part="test" if part == "test" else "validation", cases=tuple(rows))
    return made.put(scores.model_dump(mode="json"))
