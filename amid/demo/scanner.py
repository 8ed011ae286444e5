"""Makes an image of an anatomy, as a simulated site would: intensity curve, bias field, noise."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from amid.demo.fields import generator, smooth
from amid.demo.roster import Size, Visit
from amid.demo.template import Floats


@dataclass(frozen=True, slots=True)
class Scanner:
    """How a site renders the template's T1 intensity (0 to 1)."""

    gain: float
    """Grey value of intensity 1."""
    power: float
    """Above 1: dark tissue darker, white matter set off; below 1: flatter contrast."""
    bias: float
    """Lattice standard deviation of the logarithm of the bias field."""
    noise: float
    """Standard deviation of the noise in each of two channels, with white matter at about 0.85."""


SCANNERS = (
    Scanner(gain=1000, power=1.0, bias=0.30, noise=0.035),
    Scanner(gain=420, power=0.7, bias=0.45, noise=0.045),
    Scanner(gain=2600, power=1.5, bias=0.60, noise=0.055),
)
"""One per site of `amid.demo.roster.SITES`."""
_BIAS_APART = 70.0
_GAIN_SPREAD = 0.08
_IMAGE = 1
"""Keeps the scanner's random numbers apart from those of the anatomy."""


def scan(t1: Floats, size: Size, visit: Visit, seed: int) -> NDArray[np.int16]:
    """Return the image of a visit; noise, bias field and gain are drawn anew for each."""
    scanner = SCANNERS[visit.site]
    draw = generator(seed, visit.patient, visit.number, _IMAGE)
    gain = scanner.gain * np.exp(draw.normal(0, _GAIN_SPREAD))
    field = np.exp(scanner.bias * smooth(draw, size, _BIAS_APART))
    signal = np.clip(t1, 0, None) ** scanner.power * field
    real, imaginary = draw.normal(0, scanner.noise, (2, *size.voxels))
    magnitude = np.hypot(signal + real, imaginary)
    return np.asarray(np.clip(np.rint(gain * magnitude), 0, 32767), dtype=np.int16)


__all__ = ["SCANNERS", "Scanner", "scan"]
