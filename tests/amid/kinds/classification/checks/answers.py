"""An honest attempt at two classes as evidence; each test states only what differs from it."""

from dataclasses import replace

from amid.kinds.classification.checks.evidence import Answer
from amid.review.checks.evidence import Evidence, ImageHash, Part
from tests.amid.review.checks.attempts import EVERY, INNER, SPLIT, TEST
from tests.amid.review.checks.attempts import HONEST as VOLUMES

CLASSES = ("healthy", "ill")


def answer(fold: str, case: str, part: Part = "validation") -> Answer:
    """Return an honest answer: another one for each case."""
    share = int(case[-1]) / 10

    return Answer(
        fold, case, part, "ok", payload=f"{share}", columns=CLASSES, values=(share, 1 - share),
        equals_label=None if part == "test" else False,
    )  # fmt: skip


HONEST: Evidence = replace(
    VOLUMES,
    predictions=tuple(
        one
        for sides in SPLIT.folds
        for one in (
            *(answer(sides.fold, case) for case in sides.validation),
            *(answer(sides.fold, case, "inner") for case in INNER),
            *(answer(sides.fold, case, "test") for case in TEST),
        )
    ),
    labels={"healthy": 0, "ill": 1},
    images=tuple(ImageHash(case, "image", f"hash of {case}") for case in EVERY),
    metric="auroc",
)


def with_first(**changes: object) -> Evidence:
    """Change the first answer of the honest attempt."""
    first, *rest = HONEST.predictions
    changed = replace(first, **changes)  # type: ignore[arg-type]
    return replace(HONEST, predictions=(changed, *rest))


def with_all(**changes: object) -> Evidence:
    """Change every answer of the honest attempt."""
    changed = tuple(replace(p, **changes) for p in HONEST.predictions)  # type: ignore[arg-type]
    return replace(HONEST, predictions=changed)
