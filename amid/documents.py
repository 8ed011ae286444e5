"""The JSON documents that parts of the domain hand to each other, as frozen models.

Each is stored as a blob in canonical JSON. They may hold floats (they are not event bodies), but
scores are `Real` strings as in events. Case and group ids are aliases; real ids stay in the vault.
"""

from typing import Literal

from pydantic import Field

from ledger.events.base import Digest, Part, Real
from ledger.events.codes import ReasonCode
from ledger.events.data import Score
from ledger.events.review import Evidence, Outcome


class Geometry(Part):
    """Grid of an image in physical space (LPS, mm), as ITK gives it."""

    size: tuple[int, ...]
    """Voxels per axis, x first."""
    spacing: tuple[float, ...]
    origin: tuple[float, ...]
    direction: tuple[float, ...]
    """Row-major cosines."""
    components: int = 1
    pixel: str
    """ITK pixel name such as `16-bit signed integer`."""


class ImageFile(Part):
    """One image channel of a case, read once."""

    channel: str
    raw: Digest
    """Of the file's bytes."""
    decoded: Digest
    """Of the voxel bytes in file order with shape and type."""
    canonical: Digest
    """Of the voxels in closest-canonical axes, minimum removed: survives dtype, offset, flips."""
    header: Digest
    """Fingerprint of origin, size, spacing and direction."""
    geometry: Geometry
    suffix: str
    """`.nii.gz`, `.mha`, ...: how the view names the copy."""


class Case(Part):
    """One case under its alias."""

    case: str
    """`c-0001`."""
    group: str
    """`g-0001`."""
    split: Literal["train", "test"]
    attributes: dict[str, str]
    """Columns named by `stratify`, `report_by` and `by`."""
    images: tuple[ImageFile, ...]
    label: Literal["present", "missing"]
    label_suffix: str
    label_commitment: Digest | None
    """BLAKE3 of the label file keyed with the item's salt."""


class Inventory(Part):
    """Every case of the task, sorted by alias."""

    cases: tuple[Case, ...]


class Fold(Part):
    """One division of the development cases (aliases, sorted)."""

    fold: str
    """`f1` ... ; a holdout has the one fold `f1`."""
    fit: tuple[str, ...]
    validation: tuple[str, ...]


class Split(Part):
    """Who stands where. `inner` lies outside every fold's fit and validation."""

    scheme: str
    folds: tuple[Fold, ...]
    inner: tuple[str, ...]
    test: tuple[str, ...]
    group_of: dict[str, str]
    """Alias of case to alias of group."""


class Profile(Part):
    """What the data are, found without training; each kind of task adds what it needs to know."""

    cases: int
    groups: int
    test: int
    dimensions: int
    modality: tuple[str, ...]
    groups_with_several_cases: int
    findings: tuple[str, ...]
    """Sentences for people: what is notable or defective."""


class ViewCase(Part):
    """One case in a data view (`cases.json` of a view)."""

    case: str
    images: dict[str, str]
    """Channel to path relative to the view folder."""
    label: str | None
    """Path relative to the view folder; None where the job must not see it."""


class View(Part):
    """`cases.json` in the root of a view folder: all a job may know of the data."""

    view: str
    labels: dict[str, int]
    cases: tuple[ViewCase, ...]
    ignore: int | None = None
    """What labels hold where nobody says what is right: not to be learned."""
    several: bool = False
    """Whether a case may have several of the labels: classes that do not exclude each other."""
    tune: tuple[str, ...] = ()
    """Cases to tune on and not to fit: the inner set, whose scores would otherwise flatter."""


class CaseScore(Part):
    """Metrics of one case."""

    case: str
    group: str
    fold: str
    values: dict[str, Real | None]
    """Metric name, or `metric:label`, to value; None when undefined."""


class CaseScores(Part):
    """Per-case scores of one set of predictions."""

    of: str
    """Attempt id or null name."""
    part: Literal["validation", "inner", "test"]
    cases: tuple[CaseScore, ...]


class Finding(Part):
    """What one check saw. `review.check_found` carries the same fields for one attempt."""

    check: str
    outcome: Outcome
    code: ReasonCode
    says: str
    evidence: tuple[Evidence, ...] = Field(default=())


class Measured(Part):
    """`measured.json` of a review job."""

    scores: tuple[Score, ...]
    inner: Score | None
    nulls_beaten: bool
    standard_error: Real | None
