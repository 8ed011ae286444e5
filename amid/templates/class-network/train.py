"""Trains the network of this folder on the cases to fit of the view, in counted steps."""

import json

import torch
from cases import OUT, SEED, params, read_view, targets
from model import build
from pictures import Batches
from safetensors.torch import save_file
from steps import CHECKPOINTS, STEPS, Learner, asked_to_stop, checkpoints, settle
from torch import Tensor
from torch.nn import functional

SOFT = 0.05
"""Part of every target that goes to all classes: labels are not always right."""


def main() -> None:
    """Train and write the weights; end early at a checkpoint where that was asked for."""
    if STEPS < 1:
        raise SystemExit("AMID_STEPS must say how many steps to train: at least 1")

    chosen = params()
    view = read_view()
    device = settle(SEED)
    side, width = int(chosen["side"]), int(chosen["width"])
    batches = Batches(view.fit, targets(view, view.fit), side=side, seed=SEED)
    net = build(batches.dimensions, batches.channels, len(view.names), width).to(device)
    loss = loss_of(several=view.several)
    learner = Learner(net, STEPS, float(chosen["rate"]), loss, decay=float(chosen["decay"]))
    stopped = learn(learner, batches, device)

    OUT.mkdir(parents=True, exist_ok=True)
    save_file(learner.weights(), OUT / "model.safetensors", metadata={"format": "pt"})
    shape = {
        "channels": batches.channels,
        "dimensions": batches.dimensions,
        "side": side,
        "width": width,
    }
    (OUT / "network.json").write_text(json.dumps(shape) + "\n", encoding="utf-8")

    if stopped is not None:
        (OUT / "stopped.json").write_text(json.dumps({"stopped_at": stopped}) + "\n")

    print(f"{len(view.fit)} cases, {STEPS} steps planned, stopped at {stopped}")


def learn(learner: Learner, batches: Batches, device: torch.device) -> int | None:
    """Take every step; return the checkpoint at which the training was ended, if it was."""
    chosen = params()
    total, since = 0.0, 0

    for done in range(STEPS + 1):
        for number in checkpoints(done, STEPS):
            print(f"checkpoint {number} of {CHECKPOINTS}: loss {total / max(1, since):.4f}")
            total, since = 0.0, 0

            if asked_to_stop(number):
                return number

        if done < STEPS:
            images, wanted = batches.next(
                int(chosen["batch"]),
                strength=float(chosen["augment"]),
                mirror=bool(chosen["mirror"]),
            )
            total += learner.step(images.to(device), wanted.to(device))
            since += 1

    return None


class loss_of:
    """Cross-entropy of one class, or of each class by itself; called with outputs and targets."""

    def __init__(self, *, several: bool) -> None:
        self._several = several

    def __call__(self, found: Tensor, wanted: Tensor) -> Tensor:
        """Return the mean over the batch."""
        if self._several:
            soft = wanted * (1 - SOFT) + SOFT / 2
            return functional.binary_cross_entropy_with_logits(found, soft)

        return functional.cross_entropy(found, wanted, label_smoothing=SOFT)


if __name__ == "__main__":
    main()
