"""Labels each voxel by location prior times intensity likelihood."""

import numpy as np
from common import features
from volumes import (
    MODEL,
    Floats,
    params,
    read_channels,
    read_view,
    resize,
    smooth,
    write_prediction,
)


class Model:
    """What train.py learned."""

    def __init__(self) -> None:
        with np.load(MODEL / "model.npz") as kept:
            self.grid = tuple(int(side) for side in kept["grid"])
            near = np.unpackbits(kept["near"], count=int(np.prod(self.grid)))
            self.near = near.astype(bool).reshape(self.grid)
            self.prior: Floats = kept["prior"]
            self.mean: Floats = kept["mean"]
            self.precision: Floats = kept["precision"]
            self.offset: Floats = kept["offset"]

    def likely(self, channels: Floats, w_prior: float, w_like: float, finish: float) -> Floats:
        """Return the share of each label in each voxel of an image."""
        seen = features(resize(channels, self.grid))[:, self.near]
        rows, columns = np.triu_indices(len(seen))
        score = w_prior * self.prior

        for label, mean in enumerate(self.mean):
            away = seen - mean
            far = (self.precision[label] * (away[rows] * away[columns])).sum(axis=0)
            score[label] += w_like * (self.offset[label] - 0.5 * far)

        share = np.exp(score - score.max(axis=0))
        full = np.zeros((len(share), *self.grid), np.float32)
        full[0] = 1
        full[:, self.near] = share / share.sum(axis=0)

        return resize(smooth(full, finish, len(self.grid)), channels.shape[1:])


def main() -> None:
    """Predict every case of the view."""
    chosen = params()
    view = read_view()
    model = Model()

    for case in view.cases:
        likely = model.likely(
            read_channels(case),
            float(chosen["w_prior"]),
            float(chosen["w_like"]),
            float(chosen["finish"]),
        )
        write_prediction(case, likely, view.ids, one_piece=bool(chosen["one_piece"]))

    print(f"{len(view.cases)} cases predicted")


if __name__ == "__main__":
    main()
