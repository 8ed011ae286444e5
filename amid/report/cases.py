"""Which validation cases the report shows, and where the data behind their pictures lie.

Predictions come as the decoder left them (plain data): the page opens no file that a job wrote.
"""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from blake3 import blake3

from amid.data.vault import Aliases
from amid.documents import Case, CaseScore
from amid.report.subject import Subject
from amid.report.words import number
from amid.review.kind import Value, review_part
from amid.review.measure.inputs import InputWrong, rules_of
from replay.history import Job
from runtime.layout import read_manifest

WORST, MEDIAN, BEST = 5, 3, 2


@dataclass(frozen=True, slots=True)
class Plane:
    """One picture."""

    name: str
    uri: str
    """PNG as a data URI."""
    width: int
    height: int
    alt: str
    """What is seen on it, for whoever does not see it."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One case with its pictures, or why there are none."""

    case: str
    group: str
    place: str
    """`worst`, `median` or `best`."""
    score: str
    planes: tuple[Plane, ...]
    note: str


@dataclass(frozen=True, slots=True)
class Cases:
    """The section *Cases*."""

    shown: tuple[Shown, ...]
    note: str
    """Why there are no pictures; empty when there are."""
    says: str = ""
    """Which cases these are, and how a picture is to be read."""
    key: tuple[tuple[str, str], ...] = ()
    """Class of a line in the style sheet, and what it stands for."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing with its caption."""

    svg: str
    caption: str


class NotShownError(Exception):
    """A picture that cannot be made, and why."""


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


def refusal(subject: Subject, *, inside: bool) -> str:
    """Return why a page may show no image; empty where it may."""
    contract = subject.contract
    if contract is None:
        return "No pictures: the contract cannot be read."

    if not inside and not contract.sharing.images_may_be_shared:
        return (
            "No pictures: this page left the run folder, and the contract does not allow images "
            "to be shared (images_may_be_shared = false)."
        )

    return ""


def shown(
    subject: Subject, place: str, case: CaseScore, planes: tuple[Plane, ...], note: str
) -> Shown:
    """Return a case with its scores in words."""
    whole = sorted((n for n in case.values if ":" not in n), key=lambda n: (n != subject.metric, n))
    values = [by_label(case, name) for name in whole]
    return Shown(case.case, case.group, place, "; ".join(values), planes, note)


def by_label(case: CaseScore, metric: str) -> str:
    """Return a metric's value over all labels, and in parentheses that of each label."""
    labels = [
        f"{name.partition(':')[2]} {number(value)}"
        for name, value in sorted(case.values.items())
        if name.startswith(f"{metric}:")
    ]
    told = f"{metric} {number(case.values[metric])}"
    return f"{told} ({', '.join(labels)})" if labels else told


class Source:
    """Opens what pictures are made of; removes its temporary folder at the end."""

    def __init__(self, subject: Subject, attempt: str) -> None:
        """Lay out what the decoder left of an attempt's predictions.

        Raises:
            NotShownError: it is not recorded, or the vault is not here.
        """
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

    def __enter__(self) -> "Source":
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def values(self, scored: CaseScore) -> tuple[Case, Value, Value]:
        """Return a case with its reference and its prediction.

        Raises:
            NotShownError: one of them is not here, or cannot be compared.
        """
        case = self._cases.get(scored.case)
        if case is None:
            raise NotShownError("not in the inventory")

        try:
            reference = self._asked.reference(self._subject.run, case, self._rules)
            prediction = self._decoded.look(scored.fold, case, "validation").value
        except (InputWrong, OSError, ValueError) as problem:
            raise NotShownError("the reference or the prediction cannot be read") from problem

        if reference is None or prediction is None:
            raise NotShownError("no reference, or a prediction that cannot be compared")

        return case, reference, prediction

    def image(self, case: Case) -> Path:
        """Return the file of a case's first image, which is what it was when the run began.

        Raises:
            NotShownError: it is not there, or another.
        """
        first = case.images[0]
        path = self._data / self._aliases[case.case].images[first.channel]
        try:
            content = path.read_bytes()
        except OSError as problem:
            raise NotShownError("the image is not in the data folder any more") from problem

        if blake3(content).hexdigest() != first.raw:
            raise NotShownError("the image is not the one that was read when the run began")

        from amid.data import form  # loads NumPy, which a page without pictures does not need

        meant = form.as_read(content, first.suffix)
        if meant is not content:
            path = Path(self._folder.name) / f"image{first.suffix}"
            path.write_bytes(meant)

        return path


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


__all__ = [
    "Cases",
    "Figure",
    "NotShownError",
    "Plane",
    "Shown",
    "Source",
    "by_label",
    "choose",
    "refusal",
    "shown",
]
