"""What the images of a task are like: the part of a profile that all kinds over images share."""

from amid.documents import Profile


class ImageProfile(Profile):
    """Sizes, spacing and grey values of development cases, found without training."""

    size_median: tuple[int, ...]
    """Voxels per axis, x first."""
    spacing_median: tuple[float, ...]
    """Millimetres per axis, x first."""
    anisotropy: float
    voxels_median: int
    intensity: dict[str, float]
    """p01, p50, p99, mean, sd of the development images, pooled per case."""


__all__ = ["ImageProfile"]
