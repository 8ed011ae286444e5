"""Which validation cases the report shows, and the arrays behind their pictures.

Predictions come as the decoder left them (plain arrays): the page opens no file that a job wrote.
"""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blake3 import blake3

from amid.data.described import ImageProfile
from amid.data.vault import Aliases
from amid.documents import Case, CaseScore
from amid.report.subject import Subject
from amid.report.words import number
from amid.review.kind import review_part
from amid.review.measure.inputs import rules_of
from replay.history import Job
from runtime.layout import read_manifest

if TYPE_CHECKING:
    from amid.report.overlay import Plane, Volume

WORST, MEDIAN, BEST = 5, 3, 2
_ALIKE = 0.8
"""Share of its intensities that a case has in common with the profile, to be shown like others."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One case with its pictures, or why there are none."""

    case: str
    group: str
    place: str
    """`worst`, `median` or `best`."""
    score: str
    planes: tuple["Plane", ...]
    note: str


@dataclass(frozen=True, slots=True)
class Cases:
    """The section *Cases*."""

    shown: tuple[Shown, ...]
    note: str
    """Why there are no pictures; empty when there are."""


class NotShownError(Exception):
    """A picture that cannot be made, and why."""


def cases(subject: Subject, *, inside: bool) -> Cases:
    """Return the worst, median and best validation cases of the leading attempt.

    Args:
        subject: the run.
        inside: whether the page stays in the run folder; a page that leaves it shows images only
            where the contract allows that.
    """
    winner = subject.winner()
    scores = subject.case_scores(winner) if winner else None
    if winner is None or scores is None:
        return Cases((), "No attempt has per-case scores yet.")

    chosen = choose(scores.cases, subject.metric, maximize=subject.direction == "maximize")
    refusal = _refusal(subject, inside=inside)
    if refusal:
        return Cases(tuple(_shown(subject, *row, (), "") for row in chosen), refusal)

    try:
        source = _Source(subject, winner.id)
    except NotShownError as problem:
        return Cases(tuple(_shown(subject, *row, (), "") for row in chosen), str(problem))

    with source:
        return Cases(tuple(_pictured(subject, source, *row) for row in chosen), "")


def choose(
    scored: Sequence[CaseScore], metric: str, *, maximize: bool
) -> list[tuple[str, CaseScore]]:
    """Return worst five, median three and best two, none of them twice; undefined is worst."""
    sign = 1 if maximize else -1

    def goodness(case: CaseScore) -> tuple[bool, float, str]:
        value = case.values.get(metric)
        return (value is not None, sign * float(value) if value is not None else 0.0, case.case)

    order = sorted(scored, key=goodness)
    rest = order[WORST:]
    between, best = rest[: max(0, len(rest) - BEST)], rest[max(0, len(rest) - BEST) :]
    first = len(order) // 2 - MEDIAN // 2 - WORST
    first = max(0, min(first, len(between) - MEDIAN))
    return [
        *(("worst", case) for case in order[:WORST]),
        *(("median", case) for case in between[first : first + MEDIAN]),
        *(("best", case) for case in best),
    ]


def _refusal(subject: Subject, *, inside: bool) -> str:
    contract = subject.contract
    if contract is None:
        return "No pictures: the contract cannot be read."

    if not inside and not contract.sharing.images_may_be_shared:
        return (
            "No pictures: this page left the run folder, and the contract does not allow images "
            "to be shared (images_may_be_shared = false)."
        )

    if contract.task.dimensions != 3:
        return "No pictures: this version draws three-dimensional cases only."

    return ""


def _shown(
    subject: Subject, place: str, case: CaseScore, planes: "tuple[Plane, ...]", note: str
) -> Shown:
    whole = sorted((n for n in case.values if ":" not in n), key=lambda n: (n != subject.metric, n))
    values = [_by_label(case, name) for name in whole]
    return Shown(case.case, case.group, place, "; ".join(values), planes, note)


def _by_label(case: CaseScore, metric: str) -> str:
    """Return a metric's value over all labels, and in parentheses that of each label."""
    labels = [
        f"{name.partition(':')[2]} {number(value)}"
        for name, value in sorted(case.values.items())
        if name.startswith(f"{metric}:")
    ]
    told = f"{metric} {number(case.values[metric])}"
    return f"{told} ({', '.join(labels)})" if labels else told


def _pictured(subject: Subject, source: "_Source", place: str, case: CaseScore) -> Shown:
    from amid.report.overlay import planes

    try:
        image, reference, prediction, spacing = source.arrays(case)
        window, note = source.window(image)
        made = planes(image, reference, prediction, spacing, window)
    except NotShownError as problem:
        return _shown(subject, place, case, (), str(problem))

    return _shown(subject, place, case, made, note)


class _Source:
    """Opens what the pictures are made of; removes its temporary folder at the end."""

    def __init__(self, subject: Subject, attempt: str) -> None:
        inventory, contract = subject.inventory, subject.contract
        decoded = [job for job in subject.history.jobs_of(attempt, "decode") if job.finished]
        seen = [job for job in decoded if job.request.fold != "all"]
        if inventory is None or contract is None or not seen:
            raise NotShownError("No pictures: no decoded predictions are recorded.")

        try:
            table = (subject.run / "vault/aliases.json").read_bytes()
            self._aliases = {case.alias: case for case in Aliases.model_validate_json(table).cases}
            self._data = Path(Aliases.model_validate_json(table).data)
        except (OSError, ValueError) as problem:
            raise NotShownError("No pictures: the vault is not here.") from problem

        self._subject = subject
        self._asked = review_part(contract.task.kind)
        self._rules = rules_of(contract)
        self._cases = {case.case: case for case in inventory.cases}
        self._folder = tempfile.TemporaryDirectory(prefix="amid-report-")
        try:
            _lay_out(subject, seen[-1], Path(self._folder.name))
            self._decoded = self._asked.opened(Path(self._folder.name))
        except Exception:
            self._folder.cleanup()
            raise

    def __enter__(self) -> "_Source":
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def arrays(
        self, scored: CaseScore
    ) -> "tuple[Volume, Volume, Volume, tuple[float, float, float]]":
        """Return image, reference and prediction of a case on one grid, and its spacing.

        Raises:
            NotShownError: one of them is not here, or is not what it was.
        """
        from amid.review.measure.inputs import InputWrong

        case = self._cases.get(scored.case)
        if case is None:
            raise NotShownError("not in the inventory")

        try:
            reference = self._asked.reference(self._subject.run, case, self._rules)
            prediction = self._decoded.look(scored.fold, case, "validation").value
        except (InputWrong, OSError, ValueError) as problem:
            raise NotShownError("the reference or the prediction cannot be read") from problem

        if reference is None or prediction is None:
            raise NotShownError("no reference, or a prediction that is not on the image's grid")

        return _oriented(self._image(case), reference, prediction)

    def window(self, image: "Volume") -> tuple[tuple[float, float], str]:
        """Return the profile's window, or the case's own where the profile's shows little of it."""
        import numpy as np

        own = tuple(float(x) for x in np.percentile(image, (1, 99)))
        profile = self._subject.profile
        if not isinstance(profile, ImageProfile) or not {"p01", "p99"} <= profile.intensity.keys():
            return (own[0], own[1]), "window: 1st to 99th percentile of this case"

        low, high = profile.intensity["p01"], profile.intensity["p99"]
        common = min(high, own[1]) - max(low, own[0])
        if common < _ALIKE * max(high - low, own[1] - own[0]):
            return (own[0], own[1]), "window: 1st to 99th percentile of this case"

        return (low, high), f"window {low:.4g} to {high:.4g}, from the profile"

    def _image(self, case: Case) -> Any:  # noqa: ANN401 - SimpleITK has no types
        import SimpleITK

        itk: Any = SimpleITK
        first = case.images[0]
        path = self._data / self._aliases[case.case].images[first.channel]
        try:
            content = path.read_bytes()
        except OSError as problem:
            raise NotShownError("the image is not in the data folder any more") from problem

        if blake3(content).hexdigest() != first.raw:
            raise NotShownError("the image is not the one that was read when the run began")

        from amid.data import form

        meant = form.as_read(content, first.suffix)
        if meant is not content:
            path = Path(self._folder.name) / f"image{first.suffix}"
            path.write_bytes(meant)

        return itk.ReadImage(str(path))


def _lay_out(subject: Subject, job: Job, folder: Path) -> None:
    if job.finished is None:
        return

    try:
        for file in read_manifest(subject.read(job.finished.outputs)):
            target = folder / file.path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(subject.read(file.digest))
    except (KeyError, ValueError) as problem:
        raise NotShownError("No pictures: decoded predictions are missing.") from problem


def _oriented(
    image: Any,  # noqa: ANN401 - SimpleITK has no types
    reference: "Volume",
    prediction: "Volume",
) -> "tuple[Volume, Volume, Volume, tuple[float, float, float]]":
    """Return three volumes whose axes point to left, posterior and superior, and the spacing."""
    import numpy as np
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


__all__ = ["Cases", "Shown", "cases", "choose"]
