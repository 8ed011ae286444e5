"""Gives every case of the view the probability of each class, with the weights train.py left."""

import json

import numpy as np
import torch
from cases import MODEL, SEED, params, read_image, read_view, write_predictions
from model import build
from safetensors.torch import load_file
from steps import settle

TOGETHER = 32
"""Images that are looked at together."""


def main() -> None:
    """Predict every case of the view."""
    view = read_view()
    device = settle(SEED)
    shape = json.loads((MODEL / "network.json").read_text(encoding="utf-8"))
    net = build(shape["dimensions"], shape["channels"], len(view.names), shape["width"])
    net.load_state_dict(load_file(MODEL / "model.safetensors"))
    net = net.to(device).eval()
    sides = {shape["dimensions"]: shape["side"]}
    mirror = bool(params()["mirror"])
    found = []

    with torch.inference_mode():
        for start in range(0, len(view.cases), TOGETHER):
            cases = view.cases[start : start + TOGETHER]
            images = torch.from_numpy(np.stack([read_image(case, sides) for case in cases]))
            looks = [images, images.flip(-1)] if mirror else [images]
            scores = torch.stack([net(look.to(device)) for look in looks]).float()
            share = scores.sigmoid() if view.several else scores.softmax(dim=-1)
            found.append(share.mean(dim=0).cpu().numpy())

    write_predictions(view, view.cases, np.concatenate(found))
    print(f"{len(view.cases)} cases predicted")


if __name__ == "__main__":
    main()
