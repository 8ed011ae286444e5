"""The simulated cohort through the whole job: divided by site, and as a given file says."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from amid import demo
from amid.demo.texts import Division
from amid.documents import Split
from ledger.blobs import BlobStore
from tests.e2e.runs import amid, answer, outcomes

pytest.importorskip("nilearn", reason="the demo's template is not installed")
pytestmark = pytest.mark.timeout(300)

Make = Callable[[Division], Path]


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Make:
    """Return how to make the small cohort, with a budget of few attempts."""

    def make(division: Division) -> Path:
        folder = demo.make(
            tmp_path_factory.mktemp("demo") / "task", size=demo.SMALL, division=division
        )
        contract = folder / "task.toml"
        text = contract.read_text()
        contract.write_text(text.replace('wall = "4m"', 'wall = "4m"\nattempts = 3'))
        return folder

    return make


def split_of(run: Path) -> Split:
    """Return the frozen split."""
    frozen = outcomes(run, "split.frozen")[0]
    return Split.model_validate_json(BlobStore(run / "blobs").read(frozen.split))  # type: ignore[attr-defined]


def cases_of(run: Path) -> dict[str, dict[str, str]]:
    """Return alias to row of the case table."""
    aliases = json.loads((run / "vault/aliases.json").read_text())["cases"]
    header, *lines = (run.parent / "task/cases.csv").read_text().splitlines()
    rows = [dict(zip(header.split(","), line.split(","), strict=True)) for line in lines]
    by_case = {row["case"]: row for row in rows}
    return {entry["alias"]: by_case[entry["case"]] for entry in aliases}


def planned(folder: Path) -> Path:
    """Run a task up to its plan and return the run."""
    run = folder.parent / "run"
    amid("run", folder, "-o", run, "--seed", "3", "--until", "plan")
    assert outcomes(run, "lane.proposed")
    assert not outcomes(run, "attempt.submitted")
    return run


def finished(run: Path) -> dict[str, dict[str, dict[str, object]]]:
    """Go on with a run to its end and return its scores by site."""
    amid("resume", run)
    assert answer("status", run)["outcome"] == "package"
    assert answer("verify", run)["ok"] is True
    assert "<h3>By site</h3>" in (run / "report.html").read_text()
    told = json.loads((run / "package/payload/scores/validation.json").read_text())
    return {part: told[part]["by"]["site"] for part in ("validation", "test")}


def test_one_site_is_left_out_at_a_time(task: Make) -> None:
    """Given `leave-one-out` by site, then no model sees the site on which it is judged."""
    run = planned(task("by-site"))

    rows, folds = cases_of(run), split_of(run).folds
    assert len(folds) == 3
    for fold in folds:
        sites = {rows[case]["site"] for case in fold.validation}
        assert len(sites) == 1
        assert sites.isdisjoint(rows[case]["site"] for case in fold.fit)


def test_a_given_split_is_followed_to_the_case(task: Make) -> None:
    """Given nnU-Net's `splits_final.json`, then its folds are frozen, and nothing is inner."""
    folder = task("given")
    run = planned(folder)

    rows, split = cases_of(run), split_of(run)
    assert split.inner == ()
    assert [
        {
            "train": sorted(rows[case]["case"] for case in fold.fit),
            "val": sorted(rows[case]["case"] for case in fold.validation),
        }
        for fold in split.folds
    ] == json.loads((folder / "splits_final.json").read_text())


@pytest.mark.slow
@pytest.mark.parametrize("division", ["auto", "by-site", "given"])
def test_it_is_carried_to_a_package_with_a_row_per_site(division: Division, task: Make) -> None:
    """Given any division, then the classical lanes end with a score for each site."""
    scores = finished(planned(task(division)))

    assert list(scores["validation"]) == ["east", "north", "south"]
    assert list(scores["test"]) == ["east", "north", "south"]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_demo_ends_with_package_and_report(tmp_path: Path) -> None:
    """Given nothing at all, then one command leaves a task, a run, a package and a report."""
    told = answer("demo", "-o", tmp_path / "demo")

    assert told["outcome"] == "package"
    assert Path(str(told["package"])).is_dir()
    assert "data:image/png" in Path(str(told["report"])).read_text()


def test_the_tiny_demo_needs_no_template(tmp_path: Path) -> None:
    """Given `--tiny`, then the same in seconds, on 14 small volumes."""
    said = amid("demo", "--tiny", "-o", tmp_path / "demo").stdout

    assert "package:" in said
    assert "report:" in said
