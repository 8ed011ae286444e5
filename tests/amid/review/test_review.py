"""The scorer over a small run: honest attempts, broken ones, claims, access and nulls."""

import json
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from amid.documents import CaseScores, Finding, Measured
from amid.review.__main__ import review
from amid.review.decode import decode
from amid.review.final import score
from amid.review.measure.inputs import InputWrong, read_inputs
from amid.review.nulls import score_nulls
from amid.review.rules import rule
from tests.amid.world import Array, World, put, small_world, worse, write_image


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = small_world(tmp_path)
    made.predict(worse)
    return made


def reviewed(world: World) -> tuple[dict[str, Finding], Measured, Path]:
    """Decode and review; return findings by check name, the measured scores and the folder."""
    decode("segmentation", world.job / "in/predictions", world.job / "in/decoded")
    out = world.job / "out"
    review(world.job / "job.json", world.job / "in/decoded", out)
    told = json.loads((out / "findings.json").read_text())
    findings = [Finding.model_validate_json(json.dumps(one)) for one in told]
    measured = Measured.model_validate_json((out / "measured.json").read_text())
    return {f.check.partition("/")[0]: f for f in findings}, measured, out


def codes(world: World) -> tuple[str, ...]:
    findings, _, _ = reviewed(world)
    return rule(list(findings.values())).codes


def test_an_honest_attempt_is_accepted_with_its_scores(world: World) -> None:
    findings, measured, out = reviewed(world)
    assert rule(list(findings.values())).verdict == "accept"
    assert [s.metric for s in measured.scores[:3]] == ["dice", "hd95", "nsd@1mm"]
    assert {s.metric for s in measured.scores} >= {"dice:front", "dice:back", "hd95:back"}
    first = measured.scores[0]
    per_case = CaseScores.model_validate_json((out / "case-scores.json").read_text())
    values = [float(c.values["dice"] or "nan") for c in per_case.cases]
    assert float(first.value or "nan") == pytest.approx(np.mean(values))
    assert (first.cases, first.groups) == (10, 10)
    assert first.status.startswith("ok; t interval over 10 groups")
    assert float(first.low or 9) < float(first.value or 0) < float(first.high or 0)
    assert measured.standard_error is not None
    assert measured.inner is not None
    assert measured.inner.cases == 1


def test_the_value_is_plain_dice(world: World) -> None:
    _, _, out = reviewed(world)
    per_case = CaseScores.model_validate_json((out / "case-scores.json").read_text())
    one = per_case.cases[0]
    truth, guess = world.truth[one.case], worse(one.case, world.truth[one.case])
    wanted = 2 * np.sum((truth == 1) & (guess == 1)) / (np.sum(truth == 1) + np.sum(guess == 1))
    assert float(one.values["dice:front"] or 0) == pytest.approx(wanted)


def test_two_reviews_give_the_same_bytes(world: World) -> None:
    _, _, out = reviewed(world)
    first = {p.name: p.read_bytes() for p in out.iterdir()}
    _, _, out = reviewed(world)
    assert {p.name: p.read_bytes() for p in out.iterdir()} == first


def test_a_missing_prediction_leaves_no_score(world: World) -> None:
    world.prediction("f1", "c-0001").unlink()
    findings, measured, _ = reviewed(world)
    assert rule(list(findings.values())).codes == ("PRED_MISSING", "SCORE_NAN")
    assert measured.scores[0].value is None
    assert "1 of 10 predictions are missing" in measured.scores[0].status


def break_shape(path: Path, array: Array, world: World) -> None:
    write_image(path, array[:-1], world.grid("c-0001"))


def break_place(path: Path, array: Array, world: World) -> None:
    grid = world.grid("c-0001")
    write_image(path, array, grid.model_copy(update={"origin": (0.0, 0.0, 0.0)}))


def break_values(path: Path, array: Array, world: World) -> None:
    write_image(path, array.astype("u2") * 257, world.grid("c-0001"))


def break_bytes(path: Path, array: Array, world: World) -> None:
    path.write_bytes(path.read_bytes()[:-30])


def break_link(path: Path, array: Array, world: World) -> None:
    path.unlink()
    path.symlink_to(world.run / "vault/labels/c-0001.nii.gz")


def break_nan(path: Path, array: Array, world: World) -> None:
    write_image(path, np.where(array == 1, np.nan, 0.0), world.grid("c-0001"))


@pytest.mark.parametrize(
    ("broken", "code"),
    [
        (break_shape, "PRED_SHAPE"),
        (break_place, "PRED_GEOMETRY"),
        (break_values, "PRED_LABEL_SET"),
        (break_bytes, "PRED_CORRUPT"),
        (break_link, "PRED_SYMLINK"),
        (break_nan, "PRED_NAN"),
    ],
)
def test_a_broken_prediction_is_rejected_by_its_code(
    world: World, broken: Callable[[Path, Array, World], None], code: str
) -> None:
    broken(world.prediction("f1", "c-0001"), world.truth["c-0001"], world)
    assert code in codes(world)


def test_reversed_slices_with_a_matching_direction_score_the_same(world: World) -> None:
    _, before, _ = reviewed(world)
    for fold, case in world.expected():
        grid = world.grid(case)
        column = [grid.direction[3 * row + 2] for row in range(3)]
        reach = (grid.size[2] - 1) * grid.spacing[2]
        turned = grid.model_copy(
            update={
                "origin": tuple(o + c * reach for o, c in zip(grid.origin, column, strict=True)),
                "direction": tuple(-v if i % 3 == 2 else v for i, v in enumerate(grid.direction)),
            }
        )
        array = worse(case, world.truth[case])[::-1].copy()
        write_image(world.prediction(fold, case), array, turned)

    findings, after, _ = reviewed(world)
    assert after == before
    assert "was undone" in findings["prediction-geometry"].says


def test_a_perfect_prediction_is_held_without_a_record_and_noted_with_one(world: World) -> None:
    world.predict(lambda _, truth: truth)
    assert codes(world) == ("PRED_EQUALS_LABEL",)
    record = put(world.run, b'{"pid":1,"ppid":0,"op":"open","path":"view:x","result":"ok"}\n')
    world.write_job(access=record)
    assert codes(world) == ("OK_NOTE",)


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ({"op": "open", "path": "vault:labels/c-0001.nii.gz", "result": "ok"}, "SEALED_READ"),
        ({"op": "openat", "path": "data:a.nii.gz", "result": "3"}, "SEALED_READ"),
        ({"op": "open", "path": "vault:labels/c-0001.nii.gz", "result": "EACCES"}, "SEALED_READ"),
        ({"op": "open", "path": "vault:", "result": "EACCES"}, "OK_NOTE"),
        ({"op": "stat", "path": "vault:secret", "result": "ok"}, "SEALED_READ"),
        ({"op": "stat", "path": "unknown:too long", "result": "ok"}, "SEALED_READ"),
        ({"op": "stat", "path": "jobs:.git", "result": "ENOENT"}, "OK_NOTE"),
        ({"op": "open", "path": "data:", "result": "ok", "count": 3}, "OK"),
        ({"op": "open", "path": "view:images/x", "result": "ok"}, "OK"),
    ],
)
def test_the_access_record_is_read(world: World, line: dict[str, Any], wanted: str) -> None:
    record = put(world.run, (json.dumps({"pid": 1, "ppid": 0} | line) + "\n").encode())
    world.write_job(access=record)
    assert codes(world) == (wanted,)


def test_claims_are_compared(world: World) -> None:
    _, measured, _ = reviewed(world)
    value = f"{float(measured.scores[0].value or 0):.4f}"
    world.write_job(claims=json.dumps([["dice", value]]))
    assert codes(world) == ("OK",)
    world.write_job(claims=json.dumps([{"metric": "dice", "value": "0.9999"}]))
    assert codes(world) == ("SCORE_MISMATCH",)


def test_nulls_are_beaten_by_skill_and_not_by_themselves(world: World) -> None:
    nulls = put(world.run, score_nulls(read_inputs(world.job / "job.json")))
    world.write_job(nulls=nulls)
    _, measured, _ = reviewed(world)
    assert measured.nulls_beaten
    world.predict(lambda _, truth: np.ones_like(truth))
    findings, measured, _ = reviewed(world)
    assert not measured.nulls_beaten
    assert findings["beats-nulls"].outcome == "note"


def test_a_case_without_a_label_is_not_expected_to_have_a_value(world: World) -> None:
    cases = [
        case.model_copy(update={"label": "missing"}) if case.case == "c-0001" else case
        for case in world.inventory.cases
    ]
    inventory = world.inventory.model_copy(update={"cases": tuple(cases)})
    world.write_job(inventory=put(world.run, inventory.model_dump(mode="json")))
    _, measured, _ = reviewed(world)
    assert measured.scores[0].cases == 9


def test_the_final_attempt_is_scored_on_test(world: World) -> None:
    write_image(world.prediction("all", "c-0012"), world.truth["c-0012"], world.grid("c-0012"))
    decode("segmentation", world.job / "in/predictions", world.job / "in/decoded")
    score(world.job / "job.json", world.job / "in/decoded", world.job / "out")
    told = json.loads((world.job / "out/test.json").read_text())
    assert told["scores"][0]["value"] == "1"
    assert told["scores"][0]["status"] == "ok; no interval from one group"
    per_case = CaseScores.model_validate_json(json.dumps(told["per_case"]))
    assert [c.case for c in per_case.cases] == ["c-0012"]


@pytest.mark.parametrize("key", ["run", "contract", "inventory", "split"])
def test_a_job_without_its_inputs_says_what_is_missing(world: World, key: str) -> None:
    world.write_job(**{key: ""})
    with pytest.raises(InputWrong, match=key):
        read_inputs(world.job / "job.json")


def test_an_index_that_points_elsewhere_is_refused(world: World) -> None:
    decode("segmentation", world.job / "in/predictions", world.job / "in/decoded")
    index = world.job / "in/decoded/index.json"
    index.write_text(index.read_text().replace("f1/c-0001.npy", "f1/c-0002.npy"))
    with pytest.raises(InputWrong, match="decoder's index"):
        review(world.job / "job.json", world.job / "in/decoded", world.job / "out")


def test_the_processes_run_alone_and_start_fast(world: World) -> None:
    def used() -> float:
        spent = resource.getrusage(resource.RUSAGE_CHILDREN)
        return spent.ru_utime + spent.ru_stime

    def run(*module: str) -> float:
        start = used()
        done = subprocess.run(
            [sys.executable, "-I", "-m", *module],
            cwd=world.job, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return used() - start

    run("amid.review.decode", "segmentation")
    (world.job / "out").rename(world.job / "in/decoded")
    assert run("amid.review") < 1.5  # 0.3 s of processor time on an idle machine
    assert {p.name for p in (world.job / "out").iterdir()} == {
        "case-scores.json",
        "findings.json",
        "inner-scores.json",
        "measured.json",
    }


def test_the_scorer_loads_nothing_heavy() -> None:
    code = (
        "import sys, amid.review.__main__; "
        "print([m for m in ('scipy', 'SimpleITK', 'torch', 'monai') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_a_document_that_was_changed_is_refused(world: World) -> None:
    digest = world.private["split"]
    blob = world.run / "blobs" / digest[:2] / digest[2:]
    blob.write_bytes(blob.read_bytes().replace(b"f1", b"f9"))
    with pytest.raises(InputWrong, match=digest[:12]):
        read_inputs(world.job / "job.json")
