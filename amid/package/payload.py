"""The files under `payload/`: what a run reproduced elsewhere gives again byte for byte. Pure.

So nothing here depends on the run's id, times, event numbers, durations or places.
"""

from collections.abc import Mapping
from importlib.resources import files

import orjson
from pydantic import BaseModel

from amid.documents import CaseScores
from amid.package.card import Card
from amid.package.gather import Evidence, Read
from amid.package.kind import Source, Stored, package_part
from amid.planning.kind import planning_part
from amid.review.kind import review_part
from ledger.events.data import Score
from ledger.events.job import JobRequested
from ledger.events.work import AttemptSubmitted, LaneProposed
from runtime.jobspec import environment_of

WITHHELD = "WITHHELD.txt"
"""Stands in place of weights that hold training images."""
_WHY_WITHHELD = (
    b"These weights hold training images, and the task's contract does not let images leave\n"
    b"(images_may_be_shared = false). The run they come from has them; the code is in ../../code.\n"
)


def payload(
    evidence: Evidence, card: Card, cases: Mapping[str, str], read: Read
) -> dict[str, Source]:
    """Return every file under `payload/`, path to bytes or blob.

    Args:
        evidence: What the package rests on.
        card: The model card.
        cases: Alias of each test case to its real id; ids stand in the submission's files only.
        read: Returns a blob.

    Raises:
        IncompleteError: a real id is not known, or cannot be part of a file name.
    """
    script = files("amid.package").joinpath("predict.py").read_bytes()
    asked = package_part(evidence.contract.task.kind)
    return {
        **asked.submission(evidence.contract, evidence.predictions, cases, read),
        **_code(evidence),
        **_weights(evidence),
        "scores/validation.json": _json(_scores(evidence)),
        "environment.json": _json(_environment(evidence)),
        "predict.json": _json(_steps(evidence)),
        "predict.py": script,
        "MODEL_CARD.md": card.text.encode(),
    }


def _code(evidence: Evidence) -> dict[str, Source]:
    return {
        f"code/{attempt}/{file.path}": Stored(file.digest)
        for attempt, commit in evidence.code.items()
        for file in commit.files
    }


def _weights(evidence: Evidence) -> dict[str, Source]:
    """Return the trained files; those that hold images stay out where images may not leave."""
    found: dict[str, Source] = {}

    for made in evidence.weights:
        place = f"weights/{made.job.request.subject}/{made.job.request.fold}"

        if _withheld(evidence, made.job.request.subject):
            found[f"{place}/{WITHHELD}"] = _WHY_WITHHELD
        else:
            found |= {f"{place}/{file.path}": Stored(file.digest) for file in made.files}

    return found


def _withheld(evidence: Evidence, attempt: str) -> bool:
    """Say whether an attempt's model holds training images that the contract keeps here."""
    if evidence.contract.sharing.images_may_be_shared:
        return False

    submitted = (fact for _, fact in evidence.history.all(AttemptSubmitted))
    lane = next((fact.lane for fact in submitted if fact.attempt == attempt), "")
    proposed = (fact for _, fact in evidence.history.all(LaneProposed))
    known = planning_part(evidence.contract.task.kind).TEMPLATES
    used = {fact.template for fact in proposed if fact.lane == lane} & known.keys()
    return any(known[name].keeps_images for name in used)


def _scores(evidence: Evidence) -> dict[str, object]:
    return {
        "schema": "scores/1",
        "attempt": evidence.attempt,
        "metric": evidence.contract.metric.primary,
        "direction": evidence.contract.metric.direction,
        "validation": _part(evidence, evidence.measured.scores, evidence.validation),
        "test": None
        if evidence.test is None or evidence.test_cases is None
        else _part(evidence, evidence.test.scores, evidence.test_cases),
    }


def _part(evidence: Evidence, scores: tuple[Score, ...], per_case: CaseScores) -> dict[str, object]:
    """Return scores over all cases, by the columns of `report_by`, and case by case."""
    contract = evidence.contract
    columns = contract.validation.report_by
    by: dict[str, dict[str, object]] = {column: {} for column in columns}
    asked = review_part(contract.task.kind)
    for row in asked.by_columns(per_case, evidence.inventory, columns, contract.metric.primary):
        by[row.column][row.value] = _plain(row.score)

    return {
        "scores": [_plain(score) for score in scores],
        "by": by,
        "per_case": _plain(per_case),
    }


def _environment(evidence: Evidence) -> dict[str, object]:
    return {
        "schema": "environment/1",
        "python": evidence.environment.python,
        "packages": orjson.loads(evidence.packages),
    }


def _steps(evidence: Evidence) -> dict[str, object]:
    """Return the plan that `predict.py` carries out: the recorded jobs, in their order."""
    asked = package_part(evidence.contract.task.kind)
    names = {made.job.key: _name(made.job.request) for made in evidence.steps}
    steps = []
    for made in evidence.steps:
        request = made.job.request
        inputs = {
            given.name: {"step": names[source.key]}
            if source.key in names
            else {"weights": f"weights/{source.request.subject}/{source.request.fold}"}
            for given, source in evidence.history.needed_by(made.job)
        }
        steps.append(
            {
                "name": names[made.job.key],
                "attempt": request.subject,
                "fold": request.fold,
                "command": list(request.command),
                "view": f"predict/{request.fold}",
                "inputs": inputs,
                "environment": environment_of(request, data="../view"),
            }
        )

    return {
        "schema": "predict/1",
        "answer": dict(asked.ANSWER),
        "suffixes": list(asked.SUFFIXES),
        "channels": list(evidence.contract.data.inputs),
        "several": evidence.contract.task.several,
        "labels": evidence.contract.predicted,
        "steps": steps,
    }


def _name(request: JobRequested) -> str:
    return f"{request.subject}/{request.fold}"


def _plain(part: BaseModel) -> object:
    return part.model_dump(mode="json")


def _json(value: object) -> bytes:
    text: bytes = orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_INDENT_2)
    return text + b"\n"


__all__ = ["payload"]
