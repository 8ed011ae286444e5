"""What training and prediction share: the local features of a volume."""

import numpy as np
from volumes import Floats, smooth


def features(channels: Floats) -> Floats:
    """Return per channel: the intensity, two blurs of it, and the slope along each axis.

    The slope tells the two sides of a border apart, which intensity alone cannot.
    """
    found = []

    for channel in channels:
        fine = smooth(channel, 1.0, channel.ndim)
        found += [channel, fine, smooth(channel, 2.0, channel.ndim)]
        found += [_slope(fine, axis) for axis in range(channel.ndim)]

    return np.stack(found)


def _slope(volume: Floats, axis: int) -> Floats:
    if volume.shape[axis] < 2:
        return np.zeros_like(volume)

    return np.gradient(volume, axis=axis)
