"""Sets a training of the network templates up on random images, to be timed.

Imports the templates' own modules, which the probe has made importable.
"""

from collections.abc import Mapping
from importlib import import_module

import numpy as np

from amid.kinds.classification.profile import ClassificationProfile
from amid.planning.kind import Rehearsal
from amid.planning.plan import Work
from amid.planning.template import Value

STEPS = 18
"""As many as are taken: the learning rate follows them."""


def rehearse(chosen: Mapping[str, Value], profile: ClassificationProfile, ahead: Work) -> Rehearsal:
    """Do what train.py does before its first step."""
    import torch

    steps, pictures, model = (import_module(name) for name in ("steps", "pictures", "model"))
    device = steps.settle(0)
    draw = np.random.default_rng(0)
    side, batch = int(chosen["side"]), int(chosen["batch"])
    classes = len(profile.class_cases)
    shape = (batch, ahead.channels, *[side] * profile.dimensions)
    net = model.build(profile.dimensions, ahead.channels, classes, int(chosen["width"])).to(device)
    wanted = torch.from_numpy(np.eye(classes, dtype=np.float32)[draw.integers(0, classes, batch)])
    loss = torch.nn.functional.cross_entropy
    learner = steps.Learner(net, STEPS, float(chosen["rate"]), loss)
    images = torch.from_numpy(draw.standard_normal(shape, np.float32))

    def step() -> object:
        varied = pictures.varied(images, draw, float(chosen["augment"]), mirror=False)
        return learner.step(varied.to(device), wanted.to(device))

    def predict() -> object:
        with torch.inference_mode():
            return net(images[:1].to(device))

    return Rehearsal(step=step, predict=predict)


__all__ = ["rehearse"]
