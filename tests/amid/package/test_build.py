"""A package holds what its evidence bears, the same elsewhere, and nothing private."""

import ast
import getpass
import gzip
import hashlib
import json
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from blake3 import blake3

from amid.kinds.segmentation.planning.catalogue import ATLAS_FUSION
from amid.package.build import build
from ledger.blobs import BlobStore
from ledger.canonical import encode
from ledger.events.union import dump
from ledger.events.work import AttemptVoided
from ledger.reader import read
from ledger.record import NewEvent
from ledger.store import Ledger
from replay.history import History
from tests.amid.package import sample_data
from tests.amid.package.sample_run import CRUDE, FINAL, MEMBERS, Variant, head_of, make


def files_of(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def json_lines(path: Path) -> list[dict[str, object]]:
    """Return the objects of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text().split("\n")[:-1]]


def refused(out: Path) -> list[str]:
    """Return what a refusal lists."""
    missing: list[str] = json.loads((out / "refused.json").read_text())["missing"]
    return missing


def test_the_manifest_lists_the_payload(package: Path) -> None:
    """Path, BLAKE3 and size of every payload file, sorted."""
    manifest = json.loads((package / "manifest.json").read_text())
    payload = files_of(package / "payload")

    assert [row["path"] for row in manifest] == sorted(payload)
    assert all(row["digest"] == blake3(payload[row["path"]]).hexdigest() for row in manifest)


def test_the_submission_is_as_contracted(package: Path) -> None:
    """Columns, paths and label maps under real ids, byte for byte those of the last job."""
    lines = (package / "payload/submission.csv").read_text().splitlines()
    assert lines[0] == "image_id,mask_path"
    assert lines[1] == "subject_009x,predictions/subject_009x.nii.gz"
    for line in lines[1:]:
        mask = gzip.decompress((package / "payload" / line.split(",")[1]).read_bytes())
        assert set(mask[352:]) == {0, 1}


def test_the_payload_is_the_same_for_a_run_made_elsewhere(package: Path, tmp_path: Path) -> None:
    """Another run id, clock, folder and order of events change provenance only."""
    other = make(tmp_path, Variant(run="f" * 32, clock=1_800_000_000_000_000, backwards=True))
    build(other, FINAL, head_of(other), tmp_path / "out")

    assert files_of(tmp_path / "out/payload") == files_of(package / "payload")
    assert (tmp_path / "out/manifest.json").read_bytes() == (package / "manifest.json").read_bytes()
    assert files_of(tmp_path / "out/provenance") != files_of(package / "provenance")


def test_scores_stand_by_site_as_the_contract_asks(package: Path) -> None:
    """In the file, and in a sentence of the card."""
    told = json.loads((package / "payload/scores/validation.json").read_text())
    by_site = told["validation"]["by"]["site"]

    assert list(by_site) == ["north", "south"]
    assert sum(row["cases"] for row in by_site.values()) == len(
        told["validation"]["per_case"]["cases"]
    )
    assert f"Validation of `{FINAL}` by site: north: dice" in (
        package / "payload/MODEL_CARD.md"
    ).read_text().replace("\n", " ")


def test_twice_gives_the_same_bytes(package: Path, sample: Path, tmp_path: Path) -> None:
    """Provenance included: it depends on the events alone."""
    build(sample, FINAL, head_of(sample), tmp_path / "out")
    assert files_of(tmp_path / "out") == files_of(package)


def test_nothing_private_is_in_it(package: Path, sample: Path) -> None:
    """No patient, training case, host, user or place; test ids only where they belong."""
    patients = {sample_data.patient(n) for n in range(1, sample_data.CASES + 1)}
    train = {sample_data.real(n) for n in range(1, 9)}
    tests = {sample_data.real(n) for n in range(9, 13)}
    places = {str(sample), str(sample.parent), str(sample.parent / "data"), str(Path.home())}
    words = patients | train | places | {socket.gethostname()}
    user = getpass.getuser()
    words |= {user} if user != "root" else set()

    for path, content in files_of(package).items():
        found = {word for word in words if len(word) > 2 and word.encode() in content}
        assert not found, path
        if not path.startswith("payload/predictions/") and path not in {
            "payload/submission.csv",
            "manifest.json",
            "SHA256SUMS",
        }:
            assert not {word for word in tests if word.encode() in content}, path


def test_a_body_with_a_place_is_withheld_and_its_hash_kept(package: Path) -> None:
    """The setting that names the data folder does not leave; the chain still holds."""
    events = json_lines(package / "provenance/events.jsonl")
    assert [event["type"] for event in events if event["body"] is None] == ["run.started"]
    assert all(len(str(event["body_hash"])) == 64 for event in events)


def test_each_claim_cites_events(package: Path) -> None:
    """By number and hash, outside the payload, since numbers differ between equal runs."""
    claims = json.loads((package / "provenance/claims.json").read_text())["claims"]
    card = (package / "payload/MODEL_CARD.md").read_text()
    assert len(claims) >= 12
    assert all(claim["events"] for claim in claims.values())
    assert all(f"{claim['says']} [{name}]" in card for name, claim in claims.items())


def test_the_card_keeps_what_limits_an_interval(package: Path) -> None:
    """Validation and test alike: an interval over four groups covers less than it says."""
    card = (package / "payload/MODEL_CARD.md").read_text()
    said = [line for line in card.splitlines() if "95 % interval" in line and "nulls" not in line]

    assert any("Hidden test set" in line for line in said)
    for line in said:
        if "Hidden test set" in line or line.startswith("- Validation of"):
            assert "(t interval over " in line


def test_assurance_says_what_was_not_checked(package: Path) -> None:
    """No mark without evidence, and the open checks are named."""
    assurance = json.loads((package / "provenance/assurance.json").read_text())
    assert (assurance["marks"], assurance["standing"]) == ([], "self-attested")
    assert assurance["assurance"] == "confined"
    assert [row["check"] for row in assurance["unchecked"]] == ["reexecution/1"]


def test_a_rejected_attempt_has_no_package(sample: Path, tmp_path: Path) -> None:
    """Every missing piece is named at once, and nothing else is written."""
    missing = build(sample, CRUDE, head_of(sample), tmp_path / "out")
    assert refused(tmp_path / "out") == list(missing)
    assert f"accepted verdict of {CRUDE}" in missing
    assert f"test predictions: no job of {CRUDE} predicted the test cases" in missing
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["refused.json"]


def test_events_that_are_not_there_refuse_it(sample: Path, tmp_path: Path) -> None:
    """A ledger shorter than the decision that asked for the package is no evidence."""
    build(sample, FINAL, head_of(sample) + 1, tmp_path / "out")
    assert refused(tmp_path / "out") == [f"events up to number {head_of(sample) + 1}"]


def test_it_reads_no_event_after_the_given_one(sample: Path, tmp_path: Path) -> None:
    """Before the final verdict there is none to rest on."""
    missing = build(sample, FINAL, 60, tmp_path / "out")
    assert f"accepted verdict of {FINAL}" in missing


def test_a_changed_blob_refuses_it(sample: Path, tmp_path: Path) -> None:
    """A weight whose bytes changed is named by its digest."""
    run = tmp_path / "RUN"
    shutil.copytree(sample, run)
    with read(run / "ledger.db") as reader:
        history = History.of(reader.records())

    blobs = BlobStore(run / "blobs")
    job = next(job for job in history.jobs.values() if job.finished)
    assert job.finished is not None
    digest = json.loads(blobs.read(job.finished.outputs))[0]["digest"]
    blobs.path(digest).chmod(0o644)
    blobs.path(digest).write_bytes(b"other")

    build(run, FINAL, head_of(run), tmp_path / "out")
    assert refused(tmp_path / "out") == [f"blob {digest}"]


def test_a_voided_member_refuses_it(sample: Path, tmp_path: Path) -> None:
    """A package rests on every attempt that it averages."""
    run = tmp_path / "RUN"
    shutil.copytree(sample, run)
    fact = AttemptVoided(attempt="a-ball-explorer-r1s1t1", because="its data was wrong")
    with Ledger.open(run / "ledger.db") as ledger:
        ledger.append([NewEvent(fact.type, fact.v, encode(dump(fact)))])

    build(run, FINAL, head_of(run), tmp_path / "out")
    assert refused(tmp_path / "out") == ["accepted verdict of a-ball-explorer-r1s1t1"]


def test_the_frozen_code_runs_again(package: Path, sample: Path, tmp_path: Path) -> None:
    """predict.py on the test images gives the label maps of the submission."""
    images = tmp_path / "images"
    images.mkdir()
    for number in range(9, 13):
        name = f"{sample_data.real(number)}.nii.gz"
        shutil.copy(sample.parent / "data/images" / name, images / name)

    words = [sys.executable, str(package / "payload/predict.py"), str(images), str(tmp_path / "o")]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert files_of(tmp_path / "o") == files_of(package / "payload/predictions")


def test_predict_says_what_is_wrong(package: Path, tmp_path: Path) -> None:
    """A folder without images and a missing argument are wrong use."""
    script = str(package / "payload/predict.py")
    for words in ([], [str(tmp_path), str(tmp_path / "o")]):
        done = subprocess.run([sys.executable, script, *words], capture_output=True, check=False)
        assert done.returncode == 2


def test_the_sums_are_those_sha256sum_reads(package: Path) -> None:
    """Every file but the list itself."""
    lines = (package / "SHA256SUMS").read_text().splitlines()
    listed = {line[66:]: line[:64] for line in lines}
    found = files_of(package)
    del found["SHA256SUMS"]
    assert listed == {path: hashlib.sha256(data).hexdigest() for path, data in found.items()}


@pytest.mark.parametrize("name", ["verify.py", "payload/predict.py"])
def test_what_is_shipped_needs_the_standard_library_only(package: Path, name: str) -> None:
    """And stays short enough to be read."""
    text = (package / name).read_text()
    nodes = list(ast.walk(ast.parse(text)))
    imported = {a.name for node in nodes if isinstance(node, ast.Import) for a in node.names}
    imported |= {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}
    assert {name.split(".")[0] for name in imported} <= set(sys.stdlib_module_names)
    assert len(text.splitlines()) < 250


def test_weights_that_hold_images_stay_out_where_images_may_not_leave(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given a template that keeps training images, then its weights leave only if images may."""
    keeping = {a.split("-")[1]: ATLAS_FUSION for a in MEMBERS}
    monkeypatch.setattr("amid.kinds.segmentation.planning.TEMPLATES", keeping)
    kept, shared = tmp_path / "kept", tmp_path / "shared"
    for place, share in ((kept, False), (shared, True)):
        place.mkdir()
        run = make(place, Variant(share=share))
        assert build(run, FINAL, head_of(run), place / "out") == ()

    names = {path.name for path in (kept / "out/payload/weights").rglob("*") if path.is_file()}
    assert "WITHHELD.txt" in names
    assert not list((shared / "out/payload/weights").rglob("WITHHELD.txt"))
