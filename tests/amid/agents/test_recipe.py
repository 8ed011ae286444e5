"""The recipe agent starts, mends by reason code, varies around the best, and averages."""

import asyncio
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from amid.agents.attempt import read
from amid.agents.faults import FAULTS
from amid.agents.recipe import RecipeAgent
from amid.agents.repair import RULES
from amid.kinds.segmentation.planning.catalogue import INTENSITY_PRIOR, NETWORKS, starts
from amid.planning.template import Template
from amid.review.rules import ADVICE
from ledger.events.codes import reason_code
from projections.attempts import Standing
from runtime.ports import Brief, Past, Reading, Turn
from tests.amid.kinds.segmentation.planning.samples import CONTRACT, profile

READING = Reading(contract=CONTRACT, profile=profile().model_dump_json(), lane="{}")
FIRST = Brief(
    worker="w-intensity-prior-explorer-r1s1",
    role="explorer",
    lane="intensity-prior",
    template="intensity-prior",
    turn=1,
    slot=1,
    units=20,
    past=(),
)


def edit(worktree: Path, brief: Brief, agent: RecipeAgent | None = None) -> Turn:
    return asyncio.run((agent or RecipeAgent()).edit(brief, READING, worktree))


def toml(worktree: Path) -> dict[str, Any]:
    return tomllib.loads((worktree / "attempt.toml").read_text())


def told(
    worktree: Path,
    verdict: Standing,
    *codes: str,
    attempt: str = "a-intensity-prior-explorer-r1s1t1",
) -> Past:
    """Return the past that the attempt in the worktree became."""
    return Past(
        attempt=attempt,
        verdict=verdict,
        codes=tuple(reason_code(code) for code in codes),
        advice=(),
        score=None,
        inner=None,
        description=toml(worktree)["description"],
    )


def after(brief: Brief, *past: Past, role: str | None = None) -> Brief:
    return replace(brief, past=past, turn=len(past) + 1, role=role or brief.role)


def test_the_first_turn_writes_the_template_with_its_own_parameters(tmp_path: Path) -> None:
    turn = edit(tmp_path, FIRST)

    written = {path.name: path.read_text() for path in tmp_path.iterdir()}
    text = written.pop("attempt.toml")
    assert written == INTENSITY_PRIOR.files()
    assert tomllib.loads(text)["params"] == starts(INTENSITY_PRIOR, profile())
    assert "w_like=1 ridge=0.01" in read(text.encode()).description
    assert turn.failed is None
    assert "first attempt" in turn.transcript.decode()


def test_the_same_brief_gives_the_same_files(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        edit(tmp_path / name, FIRST)

    one, two = (
        {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}
        for name in ("one", "two")
    )
    assert one == two


@pytest.mark.parametrize("name", sorted(FAULTS))
def test_a_planted_fault_is_mended_by_its_reason_code(tmp_path: Path, name: str) -> None:
    fault = FAULTS[name]
    agent = RecipeAgent(fault=name)
    edit(tmp_path, FIRST, agent)
    assert fault.wrong in (tmp_path / fault.file).read_text()
    params = toml(tmp_path)["params"]

    past = told(tmp_path, "reject", fault.code)
    turn = edit(tmp_path, after(FIRST, past), agent)

    assert turn.failed is None
    assert f"rewrote {fault.file}" in turn.transcript.decode()
    assert fault.code in turn.transcript.decode()
    assert (tmp_path / fault.file).read_text() == INTENSITY_PRIOR.files()[fault.file]
    assert toml(tmp_path)["params"] == params


def test_a_verdict_that_the_code_already_answers_fails_the_turn(tmp_path: Path) -> None:
    edit(tmp_path, FIRST)
    before = (tmp_path / "attempt.toml").read_bytes()

    turn = edit(tmp_path, after(FIRST, told(tmp_path, "reject", "PRED_GEOMETRY")))

    assert turn.failed is not None
    assert "volumes.py already does" in turn.failed
    assert (tmp_path / "attempt.toml").read_bytes() == before


def test_code_is_mended_before_parameters_are_varied(tmp_path: Path) -> None:
    agent = RecipeAgent(fault="wrong-spacing")
    edit(tmp_path, FIRST, agent)
    params = toml(tmp_path)["params"]
    codes = ("PRED_GEOMETRY", "SCORE_NAN", "STAT_CI_OVERLAP", "UNCHECKED")

    edit(tmp_path, after(FIRST, told(tmp_path, "reject", *codes)), agent)
    assert toml(tmp_path)["params"] == params

    edit(tmp_path, after(FIRST, told(tmp_path, "reject", *codes)), agent)
    assert toml(tmp_path)["params"] != params


@pytest.mark.parametrize("codes", [("SEALED_READ",), ("SPLIT_PATIENT_OVERLAP", "PRED_NAN"), ()])
def test_what_no_rule_mends_fails_the_turn_and_says_so(
    tmp_path: Path, codes: tuple[str, ...]
) -> None:
    edit(tmp_path, FIRST)

    turn = edit(tmp_path, after(FIRST, told(tmp_path, "reject", *codes)))

    assert turn.failed is not None
    assert "no rule mends that" in turn.failed


@pytest.mark.parametrize("code", sorted(RULES))
def test_every_rule_leads_to_an_edit_or_a_stated_end(tmp_path: Path, code: str) -> None:
    edit(tmp_path, FIRST)
    for name in ("volumes.py", "predict.py"):
        (tmp_path / name).write_text("broken\n")
    with (tmp_path / "attempt.toml").open("a") as manifest:
        manifest.write('[[claims]]\nmetric = "dice"\nvalue = 1\n')

    turn = edit(tmp_path, after(FIRST, told(tmp_path, "reject", code)))

    assert turn.failed is None
    assert RULES[reason_code(code)].because in turn.transcript.decode()
    assert "claims" not in toml(tmp_path)


def test_a_weak_attempt_is_varied_and_no_combination_comes_twice(tmp_path: Path) -> None:
    past: list[Past] = []
    seen = []

    for turn in range(12):
        answer = edit(tmp_path, after(FIRST, *past))
        assert answer.failed is None
        seen.append(toml(tmp_path)["params"])
        codes = ("STAT_CI_OVERLAP",) if turn % 2 else ()
        past.append(told(tmp_path, "reject" if codes else "accept", *codes, attempt=f"a-{turn}"))

    assert all(seen.count(params) == 1 for params in seen)


def test_variation_goes_one_step_from_the_best_inner_score(tmp_path: Path) -> None:
    params = dict(starts(INTENSITY_PRIOR, profile()))
    texts = []
    for like, inner in ((1.0, "0.7"), (1.2, "0.8"), (1.4, "0.75")):
        params["w_like"] = like
        texts.append((" ".join(f"{k}={str(v).lower()}" for k, v in params.items()), inner))
    past = [
        Past(f"a-{n}", "accept", (), (), None, inner, f"intensity-prior: {text}")
        for n, (text, inner) in enumerate(texts)
    ]

    turn = edit(tmp_path, after(FIRST, *past, role="optimizer"))

    assert "a step away from a-1" in turn.transcript.decode()
    chosen = toml(tmp_path)["params"]
    assert sum(chosen[name] != {**params, "w_like": 1.2}[name] for name in chosen) == 1


def test_slots_begin_in_different_directions(tmp_path: Path) -> None:
    chosen = []
    for slot in range(1, 4):
        edit(tmp_path, replace(FIRST, role="challenger", slot=slot))
        chosen.append(toml(tmp_path)["params"])

    assert all(chosen.count(params) == 1 for params in chosen)
    assert starts(INTENSITY_PRIOR, profile()) not in chosen


@pytest.mark.parametrize("template", NETWORKS, ids=lambda template: template.name)
def test_an_optimizer_of_a_network_varies_what_leaves_its_steps_and_price(
    tmp_path: Path, template: Template
) -> None:
    brief = replace(FIRST, lane=template.name, template=template.name)
    edit(tmp_path, brief)
    start = toml(tmp_path)["params"]
    past = [replace(told(tmp_path, "accept", attempt="a-1"), inner="0.8")]
    varied = set()

    for number in range(2, 6):
        assert edit(tmp_path, after(brief, *past, role="optimizer")).failed is None
        chosen = toml(tmp_path)["params"]
        varied |= {name for name in start if chosen[name] != start[name]}
        past.append(replace(told(tmp_path, "accept", attempt=f"a-{number}"), inner="0.7"))
        assert chosen["width"] <= start["width"]

    assert "steps" not in start
    assert {"rate", "augment"} <= varied <= {"rate", "width", "augment"}


def candidate(name: str, inner: str | None) -> Past:
    return Past(name, "accept", (), (), "0.8", inner, "intensity-prior: w_like=1")


FINAL = replace(
    FIRST, worker="w-average-finalizer-r9s1", role="finalizer", lane="average", template="average"
)


def test_a_finalizer_weights_members_by_inner_scores(tmp_path: Path) -> None:
    past = (candidate("a-x", "0.86"), candidate("a-y", "0.84"), candidate("a-z", "0.7"))

    turn = edit(tmp_path, after(FINAL, *past))

    manifest = read((tmp_path / "attempt.toml").read_bytes())
    assert turn.failed is None
    assert manifest.members == ("a-x", "a-y")
    assert manifest.train == ()
    assert toml(tmp_path)["params"]["weights"] == {"a-x": 1.0, "a-y": 0.6}
    assert not (tmp_path / "train.py").exists()


def test_without_inner_scores_members_count_the_same(tmp_path: Path) -> None:
    edit(tmp_path, after(FINAL, candidate("a-x", None), candidate("a-y", "0.84")))

    assert toml(tmp_path)["params"]["weights"] == {"a-x": 1.0, "a-y": 1.0}


def test_a_rejected_average_falls_back_to_the_best_member_then_ends(tmp_path: Path) -> None:
    members = (candidate("a-x", "0.8"), candidate("a-y", "0.83"))
    own = [f"a-average-finalizer-r9s1t{turn}" for turn in (1, 2)]
    edit(tmp_path, after(FINAL, *members))
    first = told(tmp_path, "reject", "STAT_CI_OVERLAP", attempt=own[0])

    edit(tmp_path, after(FINAL, *members, first))
    assert toml(tmp_path)["members"] == ["a-y"]
    second = told(tmp_path, "reject", "STAT_CI_OVERLAP", attempt=own[1])

    assert edit(tmp_path, after(FINAL, *members, first, second)).failed is not None


def test_a_finalizer_without_members_fails_its_turn(tmp_path: Path) -> None:
    assert edit(tmp_path, FINAL).failed == "there is no accepted attempt to average"


def test_every_code_of_the_reviewer_has_a_rule_or_is_not_ours_to_mend() -> None:
    not_ours = {
        "DIRECTION_WRONG",
        "DUP_EXACT_CROSS_SPLIT",
        "PRED_EQUALS_LABEL",
        "SEALED_READ",
        "SPLIT_CASE_OVERLAP",
        "SPLIT_PATIENT_OVERLAP",
    }

    assert set(ADVICE) - set(RULES) - {"OK", "OK_NOTE", "OTHER", "UNCHECKED"} == not_ours
