"""A small run folder with blobs, vault and predictions, written as the runtime lays it out."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import SimpleITK
from blake3 import blake3
from numpy.typing import NDArray

from amid.documents import Case, Fold, Geometry, ImageFile, Inventory, Split

itk: Any = SimpleITK
Array = NDArray[np.number[Any]]
LABELS = {"background": 0, "front": 1, "back": 2}


def shared_data(name: str) -> Path:
    """Return a folder of the shared data, or skip the test where it is absent."""
    root = os.environ.get("AMID_SHARED_DATA")
    top = Path(__file__).resolve().parents[2]
    for place in (Path(root) if root else top.parent / "shared/data", top / "shared/data"):
        if (place / name).is_dir():
            return place / name

    pytest.skip(f"shared data set {name!r} is not here: set AMID_SHARED_DATA")


def put(run: Path, value: object) -> str:
    """Store a JSON value (or bytes) as a blob and return its digest."""
    content = value if isinstance(value, bytes) else json.dumps(value, sort_keys=True).encode()
    digest = blake3(content).hexdigest()
    path = run / "blobs" / digest[:2] / digest[2:]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return digest


def write_image(path: Path, array: Array, like: Geometry) -> None:
    """Write an array (z, y, x) with a geometry."""
    image = itk.GetImageFromArray(array)
    image.SetSpacing(like.spacing)
    image.SetOrigin(like.origin)
    image.SetDirection(like.direction)
    path.parent.mkdir(parents=True, exist_ok=True)
    itk.WriteImage(image, str(path), useCompression=path.name.endswith(".gz"))


def geometry(size: tuple[int, ...]) -> Geometry:
    """Return an anisotropic, turned geometry."""
    return Geometry(
        size=size,
        spacing=(1.0, 0.8, 2.5),
        origin=(-10.0, 5.0, 3.25),
        direction=(1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0),
        pixel="16-bit signed integer",
    )


def case_of(alias: str, group: str, split: str, grid: Geometry, canonical: str = "") -> Case:
    """Return an inventory entry."""
    digest = blake3(alias.encode()).hexdigest()
    image = ImageFile(
        channel="image",
        raw=digest,
        decoded=digest,
        canonical=canonical or digest,
        header=digest,
        geometry=grid,
        suffix=".nii.gz",
    )
    return Case.model_validate(
        {
            "case": alias,
            "group": group,
            "split": split,
            "attributes": {},
            "images": (image,),
            "label": "present",
            "label_suffix": ".nii.gz",
            "label_commitment": None,
        }
    )


def blobs_of_two(seed: int, size: tuple[int, ...] = (12, 10, 8)) -> Array:
    """Return a label array (z, y, x) with two touching boxes at a place drawn from the seed."""
    rng = np.random.RandomState(seed)
    array = np.zeros(size[::-1], dtype=np.uint8)
    z, y, x, deep, high, wide = (int(rng.randint(1, 4)) for _ in range(6))
    array[z : z + 1 + deep, y : y + 2 + high, x : x + 2 + wide] = 1
    array[z : z + 1 + deep, y : y + 2 + high, x + 2 + wide : x + 4 + wide] = 2
    return array


@dataclass
class World:
    """A run with one job folder in which everything is ready."""

    root: Path
    inventory: Inventory
    split: Split
    truth: Mapping[str, Array]
    private: dict[str, str] = field(default_factory=dict)

    @property
    def run(self) -> Path:
        return self.root / "run"

    @property
    def job(self) -> Path:
        return self.root / "job"

    def expected(self) -> list[tuple[str, str]]:
        """Return (fold, case) of every expected prediction."""
        return [
            (fold.fold, case)
            for fold in self.split.folds
            for case in (*fold.validation, *self.split.inner, *self.split.test)
        ]

    def grid(self, case: str) -> Geometry:
        return {c.case: c for c in self.inventory.cases}[case].images[0].geometry

    def prediction(self, fold: str, case: str) -> Path:
        folder = self.job / "in/predictions" / fold / "predictions"
        return folder / f"{case}.nii.gz"

    def predict(self, make: Callable[[str, Array], Array]) -> None:
        """Write every expected prediction."""
        for fold, case in self.expected():
            array = make(case, self.truth[case])
            write_image(self.prediction(fold, case), array, self.grid(case))

    def write_job(self, **more: str) -> None:
        """Write job.json with the private part and what is given."""
        self.job.mkdir(exist_ok=True)
        told = {"schema": "job/1", "private": self.private | more}
        (self.job / "job.json").write_text(json.dumps(told))


def contract(**metric: object) -> dict[str, object]:
    """Return a contract of which only labels and metric matter here."""
    base: dict[str, object] = {
        "primary": "dice",
        "direction": "maximize",
        "average": "macro-foreground-per-case",
        "empty": "one-if-both-empty",
        "also": ["hd95", "nsd@1mm"],
    }
    task = {"id": "boxes", "kind": "segmentation"}
    return {"task": task, "labels": LABELS, "metric": base | metric}


def make_world(
    root: Path,
    truth: Mapping[str, Array],
    folds: Sequence[Fold],
    inner: Sequence[str],
    test: Sequence[str],
    **metric: object,
) -> World:
    """Lay a run out from labels; each case is its own group."""
    cases = tuple(
        case_of(name, name.replace("c-", "g-"), "test" if name in test else "train",
                geometry(truth[name].shape[::-1]))
        for name in sorted(truth)
    )  # fmt: skip
    split = Split(
        scheme="kfold",
        folds=tuple(folds),
        inner=tuple(inner),
        test=tuple(test),
        group_of={case.case: case.group for case in cases},
    )
    world = World(root, Inventory(cases=cases), split, truth)
    for case in cases:
        path = world.run / "vault/labels" / f"{case.case}.nii.gz"
        write_image(path, truth[case.case], case.images[0].geometry)

    world.private = {
        "run": str(world.run),
        "contract": put(world.run, contract(**metric)),
        "inventory": put(world.run, world.inventory.model_dump(mode="json")),
        "split": put(world.run, split.model_dump(mode="json")),
        "attempt": "a-prior-explorer-r1s1t1",
        "lane": "prior",
        "assurance": "confined",
        "look": "1",
    }
    world.write_job()
    return world


def small_world(root: Path, **metric: object) -> World:
    """Return ten development cases in two folds, one inner and one test case."""
    names = [f"c-{i:04d}" for i in range(1, 13)]
    truth = {name: blobs_of_two(i) for i, name in enumerate(names)}
    first, second = tuple(names[:5]), tuple(names[5:10])
    folds = (
        Fold(fold="f1", fit=second, validation=first),
        Fold(fold="f2", fit=first, validation=second),
    )
    return make_world(root, truth, folds, names[10:11], names[11:], **metric)


def worse(case: str, truth: Array) -> Array:
    """Return a prediction that lacks the last slice."""
    wrong = truth.copy()
    wrong[int(np.argwhere(truth)[-1][0])] = 0
    return wrong
