"""A finished run with something in it forged, altered or taken away, and what verify says of it."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from amid.run.compose import events, verify
from ledger.events.base import Fact
from ledger.events.review import ReviewMeasured
from ledger.events.stored import to_new
from ledger.events.work import PackageBuilt
from ledger.store import Ledger
from replay.verify import Answer
from tests.e2e.runs import amid, answer

pytestmark = pytest.mark.timeout(300)


def written_anew(run: Path, change: Callable[[Fact], Fact]) -> None:
    """Write the ledger of a run anew with hashes that fit, each event changed on the way."""
    log = events(run)
    (run / "ledger.db").unlink()
    (run / "head").unlink()
    with Ledger.create(run / "ledger.db") as ledger:
        ledger.append([to_new(change(fact)) for fact in log])


def codes(found: Answer) -> set[str]:
    return {problem.code for problem in found.problems}


def test_a_package_of_another_attempt_passes_neither_verify_nor_replay(copy: Path) -> None:
    others = {e.attempt for e in events(copy) if e.type == "lane.promoted"}  # type: ignore[attr-defined]
    other = min(others)

    def change(fact: Fact) -> Fact:
        same = not isinstance(fact, PackageBuilt)
        return fact if same else fact.model_copy(update={"attempt": other})

    written_anew(copy, change)
    found = verify(copy)
    assert {"STORY_BROKEN", "OUTCOME_DIFFERS"} <= codes(found)
    told = answer("replay", copy, ok=(1,))
    assert "no accepted attempt of a finalizer" in str(told["divergence"])


def test_a_score_that_the_reviewer_did_not_give_is_told(copy: Path) -> None:
    def change(fact: Fact) -> Fact:
        if not isinstance(fact, ReviewMeasured):
            return fact

        better = fact.scores[0].model_copy(update={"value": "0.999"})
        return fact.model_copy(update={"scores": (better, *fact.scores[1:])})

    written_anew(copy, change)
    assert "OUTCOME_DIFFERS" in codes(verify(copy))


def test_a_ledger_written_anew_as_it_was_is_told_by_its_head_alone(run: Path, copy: Path) -> None:
    head = str(answer("verify", run)["head"])
    written_anew(copy, lambda fact: fact)
    assert answer("verify", copy)["ok"] is True
    told = answer("verify", copy, "--head", head, ok=(1,))
    assert [p["code"] for p in told["problems"]] == ["HEAD_DIFFERS"]  # type: ignore[attr-defined]
    assert answer("verify", run, "--head", head)["ok"] is True
    assert "not a head" in amid("verify", run, "--head", "1", ok=(2,)).stderr


@pytest.mark.parametrize("name", ["package", "package.zip", "vault", "repo.git"])
def test_what_is_taken_away_is_said(copy: Path, name: str) -> None:
    place = copy / name
    shutil.rmtree(place) if place.is_dir() else place.unlink()
    found = verify(copy)
    assert codes(found) == set()
    assert any(name in says or "vault" in says for says in found.said), found.said
    assert len(found.said) == len(verify_of_whole(copy)) + 1


def verify_of_whole(copy: Path) -> tuple[str, ...]:
    """Return what is said of any whole run: the head, reproduction, and self-attestation."""
    return ("head", "reproduction", "self-attested")


def append(path: Path) -> None:
    path.chmod(0o600)
    with path.open("ab") as file:
        file.write(b"x")


def first(folder: Path, pattern: str) -> Path:
    return min(path for path in folder.rglob(pattern) if path.is_file())


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (lambda run: append(first(run / "vault/labels", "*")), "VAULT_DIFFERS"),
        (lambda run: first(run / "vault/labels", "*").unlink(), "VAULT_DIFFERS"),
        (lambda run: (run / "vault").chmod(0o755), "VAULT_EXPOSED"),
        (lambda run: append(run / "package/payload/submission.csv"), "PACKAGE_DIFFERS"),
        (lambda run: append(run / "package/provenance/split.json"), "PACKAGE_DIFFERS"),
        (lambda run: (run / "package/payload/new").write_bytes(b""), "PACKAGE_DIFFERS"),
        (lambda run: (run / "package.zip").write_bytes(b"no zip"), "PACKAGE_DIFFERS"),
        (lambda run: shutil.rmtree(run / "repo.git/objects"), "REPOSITORY_DIFFERS"),
    ],
)
def test_what_is_altered_is_named(copy: Path, spoil: Callable[[Path], object], code: str) -> None:
    spoil(copy)
    assert codes(verify(copy)) == {code}
