"""Everything the checks need to know of one attempt, measured from its decoded predictions."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from blake3 import blake3

from amid.documents import Case, CaseScores, Measured
from amid.review.checks.evidence import (
    Claim,
    Earlier,
    Evidence,
    ImageHash,
    NullResult,
    Prediction,
    Recomputed,
    Sides,
    SplitFacts,
)
from amid.review.checks.evidence import Part as Side
from amid.review.kind import Decoded, Scores, Value, review_part
from amid.review.measure.access import read_access
from amid.review.measure.inputs import Inputs, InputWrong, read_blob
from amid.tasks import kinds
from ledger.events.data import Score


@dataclass(frozen=True, slots=True)
class Measurement:
    """What the reviewer's scorer found."""

    evidence: Evidence
    measured: Measured
    validation: CaseScores
    inner: CaseScores


def measure(inputs: Inputs, decoded: Path) -> Measurement:
    """Score validation and inner predictions, look at those of test, and gather the evidence."""
    asked = review_part(inputs.kind)
    found = asked.opened(decoded)
    split = inputs.split
    attempt = inputs.private.get("attempt", "")
    seen: list[Prediction] = []
    validation = asked.table(attempt, "validation", inputs.rules, split.group_of)
    inner = asked.table(attempt, "inner", inputs.rules, split.group_of)

    for fold in split.folds:
        for case in fold.validation:
            _judge(inputs, found, validation, inputs.cases[case], [fold.fold], seen)

    folds = [fold.fold for fold in split.folds]
    for case in split.inner:
        _judge(inputs, found, inner, inputs.cases[case], folds, seen)

    for fold in split.folds:
        for case in split.test:
            seen.append(found.look(fold.fold, inputs.cases[case], "test").prediction)

    scores = tuple(validation.score(name) for name in validation.names())
    inner_scores = tuple(inner.score(name) for name in inner.names()) if split.inner else ()
    nulls = _nulls(inputs, validation)
    recomputed = [validation.recomputed(score) for score in scores]
    recomputed += [inner.recomputed(score) for score in inner_scores]
    evidence = _evidence(inputs, found, seen, recomputed, nulls)
    measured = Measured(
        scores=scores,
        inner=inner_scores[0] if inner_scores else None,
        nulls_beaten=bool(nulls) and all(null.beaten for null in nulls or ()),
        standard_error=validation.standard_error(inputs.rules.primary),
    )
    return Measurement(evidence, measured, validation.document(), inner.document())


def score_test(inputs: Inputs, decoded: Path) -> tuple[list[Score], CaseScores]:
    """Score the test predictions of the final attempt: those of `all`, or of its only fold."""
    asked = review_part(inputs.kind)
    found = asked.opened(decoded)
    fold = found.folds[0] if len(found.folds) == 1 else "all"
    attempt = inputs.private.get("attempt", "")
    table = asked.table(attempt, "test", inputs.rules, inputs.split.group_of)
    for case in inputs.split.test:
        _judge(inputs, found, table, inputs.cases[case], [fold], [])

    return [table.score(name) for name in table.names()], table.document()


def _judge(
    inputs: Inputs,
    found: Decoded,
    table: Scores,
    case: Case,
    folds: Iterable[str],
    seen: list[Prediction],
) -> None:
    """Look at a case's predictions, compare them with its label and add them to the table."""
    asked = review_part(inputs.kind)
    reference = asked.reference(inputs.run, case, inputs.rules)
    values: list[Value | None] = []
    folds = list(folds)
    for fold in folds:
        one = found.look(fold, case, table.part)
        there = reference is not None and one.value is not None
        values.append(one.value if there else None)
        seen.append(
            asked.compared(one.prediction, reference, one.value) if there else one.prediction
        )

    if reference is not None:
        table.add(case, folds[0] if len(folds) == 1 else "all", reference, values)


def _nulls(inputs: Inputs, validation: Scores) -> tuple[NullResult, ...] | None:
    """Compare the attempt with each null model, paired by case, over groups."""
    digest = inputs.private.get("nulls", "")
    if not digest:
        return None

    looks = int(inputs.private.get("look") or "1")
    results = []
    for told in _list(read_blob(inputs.run, digest), "nulls"):
        score = Score.model_validate_json(json.dumps(told["score"]))
        per_case = CaseScores.model_validate_json(json.dumps(told["per_case"]))
        beaten = validation.beats(per_case, looks=looks)
        value = None if score.value is None else float(score.value)
        results.append(NullResult(str(told["null"]), value, beaten))

    return tuple(results)


def _evidence(
    inputs: Inputs,
    found: Decoded,
    seen: list[Prediction],
    scores: list[Recomputed],
    nulls: tuple[NullResult, ...] | None,
) -> Evidence:
    private = inputs.private
    split = inputs.split
    return Evidence(
        attempt=private.get("attempt", ""),
        lane=private.get("lane", ""),
        assurance=private.get("assurance", "none"),
        predictions=tuple(seen),
        extras=tuple(found.extras()),
        labels=inputs.rules.labels,
        split=SplitFacts(
            tuple(Sides(f.fold, f.fit, f.validation) for f in split.folds),
            split.inner,
            split.test,
            split.group_of,
        ),
        images=tuple(
            ImageHash(case.case, image.channel, image.canonical)
            for case in inputs.inventory.cases
            for image in case.images
        ),
        metric=inputs.rules.primary,
        direction=inputs.rules.direction,
        metric_direction=kinds.contract_part(inputs.kind).direction(inputs.rules.primary),
        scores=tuple(scores),
        claims=_claims(private.get("claims", "")),
        nulls=nulls,
        access=read_access(inputs.run, private.get("access", "")),
        payload=_root(seen, "validation"),
        earlier=_earlier(private.get("earlier", "")),
        several=inputs.rules.several,
    )


def _root(seen: list[Prediction], part: Side) -> str:
    lines = [f"{p.fold}/{p.case} {p.payload}\n" for p in seen if p.part == part]
    return blake3("".join(sorted(lines)).encode()).hexdigest()


def _claims(text: str) -> tuple[Claim, ...]:
    """Read [[metric, value], ...] or [{"metric": ..., "value": ...}, ...]."""
    claims = []
    for one in json.loads(text) if text else []:
        pair = (one["metric"], one["value"]) if isinstance(one, dict) else (one[0], one[1])
        claims.append(Claim(str(pair[0]), str(pair[1])))

    return tuple(claims)


def _earlier(text: str) -> tuple[Earlier, ...] | None:
    """Read [{"attempt": ..., "lane": ..., "payload": ...}, ...]; None when not given."""
    if not text:
        return None

    told = json.loads(text)
    return tuple(Earlier(str(e["attempt"]), str(e["lane"]), str(e["payload"])) for e in told)


def _list(content: bytes, name: str) -> list[dict[str, object]]:
    told = json.loads(content)
    if not isinstance(told, list):
        raise InputWrong(f"{name}: not a JSON list")

    return told
