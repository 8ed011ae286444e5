"""verify.py says yes to what was built and names whatever was changed."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from blake3 import blake3
from hypothesis import given, settings
from hypothesis import strategies as st

from amid.package import verify
from amid.package.build import sums_of
from tests.amid.package.test_build import files_of

LENGTHS = (0, 1, 63, 64, 65, 127, 128, 1023, 1024, 1025, 2048, 2049, 3072, 4097, 8192, 20_000)


@pytest.mark.parametrize("length", LENGTHS)
def test_blake3_at_the_edges_of_blocks_and_chunks(length: int) -> None:
    """Plain Python gives what the library gives."""
    data = bytes(i % 251 for i in range(length))
    assert verify.blake3(data) == blake3(data).hexdigest()


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=5000))
def test_blake3_of_anything(data: bytes) -> None:
    """Also of what nobody thought of."""
    assert verify.blake3(data) == blake3(data).hexdigest()


@pytest.fixture
def copy(package: Path, tmp_path: Path) -> Path:
    """Return a copy of the package that may be changed."""
    return Path(shutil.copytree(package, tmp_path / "p"))


def problems(folder: Path) -> str:
    """Return what verify.py finds wrong, as one text."""
    return "\n".join(verify.check(folder)[1])


def forge_sums(folder: Path) -> None:
    """Make SHA256SUMS fit again, as who alters a file would."""
    content = files_of(folder)
    del content["SHA256SUMS"]
    (folder / "SHA256SUMS").write_bytes(sums_of(content))


def edit_event(folder: Path, number: int, **changes: object) -> None:
    """Change columns of one event."""
    path = folder / "provenance/events.jsonl"
    lines = path.read_text().splitlines()
    lines[number - 1] = json.dumps(json.loads(lines[number - 1]) | changes)
    path.write_text("\n".join([*lines, ""]))
    forge_sums(folder)


def test_the_package_as_built_is_whole(package: Path) -> None:
    """Run as a user runs it: isolated, from another folder."""
    words = [sys.executable, "-I", str(package / "verify.py")]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd="/")
    assert (done.returncode, done.stderr) == (0, "")
    assert "none: self-attested" in done.stdout
    assert "unchecked  reexecution/1" in done.stdout


def test_every_changed_file_is_named(package: Path, copy: Path) -> None:
    """One flipped bit in each file in turn."""
    for path, content in files_of(package).items():
        if path in ("SHA256SUMS", "verify.py"):
            continue

        changed = bytes([content[0] ^ 1]) + content[1:]
        (copy / path).write_bytes(changed)
        words = [sys.executable, str(copy / "verify.py")]
        if path == "manifest.json":
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            assert done.returncode == 1, "a broken list is a no, not a crash"
        else:
            found: list[str] = []
            verify.check_sums(copy, found)
            assert found == [f"{path}: altered (SHA-256 differs)"]

        (copy / path).write_bytes(content)


def test_a_forged_list_still_meets_blake3(copy: Path) -> None:
    """Sums that were made to fit do not fit the manifest that the run recorded."""
    (copy / "payload/submission.csv").write_bytes(b"image_id,mask_path\n")
    forge_sums(copy)
    assert "payload/submission.csv: altered" in problems(copy)


def test_an_added_and_a_removed_file_are_named(copy: Path) -> None:
    """Nothing may lie in a package that nobody listed."""
    (copy / "payload/extra").write_text("x")
    (copy / "payload/environment.json").unlink()
    assert "payload/extra: not in SHA256SUMS" in problems(copy)
    assert "payload/environment.json: missing" in problems(copy)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("seq", 99),
        ("term", 2),
        ("at_us", 1),
        ("cmd", "other"),
        ("type", "note.left"),
        ("v", 2),
        ("prev", "ab" * 32),
        ("body_hash", "ab" * 32),
        ("hash", "ab" * 32),
        ("body", "{}"),
    ],
)
def test_every_column_is_under_the_chain(copy: Path, column: str, value: object) -> None:
    """Also when the sums were made to fit."""
    edit_event(copy, 5, **{column: value})
    assert "event" in problems(copy)


def test_a_body_may_be_withheld_later(copy: Path) -> None:
    """Its hash stands in the chain, so the rest can still be checked."""
    edit_event(copy, 5, body=None)
    assert problems(copy) == ""


def test_a_shortened_chain_does_not_reach_its_head(copy: Path) -> None:
    """Events cut off at the end are missed."""
    path = copy / "provenance/events.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    forge_sums(copy)
    assert "not at the head" in problems(copy)


def test_a_claim_without_its_event_is_named(copy: Path) -> None:
    """Claims cite events by number and hash."""
    path = copy / "provenance/claims.json"
    claims = json.loads(path.read_text())
    claims["claims"]["C1"]["events"][0]["hash"] = "ab" * 32
    path.write_text(json.dumps(claims))
    forge_sums(copy)
    assert "claim C1 cites event" in problems(copy)


@pytest.mark.parametrize("words", [["nowhere"], ["a", "b"]])
def test_wrong_use(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A folder that is no package, or too many words: exit code 2."""
    assert verify.main(words) == 2
    assert "usage" in capsys.readouterr().err
