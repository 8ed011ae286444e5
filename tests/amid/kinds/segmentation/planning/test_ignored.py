"""What a label calls `ignore` teaches nothing: neither that there is something nor that not."""

import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import SimpleITK as sitk

from amid.kinds.segmentation.planning.catalogue import ATLAS_FUSION, INTENSITY_PRIOR, starts
from amid.planning.template import Template
from tests.amid.kinds.segmentation.planning.samples import dice, lay_out, profile, run_job
from tests.amid.kinds.segmentation.planning.test_network_parts import parts

__all__ = ["parts"]  # a fixture

FIT = [f"c-{number:04}" for number in range(1, 9)]
HELD = [f"c-{number:04}" for number in range(21, 24)]
IGNORE = 255


def views(folder: Path, ignore: int | None) -> tuple[Path, Path]:
    """Lay out views in which most training labels say nothing where the right box is."""
    lay_out(folder / "train", FIT, labels=True)
    lay_out(folder / "predict", HELD, labels=False)
    for name in FIT[:6]:
        path = folder / "train" / "labels" / f"{name}.nii.gz"
        image = sitk.ReadImage(str(path))
        label = sitk.GetArrayFromImage(image)
        label[label == 5] = IGNORE if ignore is not None else 0
        hidden = sitk.GetImageFromArray(label)
        hidden.CopyInformation(image)
        sitk.WriteImage(hidden, str(path))

    listed = folder / "train" / "cases.json"
    listed.write_text(json.dumps({**json.loads(listed.read_text()), "ignore": ignore}))
    return folder / "train", folder / "predict"


def mean_dice(folder: Path, template: Template, ignore: int | None) -> float:
    train, predict = views(folder, ignore)
    params = starts(template, profile(cases=len(FIT)))
    model = run_job(folder / "t", template, "train.py", data=train, params=params)
    out = run_job(folder / "p", template, "predict.py", data=predict, params=params, model=model)
    return float(np.mean([dice(out, name) for name in HELD]))


@pytest.mark.parametrize("template", [INTENSITY_PRIOR, ATLAS_FUSION], ids=lambda t: t.name)
def test_a_structure_that_most_labels_leave_open_is_still_learned(
    template: Template, tmp_path: Path
) -> None:
    masked = mean_dice(tmp_path / "masked", template, IGNORE)
    as_background = mean_dice(tmp_path / "background", template, None)

    assert masked > 0.7
    assert masked > as_background + 0.1


@pytest.fixture
def modules(parts: tuple[ModuleType, ModuleType]) -> Iterator[tuple[ModuleType, ModuleType]]:
    yield parts


def test_the_loss_of_a_network_does_not_see_what_is_to_be_ignored(
    modules: tuple[ModuleType, ModuleType],
) -> None:
    import torch

    network, _ = modules
    torch.manual_seed(0)
    found = torch.randn(1, 3, 4, 4, 4)
    labels = torch.randint(0, 3, (1, 4, 4, 4))
    labels[:, :2] = -1
    other = found.clone()
    other[:, :, :2] = 7 * torch.randn(1, 3, 2, 4, 4)

    assert torch.equal(network.loss(found, labels), network.loss(other, labels))
    rest = network.loss(found[:, :, 2:].contiguous(), labels[:, 2:].contiguous())
    assert float(network.loss(found, labels)) == pytest.approx(float(rest), abs=1e-6)


def test_a_network_loads_what_is_to_be_ignored_as_no_label(
    modules: tuple[ModuleType, ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    import torch

    _, patches = modules
    train, _ = views(tmp_path, IGNORE)
    volumes = sys.modules["volumes"]
    monkeypatch.setattr(volumes, "DATA", train)
    view = volumes.read_view()

    first = patches.load(view.fit[:1], view.ids, torch.device("cpu"))[0]

    assert view.ids == (0, 3, 5)
    assert sorted(set(first.label.numpy().ravel().tolist())) == [-1.0, 0.0, 1.0]
    assert all(first.label[0, 0, *place] > 0 for place in first.places)
