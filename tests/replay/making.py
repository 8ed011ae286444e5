"""A small run folder with what verifying looks at: events of many kinds, blobs, a verdict."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from blake3 import blake3

from ledger.blobs import BlobStore
from ledger.canonical import document
from ledger.events.base import Fact
from ledger.events.data import TaskAgreed
from ledger.events.job import JobFinished, Resources
from ledger.events.review import CheckFound, ReviewRequested, VerdictGiven
from ledger.events.run import Code, RunStarted, SeedDrawn, WriterAcquired
from ledger.events.stored import to_new
from ledger.store import Ledger
from runtime.ports import Ruling
from tests.ledger.making import RUN, ticking

ATTEMPT = "a-intensity-prior-explorer-r1s1t1"


class Rules:
    """Rules that reject where any finding rejects."""

    def __init__(self, name: str = "rules/1", *, lenient: bool = False) -> None:
        self._name = name
        self._lenient = lenient

    def rules_digest(self) -> str:
        """Return a digest of the name."""
        return blake3(self._name.encode()).hexdigest()

    def verdict(self, findings: Sequence[CheckFound]) -> Ruling:
        """Reject where any finding rejects, unless lenient."""
        codes = tuple(found.code for found in findings if found.outcome == "reject")
        if codes and not self._lenient:
            return Ruling("reject", codes, ())

        return Ruling("accept", (), ())


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
    )


def _work(blobs: BlobStore) -> tuple[Fact, ...]:
    outputs = [("a.bin", b"a" * 500), ("b.bin", b"b" * 700)]
    manifest = [
        {"path": path, "digest": blobs.put(content), "bytes": len(content)}
        for path, content in outputs
    ]
    return (
        JobFinished(
            key=blake3(b"job").hexdigest(),
            epoch=1,
            outputs=blobs.put(document(manifest)),
            log=blobs.put(b"done\n"),
            stopped_at=None,
            assurance="confined",
            reproduction="bitwise",
            resources=Resources(wall_ms=1, cpu_ms=1, max_rss_kib=1),
        ),
    )


def _review(rules: Rules) -> tuple[Fact, ...]:
    first = (found("pass", "OK"), found("reject", "GEOMETRY-MISMATCH"))
    again = (found("pass", "OK"),)
    request = ReviewRequested(attempt=ATTEMPT)
    return (request, *first, verdict(rules, first), request, *again, verdict(rules, again))
