"""An honest attempt as evidence; each test states only what differs from it."""

from dataclasses import replace

from amid.data.space import Grid
from amid.kinds.segmentation.checks.evidence import LabelMap
from amid.review.checks.evidence import (
    AccessFacts,
    Evidence,
    ImageHash,
    NullResult,
    Opening,
    Part,
    Recomputed,
    Sides,
    SplitFacts,
)

GRID = Grid((4, 5, 6), (1.0, 0.8, 2.5), (10.0, -3.0, 7.5), (1.0, 0, 0, 0, 1.0, 0, 0, 0, 1.0))
FIRST = ("c-0001", "c-0002", "c-0003")
SECOND = ("c-0004", "c-0005", "c-0006")
INNER = ("c-0007",)
TEST = ("c-0008",)
EVERY = (*FIRST, *SECOND, *INNER, *TEST)

SPLIT = SplitFacts(
    folds=(Sides("f1", SECOND, FIRST), Sides("f2", FIRST, SECOND)),
    inner=INNER,
    test=TEST,
    group_of={case: case.replace("c-", "g-") for case in EVERY},
)


def prediction(fold: str, case: str, part: Part = "validation") -> LabelMap:
    """Return an honest prediction."""
    return LabelMap(
        fold=fold,
        case=case,
        part=part,
        image=GRID,
        status="ok",
        dims=GRID.size,
        grid=GRID,
        values=(0, 1),
        foreground=12,
        payload=f"payload of {fold}/{case}",
        equals_label=None if part == "test" else False,
    )


HONEST = Evidence(
    attempt="a-1",
    lane="prior",
    assurance="confined",
    predictions=tuple(
        one
        for sides in SPLIT.folds
        for one in (
            *(prediction(sides.fold, case) for case in sides.validation),
            *(prediction(sides.fold, case, "inner") for case in INNER),
            *(prediction(sides.fold, case, "test") for case in TEST),
        )
    ),
    extras=(),
    labels={"background": 0, "organ": 1, "tumour": 2},
    split=SPLIT,
    images=tuple(ImageHash(case, "image", f"hash of {case}") for case in EVERY),
    metric="dice",
    direction="maximize",
    metric_direction="maximize",
    scores=(
        Recomputed("validation", "dice", 0.871249, "ok", 6, 6),
        Recomputed("inner", "dice", 0.9, "ok", 1, 1),
    ),
    claims=(),
    nulls=(NullResult("empty", 0.0, beaten=True), NullResult("mean-shape", 0.6, beaten=True)),
    access=(AccessFacts("a" * 64, 120, ()),),
    payload="root",
    earlier=(),
)


def with_first(**changes: object) -> Evidence:
    """Change the first prediction of the honest attempt."""
    first, *rest = HONEST.predictions
    changed = replace(first, **changes)  # type: ignore[arg-type]
    return replace(HONEST, predictions=(changed, *rest))


def opening(path: str, result: str = "3", op: str = "openat") -> AccessFacts:
    """Return a record with one access to a sealed place."""
    granted = not result.startswith("E")
    return AccessFacts("b" * 64, 9, (Opening(op, path, result, granted=granted),))
