"""From a task folder to the first facts of a run, or to one clear error and nothing left."""

import errno
import json
import time
from pathlib import Path

import pytest

from amid.demo import tiny
from amid.documents import Inventory, Split
from amid.errors import AmidError, DataProblems, GroupLeak, NoPermission, NoSpace
from amid.kinds.segmentation.profile import SegmentationProfile
from amid.run.prepare import Prepared, prepare
from amid.tasks.contract import Contract
from ledger.events.base import Fact, blobs_of
from ledger.events.data import (
    DataProfiled,
    DataSealed,
    InventoryTaken,
    SplitFrozen,
    SuspectedLink,
    TaskAgreed,
)
from ledger.events.union import dump, parse
from tests.amid.sample import ROOT, Store, edit_table, shared


@pytest.fixture
def task(tmp_path: Path) -> Path:
    return tiny.make(tmp_path / "tiny")


def prepared(task: Path, folder: Path, store: Store | None = None, seed: int = 1) -> Prepared:
    folder.mkdir()
    return prepare(task, None, folder, seed, store or Store(), cores=2, secret=bytes(32))


def first(facts: tuple[Fact, ...], kind: type[Fact]) -> Fact:
    return next(fact for fact in facts if isinstance(fact, kind))


def test_gives_the_facts_in_order_with_every_blob_stored(task: Path, tmp_path: Path) -> None:
    store = Store()

    found = prepared(task, tmp_path / "run", store)

    assert [type(fact) for fact in found.facts] == [
        TaskAgreed,
        InventoryTaken,
        DataSealed,
        DataProfiled,
        SplitFrozen,
    ]
    named = {digest for fact in found.facts for digest, _ in blobs_of(fact)}
    assert named == set(store.blobs)
    assert found.units == 1200


def test_the_facts_survive_the_ledger(task: Path, tmp_path: Path) -> None:
    for fact in prepared(task, tmp_path / "run").facts:
        assert parse(fact.type, json.dumps(dump(fact) | {"type": fact.type}).encode()) == fact


def test_the_blobs_read_back(task: Path, tmp_path: Path) -> None:
    store = Store()
    found = prepared(task, tmp_path / "run", store)
    agreed, taken, profiled, frozen = (
        first(found.facts, kind) for kind in (TaskAgreed, InventoryTaken, DataProfiled, SplitFrozen)
    )

    assert isinstance(agreed, TaskAgreed)
    assert isinstance(taken, InventoryTaken)
    assert isinstance(profiled, DataProfiled)
    assert isinstance(frozen, SplitFrozen)
    assert Contract.from_bytes(store.blobs[agreed.contract]) == found.contract
    assert Inventory.model_validate_json(store.blobs[taken.inventory]) == found.inventory
    assert SegmentationProfile.model_validate_json(store.blobs[profiled.profile]) == found.profile
    assert Split.model_validate_json(store.blobs[frozen.split]) == found.split


def test_one_seed_and_secret_give_the_same_facts(task: Path, tmp_path: Path) -> None:
    one = prepared(task, tmp_path / "one")
    edit_table(task, lambda rows: rows.reverse())
    two = prepared(task, tmp_path / "two")
    other = prepared(task, tmp_path / "other", seed=2)

    assert one.facts == two.facts
    assert one.split != other.split


def test_no_fact_and_no_blob_names_a_patient_or_a_place(task: Path, tmp_path: Path) -> None:
    store = Store()
    found = prepared(task, tmp_path / "run", store)

    said = b"\n".join([*(str(fact).encode() for fact in found.facts), *store.blobs.values()])

    assert b"p02" not in said
    assert str(tmp_path).encode() not in said


def test_a_copied_image_on_one_side_becomes_an_event(task: Path, tmp_path: Path) -> None:
    copy = (task / "images" / "p01-v1.nii.gz").read_bytes()
    (task / "images" / "p02-v1.nii.gz").write_bytes(copy)
    fit = ["p01-v1", "p01-v2", "p02-v1", "p02-v2"]
    use_file(task, [{"train": fit, "val": ["p03-v1", "p03-v2"]}])

    found = prepared(task, tmp_path / "run")

    link = found.facts[-1]
    assert isinstance(link, SuspectedLink)
    assert link.evidence == "image: identical voxels"


@pytest.mark.parametrize("other", ["p02", "p08"])
def test_a_copied_image_on_two_sides_stops_the_run_before_it_begins(
    task: Path, tmp_path: Path, other: str
) -> None:
    copy = (task / "images" / "p01-v1.nii.gz").read_bytes()
    (task / "images" / f"{other}-v1.nii.gz").write_bytes(copy)
    fold = {"train": ["p01-v1", "p01-v2"], "val": ["p02-v1", "p02-v2"]}
    use_file(task, [fold])
    side = "validation" if other == "p02" else "test"

    with pytest.raises(GroupLeak) as caught:
        prepared(task, tmp_path / "run")

    said = str(caught.value)
    assert f"case p01-v1 and case {other}-v1: training and {side}" in said
    assert "take one of each pair out" in said
    assert not (tmp_path / "run" / "vault").exists()


def test_a_given_split_is_used(task: Path, tmp_path: Path) -> None:
    use_file(task, [{"train": ["p01-v1", "p01-v2"], "val": ["p02-v1", "p02-v2"]}])

    found = prepared(task, tmp_path / "run")

    aliases = json.loads((found.vault / "aliases.json").read_bytes())["cases"]
    real = {entry["alias"]: entry["case"] for entry in aliases}
    assert found.split.scheme == "file"
    assert [real[name] for name in sorted(found.split.folds[0].fit)] in (
        ["p01-v1", "p01-v2"],
        ["p01-v2", "p01-v1"],
    )


def test_a_given_split_that_cuts_a_patient_is_refused_by_name(task: Path, tmp_path: Path) -> None:
    use_file(task, [{"train": ["p01-v1", "p02-v1", "p02-v2"], "val": ["p01-v2"]}])

    with pytest.raises(GroupLeak) as caught:
        prepared(task, tmp_path / "run")

    says = "patient p01 is in both fit and validation of f1: case p01-v1 and case p01-v2"
    assert caught.value.what == says


def use_file(task: Path, folds: object) -> None:
    (task / "splits_final.json").write_text(json.dumps(folds))
    toml = (task / "task.toml").read_text()
    (task / "task.toml").write_text(
        toml.replace('scheme = "kfold"', 'scheme = "file"\nfile = "splits_final.json"')
    )


def test_whatever_is_wrong_leaves_nothing_behind(task: Path, tmp_path: Path) -> None:
    (task / "labels" / "p08-v1.nii.gz").write_bytes(b"")

    with pytest.raises(DataProblems):
        prepared(task, tmp_path / "run")

    assert list((tmp_path / "run").iterdir()) == []


def test_two_patients_are_too_few(task: Path, tmp_path: Path) -> None:
    edit_table(task, lambda rows: rows.__delitem__(slice(4, 12)))

    with pytest.raises(AmidError, match="2 development groups are too few"):
        prepared(task, tmp_path / "run")

    assert list((tmp_path / "run").iterdir()) == []


@pytest.mark.parametrize(
    ("number", "error"), [(errno.ENOSPC, NoSpace), (errno.EACCES, NoPermission)]
)
def test_what_the_file_system_refuses_is_said(
    task: Path, tmp_path: Path, number: int, error: type[AmidError]
) -> None:
    def full(content: bytes | Path, /) -> str:
        raise OSError(number, "refused", "blobs")

    (tmp_path / "run").mkdir()

    with pytest.raises(error) as caught:
        prepare(task, None, tmp_path / "run", 1, full, cores=1)

    assert caught.value.exit_code == 3
    assert list((tmp_path / "run").iterdir()) == []


def test_a_vault_is_never_made_over_another(task: Path, tmp_path: Path) -> None:
    prepared(task, tmp_path / "run")

    with pytest.raises(AmidError, match="File exists while making the vault"):
        prepare(task, None, tmp_path / "run", 1, Store(), cores=1)

    assert (tmp_path / "run" / "vault" / "secret").exists()


def test_the_profile_sees_what_is_notable(task: Path, tmp_path: Path) -> None:
    profile = prepared(task, tmp_path / "run").profile

    assert isinstance(profile, SegmentationProfile)
    assert (profile.cases, profile.groups, profile.test) == (14, 8, 2)
    assert profile.size_median == (16, 16, 16)
    assert profile.anisotropy == 1.5
    assert profile.components_median == {"left": 1.0, "right": 1.0}
    assert profile.groups_with_several_cases == 6
    assert profile.findings == ("only 6 development groups: intervals will be wide",)


def test_260_real_volumes_keep_presumed_subjects_together(tmp_path: Path) -> None:
    data = shared("hippocampus")
    (tmp_path / "run").mkdir()
    before = time.process_time()

    found = prepare(ROOT / "examples" / "hippocampus", data, tmp_path / "run", 1, Store(), cores=2)

    assert time.process_time() - before < 12  # about 4 on a quiet core
    assert found.split.scheme == "holdout"
    assert len(found.split.test) == 45
    assert len(found.split.inner) == pytest.approx(22, abs=2)
    assert len(found.split.folds[0].validation) == pytest.approx(43, abs=2)
    assert found.profile.groups == 170
    assert any("scale" in says for says in found.profile.findings)
    sides = found.split.folds[0]
    parts = [sides.fit, sides.validation, found.split.inner, found.split.test]
    groups = [{found.split.group_of[name] for name in part} for part in parts]
    assert sum(map(len, groups)) == len(set().union(*groups)) == 170
