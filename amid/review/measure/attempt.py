"""Everything the checks need to know of one attempt, measured from its decoded predictions."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from blake3 import blake3

from amid.documents import Case, CaseScores, Measured
from amid.metrics import Values, metric
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
from amid.review.intervals import beats, paired
from amid.review.measure.access import read_access
from amid.review.measure.decoded import Decoded, payload
from amid.review.measure.inputs import BACKGROUND, Inputs, InputWrong, read_blob
from amid.review.measure.labels import read_label
from amid.review.measure.scores import Table, values_of
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
    found = Decoded(decoded)
    split = inputs.split
    attempt = inputs.private.get("attempt", "")
    seen: list[Prediction] = []
    validation = Table(attempt, "validation", inputs.rules, split.group_of)
    inner = Table(attempt, "inner", inputs.rules, split.group_of)

    for fold in split.folds:
        for case in fold.validation:
            _judge(inputs, found, validation, inputs.cases[case], [fold.fold], seen)

    folds = [fold.fold for fold in split.folds]
    for case in split.inner:
        _judge(inputs, found, inner, inputs.cases[case], folds, seen)

    for fold in split.folds:
        for case in split.test:
            one = found.look(fold.fold, inputs.cases[case], "test", BACKGROUND)
            seen.append(one.prediction)

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
    found = Decoded(decoded)
    fold = found.folds[0] if len(found.folds) == 1 else "all"
    attempt = inputs.private.get("attempt", "")
    table = Table(attempt, "test", inputs.rules, inputs.split.group_of)
    for case in inputs.split.test:
        _judge(inputs, found, table, inputs.cases[case], [fold], [])

    return [table.score(name) for name in table.names()], table.document()


def _judge(
    inputs: Inputs,
    found: Decoded,
    table: Table,
    case: Case,
    folds: Iterable[str],
    seen: list[Prediction],
) -> None:
    """Look at a case's predictions, compare them with its label and add them to the table."""
    reference = read_label(inputs.run, case)
    digest = "" if reference is None else payload(reference)
    values: list[Values | None] = []
    folds = list(folds)
    for fold in folds:
        one = found.look(fold, case, table.part, BACKGROUND)
        prediction = one.prediction
        if reference is not None and one.array is not None:
            equal = np.array_equal(reference, one.array)
            holds = equal and bool(np.any(reference != BACKGROUND))
            prediction = replace(prediction, equals_label=holds, reference=digest)
            values.append(values_of(inputs.rules, case, reference, one.array))
        else:
            values.append(None)

        seen.append(prediction)

    if reference is not None:
        table.add(case.case, folds[0] if len(folds) == 1 else "all", values)


def _nulls(inputs: Inputs, validation: Table) -> tuple[NullResult, ...] | None:
    """Compare the attempt with each null model, paired by case, over groups."""
    digest = inputs.private.get("nulls", "")
    if not digest:
        return None

    rules = inputs.rules
    whole = not validation.unusable
    ours = validation.column(rules.primary)
    looks = int(inputs.private.get("look") or "1")
    results = []
    for told in _list(read_blob(inputs.run, digest), "nulls"):
        score = Score.model_validate_json(json.dumps(told["score"]))
        per_case = CaseScores.model_validate_json(json.dumps(told["per_case"]))
        theirs = {c.case: _number(c.values.get(rules.primary)) for c in per_case.cases}
        difference = paired(ours, theirs, inputs.split.group_of)
        direction = metric(rules.primary).direction
        beaten = whole and beats(difference, direction, looks=looks)
        results.append(NullResult(str(told["null"]), _number(score.value), beaten))

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
        metric_direction=metric(inputs.rules.primary).direction,
        scores=tuple(scores),
        claims=_claims(private.get("claims", "")),
        nulls=nulls,
        access=read_access(inputs.run, private.get("access", "")),
        payload=_root(seen, "validation"),
        earlier=_earlier(private.get("earlier", "")),
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


def _number(text: str | None) -> float | None:
    return None if text is None else float(text)
