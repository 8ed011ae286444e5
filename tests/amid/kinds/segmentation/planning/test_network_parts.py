"""Laws of the parts that networks share: folding, checkpoints, patches, windows, loss."""

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amid.kinds.segmentation.planning.catalogue import SMALL_UNET

MODEL = """
from torch import nn
MULTIPLE = 4
def build(dimensions, channels, outputs, width):
    return nn.Conv3d(channels, outputs, 1) if dimensions == 3 else nn.Conv2d(channels, outputs, 1)
"""
"""A network that needs no library of networks."""
NAMES = ("network", "patches", "model", "volumes", "steps")


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ModuleType, ModuleType]]:
    """Return the modules `network` and `patches` of the templates, with a model of one layer."""
    pytest.importorskip("torch")
    folder = tmp_path_factory.mktemp("model")
    (folder / "model.py").write_text(MODEL)
    paths = [str(folder), *(str(path) for path in SMALL_UNET.folders()[:-1])]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [*paths, *sys.path])
        patch.setenv("AMID_DATA", ".")
        patch.setenv("AMID_OUT", "out")
        yield import_module("network"), import_module("patches")

    for name in NAMES:
        sys.modules.pop(name, None)


@pytest.fixture(scope="module")
def network(parts: tuple[ModuleType, ModuleType]) -> ModuleType:
    return parts[0]


@pytest.fixture(scope="module")
def patches(parts: tuple[ModuleType, ModuleType]) -> ModuleType:
    return parts[1]


@pytest.mark.parametrize("shape", [(2, 3, 4, 6, 8), (1, 2, 6, 4)])
def test_unfolding_undoes_folding(network: ModuleType, shape: tuple[int, ...]) -> None:
    import torch

    whole = torch.arange(float(np.prod(shape))).reshape(shape)
    folded = network._fold(whole, 2)

    assert folded.shape[1] == shape[1] * 2 ** (len(shape) - 2)
    assert torch.equal(network._unfold(folded, 2), whole)


@given(steps=st.integers(1, 5000))
def test_every_checkpoint_comes_once_and_the_last_at_the_end(
    network: ModuleType, steps: int
) -> None:
    places = {
        number: done for done in range(steps + 1) for number in checkpoints(network, done, steps)
    }

    assert list(places) == list(range(1, 11))
    assert places[10] == steps
    assert all(places[number] == round(number * steps / 10) for number in places)


def checkpoints(network: ModuleType, done: int, steps: int) -> list[int]:
    # most steps hold none: looked at only near the tenths
    near = min(abs(done - number * steps / 10) for number in range(11)) <= 1

    return list(import_module("steps").checkpoints(done, steps)) if near else []


def test_the_rate_rises_then_falls_and_depends_on_the_planned_steps_alone(
    network: ModuleType,
) -> None:
    rates = [import_module("steps").pace(done, 200) for done in range(200)]

    assert max(rates) == rates[9] == 1
    assert rates[:10] == sorted(rates[:10])
    assert rates[9:] == sorted(rates[9:], reverse=True)
    assert 0 < rates[-1] < 0.01


def test_the_loss_of_a_sure_and_right_answer_is_small(network: ModuleType) -> None:
    import torch

    labels = torch.tensor([[[0, 1], [2, 1]]])
    right = 20 * torch.nn.functional.one_hot(labels, 3).movedim(-1, 1).float()

    assert float(network.loss(right, labels)) < 0.01
    assert float(network.loss(-right, labels)) > 1


def test_a_patch_holds_the_median_case_in_whole_cells(patches: ModuleType) -> None:
    sizes = [(35, 51, 35), (33, 47, 36), (36, 60, 40)]

    assert patches.patch_for(sizes, 96, 8) == (40, 56, 40)
    assert patches.patch_for(sizes, 48, 8) == (40, 48, 40)
    assert patches.patch_for([(300, 300)], 96, 8) == (96, 96)


def test_without_variation_a_patch_is_the_case_with_its_edges_repeated(
    patches: ModuleType,
) -> None:
    import torch

    draw = np.random.default_rng(0)
    image = draw.standard_normal((2, 5, 6, 7)).astype(np.float32)
    label = draw.integers(0, 3, (5, 6, 7))
    device = torch.device("cpu")
    case = patches.ready(image, label, device)
    cutter = patches.Cutter((7, 8, 9), patches.Habit(0.0, mirror=False), device)

    images, labels = cutter.batch([case], draw)

    assert images.shape == (1, 2, 7, 8, 9)
    wide = [(1, 1)] * 3
    assert np.allclose(images[0], np.pad(image, [(0, 0), *wide], mode="edge"), atol=1e-4)
    assert np.array_equal(labels[0], np.pad(label, wide, mode="edge"))


def test_small_patches_are_cut_mostly_around_the_foreground(patches: ModuleType) -> None:
    import torch

    device = torch.device("cpu")
    label = np.zeros((64, 64), np.int64)
    label[5:8, 50:54] = 1
    case = patches.ready(np.zeros((1, 64, 64), np.float32), label, device)
    cutter = patches.Cutter((16, 16), patches.Habit(1.0, mirror=True), device)
    draw = np.random.default_rng(0)

    found = [cutter.batch([case], draw)[1].max().item() for _ in range(60)]

    assert 30 < sum(found) < 60


def test_the_same_seed_cuts_the_same_patches(patches: ModuleType) -> None:
    import torch

    device = torch.device("cpu")
    image = np.random.default_rng(1).standard_normal((1, 9, 9, 9)).astype(np.float32)
    case = patches.ready(image, (image[0] > 1).astype(np.int64), device)
    cutter = patches.Cutter((8, 8, 8), patches.Habit(1.0, mirror=False), device)

    one, two = (cutter.batch([case] * 2, np.random.default_rng(5)) for _ in range(2))

    assert all(torch.equal(*pair) for pair in zip(one, two, strict=True))


def test_every_case_comes_once_before_any_comes_again(patches: ModuleType) -> None:
    order = patches.Order(5, np.random.default_rng(0))

    for _ in range(3):
        assert sorted(order.next() for _ in range(5)) == [0, 1, 2, 3, 4]


@given(size=st.integers(1, 200), window=st.integers(1, 64))
def test_windows_cover_an_axis_and_stay_inside(network: ModuleType, size: int, window: int) -> None:
    window = min(size, window)
    starts = network._starts(size, window)

    covered = {place for start in starts for place in range(start, start + window)}
    assert covered == set(range(size))


def test_windows_and_the_whole_agree_where_a_voxel_sees_only_itself(
    network: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    net = network.make(1, 3, 3, width=4, fold=1)
    image = np.random.default_rng(0).standard_normal((1, 13, 21, 17)).astype(np.float32)
    predictor = network.Predictor(net, (8, 8, 8), 4, 2)

    whole = predictor.likely(image)
    monkeypatch.setattr(network, "WHOLE", 100)
    tiled = predictor.likely(image)

    assert whole.shape == (3, 13, 21, 17)
    assert np.allclose(whole, tiled, atol=1e-5)
    assert np.allclose(whole.sum(axis=0), 1, atol=1e-5)


def test_a_label_that_training_never_showed_gets_no_share(network: ModuleType) -> None:
    net = network.make(1, 3, 2, width=4, fold=2)
    image = np.zeros((1, 16, 16), np.float32)

    share = network.Predictor(net, (16, 16), 8, 1).likely(image, unseen=(2,))

    assert share[2].max() == 0


def test_cases_that_memory_cannot_hold_are_refused_with_the_limit(
    patches: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import torch

    from tests.amid.kinds.segmentation.planning.samples import lay_out

    lay_out(tmp_path, ["c-0001", "c-0002"], labels=True)
    volumes = import_module("volumes")
    monkeypatch.setattr(volumes, "DATA", tmp_path)
    monkeypatch.setattr(patches, "MOST_BYTES", 50_000)
    view = volumes.read_view()

    with pytest.raises(SystemExit, match="2 of 2 cases take 0 MiB"):
        patches.load(view.cases, view.ids, torch.device("cpu"))
