"""Sets a training of the network templates up on random volumes, to be timed.

Imports the templates' own modules, which the probe has made importable.
"""

from collections.abc import Mapping
from importlib import import_module

import numpy as np

from amid.kinds.segmentation.profile import SegmentationProfile
from amid.planning.kind import Rehearsal
from amid.planning.plan import Work
from amid.planning.template import Value

STEPS = 18
"""As many as are taken: the learning rate follows them."""
CASES = 4
"""Random volumes that the patches are cut from."""


def rehearse(chosen: Mapping[str, Value], profile: SegmentationProfile, ahead: Work) -> Rehearsal:
    """Do what train.py does before its first step."""
    size, channels = tuple(profile.size_median), ahead.channels
    # sizes are told x first; what is timed hardly depends on the order
    labels = len({"background", *profile.foreground_fraction})
    network, patches = import_module("network"), import_module("patches")
    device = import_module("steps").settle(0)
    draw = np.random.default_rng(0)
    fold, batch = int(chosen["fold"]), int(chosen["batch"])
    multiple = network.multiple_of(fold)
    patch = patches.patch_for([size], int(chosen["patch"]), multiple)
    volumes = [draw.standard_normal((channels, *size), np.float32) for _ in range(CASES)]
    truths = [draw.integers(0, labels, size) for _ in range(CASES)]
    cases = [patches.ready(*pair, device) for pair in zip(volumes, truths, strict=True)]
    net = network.make(channels, labels, len(size), width=int(chosen["width"]), fold=fold)
    habit = patches.Habit(float(chosen["augment"]), mirror=bool(chosen["mirror"]))
    learner = network.Learner(net.to(device), STEPS, float(chosen["rate"]))
    cutter = patches.Cutter(patch, habit, device)
    predictor = network.Predictor(net, patch, multiple, int(chosen["passes"]))

    return Rehearsal(
        step=lambda: learner.step(*cutter.batch(cases[:batch], draw)),
        predict=lambda: predictor.likely(volumes[0]),
    )


__all__ = ["rehearse"]
