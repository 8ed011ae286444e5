"""Each prediction lies where its image lies, judged by physical corners."""

from amid.data.space import TOLERANCE, alignment, displacement
from amid.documents import Finding
from amid.kinds.segmentation.checks.evidence import LabelMap, label_maps
from amid.review.checks.evidence import Evidence, finding, number, passed, some

ID = "prediction-geometry/1"


def check(evidence: Evidence) -> Finding:
    """Compare corners, not headers: reversed or reordered axes with a matching direction are fine.

    A header that gives two positions more than a tenth of a voxel apart is read differently by
    different programs: held until somebody says which is meant.
    """
    shapes: list[LabelMap] = []
    moved: list[LabelMap] = []
    unclear: list[LabelMap] = []
    turned = seen = 0
    for prediction in label_maps(evidence):
        if prediction.grid is None or len(prediction.dims) != len(prediction.image.size):
            continue

        seen += 1
        how = alignment(prediction.image, prediction.grid)
        if how is None:
            same = prediction.grid.size == prediction.image.size
            (moved if same else shapes).append(prediction)
        else:
            turned += not how.same
            if (prediction.ambiguity or 0.0) > TOLERANCE:
                unclear.append(prediction)

    if shapes:
        grounds = [number(p.name, f"{_size(p)}, its image {p.image.size}") for p in shapes]
        says = f"{len(shapes)} predictions have another size than their image: {_some(shapes)}"
        return finding(ID, "reject", "PRED_SHAPE", says, grounds)

    if moved:
        grounds = [number(p.name, f"a corner is off by {_off(p)} voxels") for p in moved]
        says = f"{len(moved)} predictions lie elsewhere than their image: {_some(moved)}"
        return finding(ID, "reject", "PRED_GEOMETRY", says, grounds)

    if unclear:
        grounds = [
            number(p.name, f"qform and sform differ by {p.ambiguity:.2f} voxels") for p in unclear
        ]
        says = f"{len(unclear)} headers give two positions: {_some(unclear)}"
        return finding(ID, "flag", "PRED_GEOMETRY_AMBIGUOUS", says, grounds)

    if not seen:
        return passed(ID, "no prediction could be placed; the other checks say why")

    also = f"; {turned} have their axes in another order, which was undone" if turned else ""
    return passed(ID, f"{seen} predictions lie on their image within {TOLERANCE} voxel{also}")


def _some(predictions: list[LabelMap]) -> str:
    return some([p.name for p in predictions])


def _size(prediction: LabelMap) -> str:
    return str(prediction.grid.size) if prediction.grid else "none"


def _off(prediction: LabelMap) -> str:
    if prediction.grid is None:
        return "?"

    return f"{displacement(prediction.image, prediction.grid):.2f}"
