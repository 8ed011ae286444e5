"""A classification as pictures: ROC and reliability curves, and cases with their answers."""

import base64
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from amid.documents import CaseScore
from amid.kinds.classification import curves
from amid.kinds.classification.scores import shares_of
from amid.report.cases import (
    BEST,
    MEDIAN,
    WORST,
    Cases,
    Figure,
    NotShownError,
    Plane,
    Shown,
    Source,
    refusal,
)
from amid.report.subject import Subject

_SAYS = (
    "Validation cases of the leading attempt by the probability of what is true: lowest five, "
    "median three, highest two, by alias."
)
_SIDE = 256
"""Pixels of a picture's longer side."""


def figures(subject: Subject) -> tuple[Figure, ...]:
    """Return the ROC curves and how well probabilities are calibrated."""
    winner = subject.winner()
    scores = subject.case_scores(winner) if winner else None
    if winner is None or scores is None or subject.contract is None:
        return ()

    try:
        with Source(subject, winner.id) as source:
            truth, shares = _known(subject, source, scores.cases)
    except NotShownError:
        return ()

    if not len(truth):
        return ()

    names = _classes(subject)
    binary = len(names) == 2 and not subject.contract.task.several
    drawn = [(1, names[1])] if binary else list(enumerate(names))
    return (
        Figure(curves.roc(truth, shares, drawn), f"ROC curve of {winner.id} on validation cases."),
        Figure(
            curves.reliability(truth, shares, drawn),
            "How often the class is there, by the probability that was given for it; the closer to "
            "the diagonal, the better calibrated.",
        ),
    )


def cases(subject: Subject, *, inside: bool) -> Cases:
    """Return the cases of which the truth was thought least, middling and most probable."""
    winner = subject.winner()
    scores = subject.case_scores(winner) if winner else None
    if winner is None or scores is None:
        return Cases((), "No attempt has per-case scores yet.")

    why = refusal(subject, inside=inside)
    try:
        with Source(subject, winner.id) as source:
            chosen = _chosen(subject, source, scores.cases)
            rows = tuple(
                _shown(subject, source, place, case, truth, hidden=bool(why))
                for place, case, truth in chosen
            )
    except NotShownError as problem:
        return Cases((), why or str(problem), _SAYS)

    return Cases(rows, why, _SAYS)


def _chosen(
    subject: Subject, source: Source, scored: Sequence[CaseScore]
) -> list[tuple[str, CaseScore, np.ndarray[Any, Any]]]:
    rows = []
    for case in scored:
        try:
            _, truth, answer = source.values(case)
        except NotShownError:
            continue

        rows.append((float(np.abs(truth - answer).sum()), case.case, case, truth))

    rows.sort(key=lambda row: (-row[0], row[1]))
    middle = max(WORST, len(rows) // 2 - MEDIAN // 2)
    parts = (
        *(("worst", row) for row in rows[:WORST]),
        *(("median", row) for row in rows[middle : middle + MEDIAN]),
        *(("best", row) for row in rows[max(WORST + MEDIAN, len(rows) - BEST) :]),
    )
    return [(place, row[2], row[3]) for place, row in parts]


def _shown(
    subject: Subject,
    source: Source,
    place: str,
    case: CaseScore,
    truth: np.ndarray[Any, Any],
    *,
    hidden: bool,
) -> Shown:
    names = _classes(subject)
    answer = shares_of(case, names)
    is_there = [name for name, there in zip(names, truth, strict=True) if there] or ["none"]
    told = ", ".join(f"{name} {share:.3f}" for name, share in zip(names, answer, strict=True))
    says = f"is {' and '.join(is_there)}; answered {told}"
    if hidden:
        return Shown(case.case, case.group, place, says, (), "")

    try:
        found, _, _ = source.values(case)
        plane = _picture(source.image(found), f"{case.case}, which {says}")
    except NotShownError as problem:
        return Shown(case.case, case.group, place, says, (), str(problem))

    return Shown(case.case, case.group, place, says, (plane,), "1st to 99th percentile")


def _known(
    subject: Subject, source: Source, scored: Sequence[CaseScore]
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return truth and answers of the cases that have both."""
    del subject
    found = []
    for case in scored:
        try:
            _, truth, answer = source.values(case)
        except NotShownError:
            continue

        found.append((truth, answer))

    if not found:
        return np.zeros((0, 0)), np.zeros((0, 0))

    return np.stack([truth for truth, _ in found]), np.stack([answer for _, answer in found])


def _classes(subject: Subject) -> tuple[str, ...]:
    labels = subject.contract.labels if subject.contract else {}
    return tuple(sorted(labels, key=lambda name: labels[name]))


def _picture(path: Path, alt: str) -> Plane:
    """Return an image, or the middle slice of a volume, as a small grey or colour picture."""
    import SimpleITK
    from PIL import Image

    itk: Any = SimpleITK
    try:
        image = itk.ReadImage(str(path))
    except RuntimeError as problem:
        raise NotShownError("the image cannot be read") from problem

    array = itk.GetArrayFromImage(image).astype(np.float64)
    name = "image"
    if image.GetDimension() == 3:
        name = f"axial {len(array) // 2}"
        array = array[len(array) // 2]

    low, high = np.percentile(array, (1, 99))
    shown = np.clip((array - low) / max(high - low, 1e-9), 0, 1)
    small = Image.fromarray(
        (shown * 255).astype(np.uint8)[..., :3]
        if shown.ndim == 3
        else (shown * 255).astype(np.uint8)
    )
    scale = _SIDE / max(small.size)
    size = (max(1, round(small.width * scale)), max(1, round(small.height * scale)))
    small = small.resize(size, Image.Resampling.BILINEAR)
    file = io.BytesIO()
    small.save(file, "PNG", optimize=True)
    uri = "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()
    return Plane(name, uri, small.width, small.height, alt)


__all__ = ["cases", "figures"]
