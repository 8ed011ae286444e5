"""Deliberate mistakes for tests of the repair loop; no setting of a run reaches them."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """One wrong line in place of a right one."""

    file: str
    right: str
    wrong: str
    code: str
    """The reason code that the reviewer is expected to give."""


FAULTS: Mapping[str, Fault] = {
    "wrong-spacing": Fault(
        file="volumes.py",
        right="    volume.CopyInformation(image)\n",
        wrong="    volume.SetSpacing([2 * step for step in image.GetSpacing()])\n",
        code="PRED_GEOMETRY",
    ),
    "missing-case": Fault(
        file="predict.py",
        right="    for case in view.cases:\n",
        wrong="    for case in view.cases[1:]:\n",
        code="PRED_MISSING",
    ),
    "unknown-label": Fault(
        file="volumes.py",
        right="sitk.GetImageFromArray(labels), image)\n",
        wrong="sitk.GetImageFromArray(labels + np.uint8(7)), image)\n",
        code="PRED_LABEL_SET",
    ),
}


def plant(name: str, files: Mapping[str, str]) -> dict[str, str]:
    """Return the files with one mistake in them.

    Raises:
        ValueError: the template no longer holds the line, exactly once, that the fault replaces.
    """
    fault = FAULTS[name]
    text = files[fault.file]

    if text.count(fault.right) != 1:
        raise ValueError(f"fault {name} finds its line {text.count(fault.right)} times, not once")

    return {**files, fault.file: text.replace(fault.right, fault.wrong)}


__all__ = ["FAULTS", "Fault", "plant"]
