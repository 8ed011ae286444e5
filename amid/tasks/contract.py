"""The task contract: every field of `task.toml` with its default filled in, and nothing else.

Reading it from a file, saying what is wrong with one, and comparing its sections are the work of
`amid.tasks.reading`. This module knows values, not files.
"""

import re
from typing import Annotated, Literal, Self

from pydantic import Field, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError

from amid.tasks import canonical, kinds
from amid.tasks.kinds import Direction
from ledger.events.base import Part

IGNORE = "ignore"
"""Name of the label that says nothing of a voxel: it is neither learned nor scored there."""
KINDS = (
    "segmentation",
    "instance-segmentation",
    "detection",
    "point-detection",
    "classification",
    "regression",
    "enhancement",
    "graph-classification",
)
"""Kinds that a contract may name besides those that are here: they are read, and not yet run."""
Scheme = Literal["auto", "holdout", "kfold", "leave-one-out", "column", "file"]
Column = Annotated[str, Field(pattern=r"^[^\s,;\"']+$")]
"""Name of a column of the case table."""
Channel = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9-]*$")]
"""Name of an image column; it becomes part of a file name."""
Positive = Annotated[int, Field(ge=1)]

_DURATION = re.compile(r"(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?")
_SECONDS = (86_400, 3_600, 60, 1)
_LONGEST = 3650 * 86_400


class Task(Part):
    """What kind of problem it is."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,62}$")
    kind: str
    dimensions: Literal[2, 3] = 3
    modality: tuple[str, ...] = ()
    several: bool = False
    """Classification only: whether a case may have several classes, or none of them."""

    @field_validator("kind")
    @classmethod
    def _named(cls, value: str) -> str:
        if value in KINDS or kinds.is_here(value):
            return value

        *others, last = dict.fromkeys((*KINDS, *kinds.places()))
        listed = ", ".join(f"'{name}'" for name in others)
        context = {"expected": f"{listed} or '{last}'"}
        raise PydanticCustomError("literal_error", "not a kind of task", context)


class Data(Part):
    """Where the cases are and what a model may read of them."""

    cases: str = "cases.csv"
    images: tuple[Channel, ...] = Field(default=("image",), min_length=1)
    label: Column = "label"
    inputs: tuple[Channel, ...] = Field(default=(), validate_default=True)
    """Channels a model may read; all of `images` where it is not given."""
    group: Column = "patient"
    """Column whose values never stand on two sides of a split."""
    distinct: tuple[Column, ...] = ()
    """Columns in which names that look alike, such as `P1` and `p01`, are meant as two."""

    @field_validator("cases")
    @classmethod
    def _inside(cls, value: str) -> str:
        return _relative(value)

    @field_validator("images")
    @classmethod
    def _once(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(value)) < len(value):
            raise ValueError("each channel is named once")

        return value

    @field_validator("inputs")
    @classmethod
    def _known(cls, value: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        images: tuple[str, ...] = info.data.get("images", value)
        for channel in value:
            if channel not in images:
                raise ValueError(f'"{channel}" is not among images; allowed: {_listed(images)}')

        return value or images


class Metric(Part):
    """How an answer is scored. The direction is part of the metric and repeated to be checked."""

    primary: str
    direction: Direction
    average: str = "macro-foreground-per-case"
    """How values of labels and cases become one number; each kind has its names."""
    empty: str = "one-if-both-empty"
    """What counts where there is nothing to measure; each kind has its names."""
    also: tuple[str, ...] = ()

    @field_validator("also")
    @classmethod
    def _once(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(value)) < len(value):
            raise ValueError("each metric is named once")

        return value


class Validation(Part):
    """How development cases are divided, and how often validation may be looked at."""

    scheme: Scheme = "auto"
    folds: int = Field(default=5, ge=2, le=20)
    fraction: float = Field(default=0.2, ge=0.05, le=0.5)
    """Of the development cases, for a holdout."""
    inner: float = Field(default=0.1, ge=0, le=0.5)
    """Of the development cases, for tuning; 0 means none."""
    looks: int = Field(default=12, ge=1, le=10_000)
    by: Column | None = None
    file: str | None = None
    stratify: tuple[Column, ...] = ()
    report_by: tuple[Column, ...] = ()

    @field_validator("file")
    @classmethod
    def _inside(cls, value: str | None) -> str | None:
        return None if value is None else _relative(value)

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if self.scheme == "file" and self.file is None:
            raise ValueError('scheme = "file" needs file = "splits_final.json"')

        if self.scheme != "file" and self.file is not None:
            raise ValueError(f'file is only read with scheme = "file", not "{self.scheme}"')

        if self.scheme == "column" and self.by is None:
            raise ValueError('scheme = "column" needs by = "COLUMN"')

        if self.by is not None and self.scheme not in ("column", "leave-one-out"):
            raise ValueError(
                f'by is only read with scheme = "leave-one-out" or "column", not "{self.scheme}"'
            )

        return self


class Rules(Part):
    """What an attempt may use."""

    pretrained: Literal["none", "registered", "any"] = "registered"
    external_data: bool = False
    transduction: bool = False
    refit: bool = False
    evaluations: Positive = 200


class Columns(Part):
    """Column names of the submission's index."""

    case: Column = "case"
    path: Column = "path"

    @model_validator(mode="after")
    def _two(self) -> Self:
        if self.case == self.path:
            raise ValueError(f'case and path are both "{self.case}"; each column has its own name')

        return self


class Submission(Part):
    """What the package hands in."""

    index: str = "submission.csv"
    columns: Columns = Columns()
    path: str = "predictions/{case}.nii.gz"
    geometry: Literal["as-image"] = "as-image"

    @field_validator("index", "path")
    @classmethod
    def _inside(cls, value: str) -> str:
        return _relative(value)

    @field_validator("path")
    @classmethod
    def _one_place(cls, value: str) -> str:
        if value.count("{case}") != 1 or re.search(r"[{}]", value.replace("{case}", "")):
            raise ValueError("the path holds {case} exactly once and no other brace")

        return value

    @model_validator(mode="after")
    def _apart(self) -> Self:
        folder = self.path.partition("{case}")[0].rpartition("/")[0]
        if f"{folder}/".startswith(f"{self.index}/"):
            raise ValueError(f'index = "{self.index}" is also the folder of the predictions')

        return self


class Budget(Part):
    """What may be spent; the first that is used up ends the stage."""

    wall: str = "10m"
    attempts: Positive | None = None
    cpu_hours: float | None = Field(default=None, gt=0)
    gpu_hours: float | None = Field(default=None, gt=0)
    tokens: Positive | None = None
    usd: float | None = Field(default=None, gt=0)

    @field_validator("wall")
    @classmethod
    def _readable(cls, value: str) -> str:
        seconds(value)
        return value

    @property
    def wall_seconds(self) -> int:
        """Return the wall time in whole seconds."""
        return seconds(self.wall)


class Sharing(Part):
    """What may leave the machine."""

    agent_sees: Literal["profile", "phantom", "train"] = "phantom"
    images_may_be_shared: bool = False


class Contract(Part):
    """The whole of `task.toml`."""

    task: Task
    data: Data = Data()
    labels: dict[
        Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9 _-]*$")],
        Annotated[int, Field(ge=0, le=255)],
    ] = Field(default_factory=dict)
    metric: Metric
    validation: Validation = Validation()
    rules: Rules = Rules()
    submission: Submission = Submission()
    budget: Budget = Budget()
    sharing: Sharing = Sharing()

    @field_validator("labels")
    @classmethod
    def _distinct(cls, value: dict[str, int]) -> dict[str, int]:
        for name, number in value.items():
            twin = next(other for other, n in value.items() if n == number)
            if twin != name:
                raise ValueError(f"{twin} and {name} are both {number}; each label has its own")

        return value

    @property
    def predicted(self) -> dict[str, int]:
        """Return the labels that a prediction may hold: all but the one to be ignored."""
        return {name: number for name, number in self.labels.items() if name != IGNORE}

    @property
    def ignore(self) -> int | None:
        """Return the number of voxels that nobody labelled, where the contract names one."""
        return self.labels.get(IGNORE)

    @property
    def foreground(self) -> dict[str, int]:
        """Return the predicted labels without background, by number."""
        ordered = sorted(self.predicted.items(), key=lambda item: item[1])
        return {name: number for name, number in ordered if number != 0}

    def to_bytes(self) -> bytes:
        """Return canonical JSON: the bytes of the contract's blob."""
        return canonical.to_bytes(self)

    @classmethod
    def from_bytes(cls, content: bytes) -> "Contract":
        """Read the contract's blob back."""
        return cls.model_validate_json(content)


def seconds(text: str) -> int:
    """Return the seconds of a duration such as `45s`, `10m`, `1h30m` or `2d`.

    Raises:
        ValueError: the text is not such a duration, or is zero.
    """
    found = _DURATION.fullmatch(text)
    total = 0
    if found is not None:
        total = sum(int(n or 0) * unit for n, unit in zip(found.groups(), _SECONDS, strict=True))

    if total <= 0:
        raise ValueError("a duration is written like 45s, 10m, 1h30m or 2d")

    if total > _LONGEST:
        raise ValueError("more than 3650d cannot be planned")

    return total


def _relative(value: str) -> str:
    inside = not any(part in ("", ".", "..") for part in value.split("/"))
    if not inside or "\\" in value or not value.isprintable():
        raise ValueError("a relative path with forward slashes that stays inside is needed")

    return value


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(f'"{name}"' for name in names)


__all__ = [
    "IGNORE",
    "KINDS",
    "Budget",
    "Columns",
    "Contract",
    "Data",
    "Metric",
    "Rules",
    "Scheme",
    "Sharing",
    "Submission",
    "Task",
    "Validation",
    "seconds",
]
