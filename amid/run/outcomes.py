"""Read the output folders of trusted jobs and say what they found, as facts."""

from collections.abc import Sequence
from pathlib import Path

import orjson
from pydantic import TypeAdapter

from amid.documents import CaseScores, Finding, Measured
from ledger.events.base import Fact
from ledger.events.data import NullScored, ProbeMeasured, Score, TestScored
from ledger.events.review import CheckFound, ReviewMeasured
from ledger.events.work import PackageBuilt, PackageRefused
from runtime.ports import PutBlob

_FINDINGS = TypeAdapter(tuple[Finding, ...])
_SCORES = TypeAdapter(tuple[Score, ...])


def nulls(out: Path, put: PutBlob) -> Sequence[Fact]:
    """Return one `null.scored` for each null model in `nulls.json`."""
    return tuple(
        NullScored(
            null=row["null"],
            score=Score.model_validate_json(orjson.dumps(row["score"])),
            per_case=put(_case_scores(row["per_case"])),
        )
        for row in orjson.loads((out / "nulls.json").read_bytes())
    )


def probe(template: str, out: Path) -> Sequence[Fact]:
    """Return the price of a template's step."""
    told = orjson.loads((out / "probe.json").read_bytes())
    return (
        ProbeMeasured(
            template=template,
            ms_per_step=int(told["ms_per_step"]),
            fixed_ms=int(told["fixed_ms"]),
        ),
    )


def review(attempt: str, out: Path, put: PutBlob) -> Sequence[Fact]:
    """Return every finding and, last, the recomputed scores of an attempt."""
    findings = _FINDINGS.validate_json((out / "findings.json").read_bytes())
    measured = Measured.model_validate_json((out / "measured.json").read_bytes())
    scores = orjson.loads((out / "case-scores.json").read_bytes())
    found = (
        CheckFound(
            attempt=attempt,
            check=f.check,
            outcome=f.outcome,
            code=f.code,
            says=f.says,
            evidence=f.evidence,
        )
        for f in findings
    )
    return (
        *found,
        ReviewMeasured(
            attempt=attempt,
            scores=measured.scores,
            inner=measured.inner,
            per_case=put(_case_scores(scores)),
            nulls_beaten=measured.nulls_beaten,
            standard_error=measured.standard_error,
        ),
    )


def test(attempt: str, out: Path, put: PutBlob) -> Sequence[Fact]:
    """Return the one score of the hidden test set."""
    told = orjson.loads((out / "test.json").read_bytes())
    scores = _SCORES.validate_json(orjson.dumps(told["scores"]))
    return (
        TestScored(attempt=attempt, scores=scores, per_case=put(_case_scores(told["per_case"]))),
    )


def package(attempt: str, out: Path, put: PutBlob) -> Sequence[Fact]:
    """Return that the package was built, or what it lacks."""
    refused = out / "refused.json"

    if refused.exists():
        return (PackageRefused(missing=tuple(orjson.loads(refused.read_bytes())["missing"])),)

    manifest = (out / "manifest.json").read_bytes()
    rows = [r for r in orjson.loads(manifest) if r["path"].startswith("payload/")]
    files = rows or orjson.loads(manifest)
    return (PackageBuilt(attempt=attempt, manifest=put(manifest), files=len(files)),)


def _case_scores(told: object) -> bytes:
    """Check the per-case scores and return their canonical bytes."""
    content = orjson.dumps(told, option=orjson.OPT_SORT_KEYS)
    CaseScores.model_validate_json(content)
    return content
