"""Facts of a made-up run that need nothing but their arguments."""

import orjson

from amid.documents import Fold, Split
from amid.tasks.contract import Contract
from ledger.events import data, review, work
from ledger.events.base import real
from tests.amid.package import sample_data as sample


def split() -> Split:
    """Two folds, one inner group, four test cases of two groups."""
    names = [sample.alias(number) for number in range(1, sample.CASES + 1)]
    first, second, inner, test = names[:4], names[4:6], names[6:8], names[8:]
    return Split(
        scheme="kfold",
        folds=(
            Fold(fold="f1", fit=tuple(second), validation=tuple(first)),
            Fold(fold="f2", fit=tuple(first), validation=tuple(second)),
        ),
        inner=tuple(inner),
        test=tuple(test),
        group_of={sample.alias(n): sample.group(n) for n in range(1, sample.CASES + 1)},
    )


def contract(*, share: bool) -> Contract:
    """Return the contract of the made-up task."""
    return Contract.model_validate_json(
        orjson.dumps(
            {
                "task": {"id": "balls", "kind": "segmentation", "modality": ["MR"]},
                "labels": {"background": 0, "ball": 1},
                "metric": {"primary": "dice", "direction": "maximize"},
                "validation": {"report_by": ["site"]},
                "submission": {"columns": {"case": "image_id", "path": "mask_path"}},
                "sharing": {"images_may_be_shared": share},
            }
        )
    )


def lane(name: str) -> work.LaneProposed:
    """Propose a lane, with words that a page must escape."""
    return work.LaneProposed(
        lane=name,
        family="threshold",
        template=name,
        kind="executable",
        priority=500,
        priority_because=("bright <b>balls</b>",),
        complexity=1,
        units=10,
        steps=0,
        threads=1,
        hypothesis="A threshold finds balls & little else",
        data_conditions="two classes of brightness",
        required_resources="none",
        preprocessing="none",
        validation_obligations="every held-out case",
        training_budget="one pass",
        expected_artifacts="model.json",
        failure_modes="dim balls",
        by="planner",
    )


def found(attempt: str, check: str, outcome: str, code: str, says: str) -> review.CheckFound:
    """Return what a check said."""
    return review.CheckFound.model_validate_json(
        orjson.dumps(
            {
                "attempt": attempt,
                "check": check,
                "outcome": outcome,
                "code": code,
                "says": says,
                "evidence": [{"kind": "event", "ref": "9", "says": "the split"}],
            }
        )
    )


def score(value: float, cases: int) -> data.Score:
    """Return a Dice score with a made-up interval."""
    return data.Score(
        metric="dice",
        value=real(value),
        low=real(max(0.0, value - 0.06)),
        high=real(min(1.0, value + 0.05)),
        cases=cases,
        groups=4,
        status="ok; t interval over 4 groups covers less than it says",
    )
