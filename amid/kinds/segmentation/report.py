"""Cases of a segmentation as pictures: three planes with contours of reference and prediction."""

from pathlib import Path
from typing import Any

import numpy as np

from amid.data.described import ImageProfile
from amid.documents import CaseScore
from amid.kinds.segmentation.overlay import Volume, planes
from amid.report.cases import (
    Cases,
    Figure,
    NotShownError,
    Shown,
    Source,
    choose,
    refusal,
    shown,
)
from amid.report.subject import Subject

_ALIKE = 0.8
"""Share of its intensities that a case has in common with the profile, to be shown like others."""
_SAYS = (
    "Validation cases of the leading attempt: worst five, median three, best two, by alias. Left "
    "of a picture is the patient's right."
)
_KEY = (("reference", "reference (solid)"), ("prediction", "prediction (dashed)"))


def figures(subject: Subject) -> tuple[Figure, ...]:
    """Return none: the leaderboard shows all there is."""
    del subject
    return ()


def cases(subject: Subject, *, inside: bool) -> Cases:
    """Return the worst, median and best validation cases of the leading attempt."""
    winner = subject.winner()
    scores = subject.case_scores(winner) if winner else None
    if winner is None or scores is None:
        return Cases((), "No attempt has per-case scores yet.")

    chosen = choose(scores.cases, subject.metric, maximize=subject.direction == "maximize")
    why = refusal(subject, inside=inside)
    if why:
        return Cases(tuple(shown(subject, *row, (), "") for row in chosen), why, _SAYS)

    try:
        source = Source(subject, winner.id)
    except NotShownError as problem:
        return Cases(tuple(shown(subject, *row, (), "") for row in chosen), str(problem), _SAYS)

    with source:
        rows = tuple(_pictured(subject, source, *row) for row in chosen)
        return Cases(rows, "", _SAYS, _KEY)


def _pictured(subject: Subject, source: Source, place: str, case: CaseScore) -> Shown:
    try:
        found, reference, prediction = source.values(case)
        image = _read(source.image(found))
        known = reference.clip(min=0)  # what is to be ignored is negative, and shown as nothing
        volume, reference, prediction, spacing = _oriented(image, known, prediction)
        window, note = _window(subject, volume)
        made = planes(volume, reference, prediction, spacing, window, case=case.case)
    except NotShownError as problem:
        return shown(subject, place, case, (), str(problem))

    return shown(subject, place, case, made, note)


def _window(subject: Subject, image: Volume) -> tuple[tuple[float, float], str]:
    """Return the profile's window, or the case's own where the profile's shows little of it."""
    own = tuple(float(x) for x in np.percentile(image, (1, 99)))
    profile = subject.profile
    if not isinstance(profile, ImageProfile) or not {"p01", "p99"} <= profile.intensity.keys():
        return (own[0], own[1]), "window: 1st to 99th percentile of this case"

    low, high = profile.intensity["p01"], profile.intensity["p99"]
    common = min(high, own[1]) - max(low, own[0])
    if common < _ALIKE * max(high - low, own[1] - own[0]):
        return (own[0], own[1]), "window: 1st to 99th percentile of this case"

    return (low, high), f"window {low:.4g} to {high:.4g}, from the profile"


def _read(path: Path) -> Any:  # noqa: ANN401 - SimpleITK has no types
    import SimpleITK

    itk: Any = SimpleITK
    return itk.ReadImage(str(path))


def _oriented(
    image: Any,  # noqa: ANN401 - SimpleITK has no types
    reference: Volume,
    prediction: Volume,
) -> tuple[Volume, Volume, Volume, tuple[float, float, float]]:
    """Return three volumes whose axes point to left, posterior and superior, and the spacing."""
    import SimpleITK

    itk: Any = SimpleITK
    turned = []
    for array in (itk.GetArrayFromImage(image), reference, prediction):
        if array.ndim == 4:  # several components: their mean
            array = array.mean(axis=3)
        if array.ndim != 3 or array.shape != image.GetSize()[::-1]:
            raise NotShownError("image, reference and prediction have different sizes")

        kept = array if array.dtype.kind == "f" else array.astype(np.int32)
        one = itk.GetImageFromArray(np.ascontiguousarray(kept))
        one.CopyInformation(image)
        turned.append(itk.DICOMOrient(one, "LPS"))

    volumes = [itk.GetArrayFromImage(one) for one in turned]
    return volumes[0], volumes[1], volumes[2], turned[0].GetSpacing()[::-1]


__all__ = ["cases", "figures"]
