"""Where a file says that it lies: by two forms that may differ, by one, or nowhere. Pure."""

from dataclasses import dataclass

from amid.data import form
from amid.data.nifti import Header
from amid.data.raw import Defect
from amid.data.space import TOLERANCE
from amid.data.texthead import metaimage, nrrd


@dataclass(frozen=True, slots=True)
class Place:
    """What a header says of the place of its voxels."""

    stated: bool = True
    """Whether it says anything; else position and orientation are made up by whoever reads."""
    forms_mm: float = 0.0
    """How far qform and sform, or sform and voxel size, put the worst corner apart."""
    forms_voxels: float = 0.0
    straightened: form.Straight | None = None
    """How a skewed matrix was read."""
    header: Header | None = None
    """Of a NIfTI file."""

    @property
    def ambiguous(self) -> bool:
        """Whether two readers may see the image at two places."""
        return self.forms_voxels > TOLERANCE


def of(content: bytes, suffix: str) -> Place:
    """Return what a file says of its place."""
    if suffix in (".mha", ".nrrd"):
        body = metaimage(content) if suffix == ".mha" else nrrd(content)
        return Place(stated=body is None or body.placed)

    header = form.header_of(content)
    if header is None:
        return Place()

    one, other = header.sform, header.qform
    if one is not None and other is None:
        other = form.with_steps(one, header.steps)

    if one is None or other is None or len(header.dims) < 3:
        stated = one is not None or other is not None
        return Place(stated=stated, header=header)

    skewed = form.skewed(header)
    gap = form.apart(one, other, header.dims)
    return Place(
        forms_mm=gap,
        forms_voxels=gap / form.smallest_step(one),
        straightened=skewed,
        header=header,
    )


def skew_defect(place: Place, path: str) -> Defect | None:
    """Return why a skewed image cannot be read as it is, or None."""
    found = place.straightened
    if found is None or found.small:
        return None

    says = (
        f"has axes {found.degrees:.3f}° from right angles (a sheared affine); the nearest right-"
        f"angled grid moves its corners by {found.mm:.2f} mm ({found.voxels:.2f} voxels)"
    )
    return Defect("skew", says, f"accept that with `amid straighten {path} -o NEW`, or resample it")


def label_defect(label: Place, image: Place) -> Defect | None:
    """Return how the places of a label and its image differ in what they say, or None."""
    if label.stated != image.stated:
        what = "says where it lies, its image does not" if label.stated else (
            "does not say where it lies, its image does"
        )  # fmt: skip
        return Defect("label-geometry", what, "write one position into both (qform and sform)")

    if label.header is None or image.header is None:
        return None

    for name in ("sform", "qform"):
        one, other = getattr(label.header, name), getattr(image.header, name)
        if one is None or other is None or len(label.header.dims) < 3:
            continue

        gap = form.apart(one, other, image.header.dims)
        voxels = gap / form.smallest_step(other)
        if voxels > TOLERANCE:
            says = (
                f"has a corner {gap:.2f} mm ({voxels:.2f} voxels) from that of its image by {name}"
            )
            return Defect("label-geometry", says, "correct its header: both forms as in its image")

    return None


__all__ = ["Place", "label_defect", "of", "skew_defect"]
