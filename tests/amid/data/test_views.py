"""Data views: a job finds what it may read, and nothing that leads further."""

import gzip
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from amid.data.views import lay_out, selection
from amid.demo import tiny
from amid.documents import View
from amid.errors import DataChanged, VaultExposed
from amid.run.prepare import Prepared, prepare
from tests.amid.sample import Store, edit_table


@dataclass
class Run:
    """A prepared run in a folder."""

    task: Path
    folder: Path
    prepared: Prepared

    def view(self, name: str, into: str = "view") -> Path:
        path = self.folder / "views" / into
        lay_out(
            vault=self.prepared.vault,
            inventory=self.prepared.inventory,
            split=self.prepared.split,
            contract=self.prepared.contract,
            view=name,
            into=path,
        )
        return path

    def of(self, alias: str) -> str:
        """Return the real id of an alias."""
        text = (self.prepared.vault / "aliases.json").read_text()
        return text.split(f'"alias":"{alias}","case":"')[1].split('"')[0]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    task = tiny.make(tmp_path / "tiny")
    folder = tmp_path / "run"
    folder.mkdir()
    return Run(task, folder, prepare(task, None, folder, 1, Store(), cores=1, secret=bytes(32)))


def document(view: Path) -> View:
    return View.model_validate_json((view / "cases.json").read_bytes())


def test_a_training_view_shows_fit_and_inner_with_labels(run: Run) -> None:
    split = run.prepared.split

    shown = document(run.view("train/f1"))

    assert [c.case for c in shown.cases] == sorted({*split.folds[0].fit, *split.inner})
    assert all(c.label == f"labels/{c.case}.nii.gz" for c in shown.cases)
    assert shown.labels == {"background": 0, "left": 1, "right": 2}


def test_a_prediction_view_shows_validation_inner_and_test_without_labels(run: Run) -> None:
    split = run.prepared.split

    view = run.view("predict/f2")

    expected = sorted({*split.folds[1].validation, *split.inner, *split.test})
    assert [c.case for c in document(view).cases] == expected
    assert all(c.label is None for c in document(view).cases)
    assert not (view / "labels").exists()


def test_the_last_view_shows_the_test_set_only(run: Run) -> None:
    shown = document(run.view("predict/all"))

    assert tuple(c.case for c in shown.cases) == run.prepared.split.test


def test_no_training_view_shows_what_it_will_be_judged_on(run: Run) -> None:
    split = run.prepared.split

    for fold in split.folds:
        shown, labels = selection(split, f"train/{fold.fold}")
        assert labels
        assert not set(shown) & {*fold.validation, *split.test}


@pytest.mark.parametrize("name", ["train/f9", "train/all", "inner", "predict", "../vault", ""])
def test_there_are_no_other_views(run: Run, name: str) -> None:
    with pytest.raises(ValueError, match="no view"):
        run.view(name)


def test_files_are_unlinked_read_only_copies_of_the_right_case(run: Run) -> None:
    view = run.view("train/f1")

    for shown in document(view).cases:
        real = run.of(shown.case)
        for path, folder in ((shown.images["image"], "images"), (shown.label, "labels")):
            assert path is not None
            copy, source = view / path, run.task / folder / f"{real}.nii.gz"
            status = copy.lstat()
            assert gzip.decompress(copy.read_bytes()) == gzip.decompress(source.read_bytes())
            assert not copy.is_symlink()
            assert status.st_nlink == 1
            assert status.st_ino != source.stat().st_ino
            assert status.st_mode & 0o777 == 0o444


def test_the_folder_says_nothing_but_aliases(run: Run) -> None:
    view = run.view("train/f1")

    names = [path.relative_to(view).as_posix() for path in view.rglob("*")]
    times = {path.stat().st_mtime for path in (view, *view.rglob("*"))}
    modes = {path.stat().st_mode & 0o777 for path in (view, *view.rglob("*")) if path.is_dir()}
    assert not any("p0" in name for name in names)
    assert len(times) == 1
    assert modes == {0o555}
    assert b"p0" not in (view / "cases.json").read_bytes()


def test_the_same_view_has_the_same_bytes(run: Run) -> None:
    one, two = run.view("train/f1", "one"), run.view("train/f1", "two")

    assert contents(one) == contents(two)


def contents(view: Path) -> dict[str, bytes]:
    return {
        path.relative_to(view).as_posix(): path.read_bytes()
        for path in sorted(view.rglob("*"))
        if path.is_file()
    }


def test_names_in_gzip_headers_do_not_reach_a_job(tmp_path: Path) -> None:
    task = tiny.make(tmp_path / "tiny")
    for path in (*(task / "images").iterdir(), *(task / "labels").iterdir()):
        content = gzip.decompress(path.read_bytes())
        with path.open("wb") as raw, gzip.GzipFile(f"MEIER_{path.stem}", "wb", 6, raw, 1.7e9) as f:
            f.write(content)
    (tmp_path / "run").mkdir()
    prepared = prepare(task, None, tmp_path / "run", 1, Store(), cores=1)

    view = Run(task, tmp_path / "run", prepared).view("train/f1")

    packed = [content for name, content in contents(view).items() if name.endswith(".gz")]
    assert not any(b"MEIER" in content for content in packed)
    assert {content[:10] for content in packed} == {b"\x1f\x8b\x08\0\0\0\0\0\0\xff"}


def test_only_the_inputs_of_the_contract_are_shown(tmp_path: Path) -> None:
    task = tiny.make(tmp_path / "tiny")
    shutil.copytree(task / "images", task / "second")
    edit_table(
        task,
        lambda rows: [row.update(second=row["image"].replace("images", "second")) for row in rows],
    )
    toml = (task / "task.toml").read_text()
    (task / "task.toml").write_text(
        toml.replace('images = ["image"]', 'images = ["image", "second"]')
    )
    (tmp_path / "run").mkdir()
    prepared = prepare(task, None, tmp_path / "run", 1, Store(), cores=1)

    view = Run(task, tmp_path / "run", prepared).view("predict/all")

    assert not list(view.rglob("*second*"))


def test_a_changed_image_is_refused_and_nothing_is_left(run: Run) -> None:
    for path in (run.task / "images").iterdir():
        path.write_bytes(path.read_bytes() + b"\0")

    with pytest.raises(DataChanged) as caught:
        run.view("train/f1")

    assert caught.value.exit_code == 1
    assert list((run.folder / "views").iterdir()) == []


def test_an_image_that_is_gone_is_a_change(run: Run) -> None:
    shutil.rmtree(run.task / "images")

    with pytest.raises(DataChanged):
        run.view("predict/all")


def test_a_label_changed_in_the_vault_is_refused(run: Run) -> None:
    for path in (run.prepared.vault / "labels").iterdir():
        path.write_bytes(path.read_bytes()[:-1] + b"\x01")

    with pytest.raises(DataChanged):
        run.view("train/f1")
    assert document(run.view("predict/f1")).cases


def test_an_exposed_vault_is_refused(run: Run) -> None:
    run.prepared.vault.chmod(0o755)

    with pytest.raises(VaultExposed):
        run.view("train/f1")


def test_a_view_that_is_there_is_left_alone(run: Run) -> None:
    view = run.view("predict/all")
    before = view.stat()
    shutil.rmtree(run.task / "images")

    again = run.view("predict/all")

    assert again.stat() == before


def test_data_may_have_moved(run: Run, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere"
    run.task.rename(moved)

    lay_out(
        vault=run.prepared.vault,
        inventory=run.prepared.inventory,
        split=run.prepared.split,
        contract=run.prepared.contract,
        view="predict/all",
        into=run.folder / "views" / "v",
        data=moved,
    )

    assert len(list((run.folder / "views" / "v" / "images").iterdir())) == 2


def test_a_training_view_names_the_cases_to_tune_on(run: Run) -> None:
    inner = run.prepared.split.inner

    assert inner
    assert document(run.view("train/f1")).tune == tuple(sorted(inner))


def test_a_view_for_predictions_does_not_tell_who_is_who(run: Run) -> None:
    assert document(run.view("predict/f1")).tune == ()
