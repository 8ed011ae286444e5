"""Trains the network of this folder on the cases to fit of the view, in counted steps."""

import json
import re
from collections.abc import Sequence

import numpy as np
from network import Learner, make, multiple_of
from patches import Cutter, Habit, Loaded, Order, load, patch_for
from safetensors.torch import save_file
from steps import CHECKPOINTS, STEPS, asked_to_stop, checkpoints, settle
from volumes import DATA, OUT, SEED, params, read_view

SIDED = re.compile(r"(^|[^a-z])(left|right|l|r|lh|rh)([^a-z]|$)", re.IGNORECASE)
"""A label so named is another one in the mirror."""


def main() -> None:
    """Train and write the weights; end early at a checkpoint where that was asked for."""
    if STEPS < 1:
        raise SystemExit("AMID_STEPS must say how many steps to train: at least 1")

    chosen = params()
    view = read_view()
    device = settle(SEED)
    cases = load(view.fit, view.ids, device)
    width, fold = int(chosen["width"]), int(chosen["fold"])
    channels, dimensions = cases[0].image.shape[1], len(cases[0].size)
    patch = patch_for([case.size for case in cases], int(chosen["patch"]), multiple_of(fold))
    habit = Habit(float(chosen["augment"]), mirror=bool(chosen["mirror"]) and not sided())
    net = make(channels, len(view.ids), dimensions, width=width, fold=fold).to(device)
    learner = Learner(net, STEPS, float(chosen["rate"]))
    stopped = learn(learner, cases, Cutter(patch, habit, device), int(chosen["batch"]))

    OUT.mkdir(parents=True, exist_ok=True)
    save_file(learner.weights(), OUT / "model.safetensors", metadata={"format": "pt"})
    shape = {
        "channels": channels,
        "patch": patch,
        "width": width,
        "fold": fold,
        "unseen": unseen(cases, len(view.ids)),
    }
    (OUT / "network.json").write_text(json.dumps(shape) + "\n", encoding="utf-8")

    if stopped is not None:
        (OUT / "stopped.json").write_text(json.dumps({"stopped_at": stopped}) + "\n")

    print(f"{len(cases)} cases, patch {patch}, {STEPS} steps planned, stopped at {stopped}")


def learn(learner: Learner, cases: Sequence[Loaded], cutter: Cutter, batch: int) -> int | None:
    """Take every step; return the checkpoint at which the training was ended, if it was."""
    draw = np.random.default_rng(SEED)
    order = Order(len(cases), draw)
    total, since = 0.0, 0

    for done in range(STEPS + 1):
        for number in checkpoints(done, STEPS):
            print(f"checkpoint {number} of {CHECKPOINTS}: loss {total / max(1, since):.4f}")
            total, since = 0.0, 0

            if asked_to_stop(number):
                return number

        if done < STEPS:
            total += learner.step(*cutter.batch([cases[order.next()] for _ in range(batch)], draw))
            since += 1

    return None


def unseen(cases: Sequence[Loaded], labels: int) -> list[int]:
    """Return the labels that no case shows, which are never to be predicted."""
    seen = {int(label) for case in cases for label in np.unique(case.label.cpu().numpy())}

    return [label for label in range(1, labels) if label not in seen]


def sided() -> bool:
    """Say whether a label's name tells left from right."""
    view = json.loads((DATA / "cases.json").read_text(encoding="utf-8"))

    return any(SIDED.search(name) for name in view["labels"])


if __name__ == "__main__":
    main()
