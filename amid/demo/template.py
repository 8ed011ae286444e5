"""Reads the brain template that nilearn carries, and prepares it for a coarser grid."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amid.demo.roster import Size
from amid.errors import PackageMissing

Floats = NDArray[np.float32]

CENTRE = (98.0, 117.0, 91.0)
"""Voxel of the template in the middle of every image: the cerebrum rather than the brain stem."""
_BLUR = 0.45
"""Standard deviation of the blur in voxels of the coarser grid: about one voxel wide at half."""


@dataclass(frozen=True, slots=True)
class Template:
    """T1 intensity (0 to 1) and shares of grey and white matter on a grid of 1 mm, blurred."""

    t1: Floats
    grey: Floats
    white: Floats
    origin: tuple[float, float, float]
    """Position of the first voxel in millimetres, to right, front and top of the brain's origin."""


def load(size: Size) -> Template:
    """Read the three maps; blur them so that a coarser grid loses nothing by aliasing.

    Raises:
        PackageMissing: nilearn is not installed.
    """
    try:
        from nilearn.datasets import (
            load_mni152_gm_template,
            load_mni152_template,
            load_mni152_wm_template,
        )
    except ModuleNotFoundError as error:
        raise PackageMissing(
            f"the package {error.name} is not installed",
            where="this Python environment",
            why="it carries the brain template that the demo's patients are made from",
            do="pip install -c constraints.txt '.[demo]', or use `amid demo --tiny`",
        ) from error

    t1 = load_mni152_template(resolution=1)
    affine = np.asarray(t1.affine)
    grey, white = load_mni152_gm_template(resolution=1), load_mni152_wm_template(resolution=1)
    return Template(
        t1=_blurred(t1, size.spacing),
        grey=_blurred(grey, size.spacing),
        white=_blurred(white, size.spacing),
        origin=(float(affine[0, 3]), float(affine[1, 3]), float(affine[2, 3])),
    )


def _blurred(image: Any, spacing: float) -> Floats:  # noqa: ANN401 - nibabel has no types
    from scipy import ndimage

    values = np.asarray(image.dataobj, dtype=np.float32)
    return np.asarray(ndimage.gaussian_filter(values, _BLUR * spacing, truncate=3.0))


__all__ = ["CENTRE", "Floats", "Template", "load"]
