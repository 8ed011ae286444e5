"""Labels every case of the view with the network that train.py left."""

import json

from network import Predictor, make, multiple_of
from safetensors.torch import load_file
from steps import settle
from volumes import MODEL, SEED, params, read_channels, read_view, write_prediction


def main() -> None:
    """Predict every case of the view."""
    chosen = params()
    view = read_view()
    device = settle(SEED)
    shape = json.loads((MODEL / "network.json").read_text(encoding="utf-8"))
    patch, fold = tuple(shape["patch"]), int(shape["fold"])
    net = make(shape["channels"], len(view.ids), len(patch), width=shape["width"], fold=fold)
    net.load_state_dict(load_file(MODEL / "model.safetensors"))
    predictor = Predictor(net.to(device), patch, multiple_of(fold), int(chosen["passes"]))

    for case in view.cases:
        likely = predictor.likely(read_channels(case), tuple(shape["unseen"]))
        write_prediction(case, likely, view.ids, one_piece=bool(chosen["one_piece"]))

    print(f"{len(view.cases)} cases predicted")


if __name__ == "__main__":
    main()
