"""verify.py says yes to what was built and names whatever was changed."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
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
def copy(exported: Path, tmp_path: Path) -> Path:
    """Return a copy of the package that may be changed."""
    return Path(shutil.copytree(exported, tmp_path / "p"))


def problems(folder: Path) -> str:
    """Return what verify.py finds wrong, as one text."""
    return "\n".join(verify.Package(folder).problems)


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


def edit(folder: Path, name: str, change: Callable[[Any], object]) -> None:
    """Change the value of a JSON file, and make the sums fit."""
    path = folder / name
    value = json.loads(path.read_text())
    change(value)
    path.write_text(json.dumps(value))
    forge_sums(folder)


def events_of(folder: Path) -> list[dict[str, Any]]:
    """Return every event."""
    lines = (folder / "provenance/events.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def cut(folder: Path, until: int) -> None:
    """Leave out the events after a number, and make head and sums fit."""
    events = events_of(folder)[:until]
    text = "".join(json.dumps(event) + "\n" for event in events)
    (folder / "provenance/events.jsonl").write_text(text)
    edit(
        folder,
        "provenance/head.json",
        lambda head: head.update(seq=until, hash=events[-1]["hash"]),
    )


def number_of(folder: Path, kind: str) -> int:
    """Return the number of the first event of a type."""
    return next(int(event["seq"]) for event in events_of(folder) if event["type"] == kind)


def test_the_package_as_built_is_whole(exported: Path) -> None:
    """Run as a user runs it: isolated, from another folder."""
    words = [sys.executable, "-I", "-S", str(exported / "verify.py")]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd="/")
    assert (done.returncode, done.stderr) == (0, "")
    assert "none: self-attested" in done.stdout
    assert "unchecked  reexecution/1" in done.stdout
    assert done.stdout.endswith("yes, unaltered\n")


def test_it_stays_short_enough_to_be_read() -> None:
    """Whoever is to trust it reads it first."""
    assert len(Path(verify.__file__).read_text().splitlines()) < 250


def test_before_the_run_says_that_it_built_it_a_package_is_undecided(package: Path) -> None:
    """The job that builds it cannot know."""
    found = verify.Package(package)
    assert found.problems == []
    assert "no package.built" in found.undecided[0]
    assert verify.main([str(package)]) == 6


def test_a_payload_whose_event_was_cut_off_is_undecided(copy: Path) -> None:
    """Also where the payload was changed and every list fits again."""
    cut(copy, number_of(copy, "package.built") - 1)
    (copy / "payload/submission.csv").write_bytes(b"forged\n")
    rows = json.loads((copy / "manifest.json").read_text())
    for row in rows:
        if row["path"] == "submission.csv":
            row.update(digest=blake3(b"forged\n").hexdigest(), bytes=7)

    (copy / "manifest.json").write_bytes(orjson.dumps(rows, option=orjson.OPT_SORT_KEYS))
    forge_sums(copy)
    assert verify.main([str(copy)]) == 6


def accept(rows: Any) -> None:  # noqa: ANN401
    rows["verdicts"][0].update(verdict="accept", codes=["OK"])


def claim(value: Any) -> None:  # noqa: ANN401
    value["claims"]["C1"]["says"] = "It was tried on a thousand patients."


FORGED: list[tuple[str, Callable[[Any], object], str]] = [
    ("verdicts", accept, "verdicts.json: not as in"),
    ("verdicts", lambda v: v["verdicts"].pop(), "verdicts.json: not as in"),
    ("verdicts", lambda v: v["verdicts"][0]["scores"].clear(), "verdicts.json: not as in"),
    ("verdicts", lambda v: v["verdicts"][0]["findings"].pop(), "verdicts.json: not as in"),
    ("split", lambda v: v["split"]["test"].clear(), "split.json: not that of event"),
    ("split", lambda v: v.update(seed=1), "split.json: not as in"),
    ("environment", lambda v: v.update(cpu="another"), "environment.json: not as in"),
    (
        "environment",
        lambda v: v["packages"].update(torch="0"),
        "environment.json: not that of event",
    ),
    ("assurance", lambda v: v.update(assurance="sealed"), "assurance.json: not as in"),
    ("assurance", lambda v: v["marks"].append("sealed"), "assurance.json: not as in"),
    ("assurance", lambda v: v.update(standing="witnessed by a"), "assurance.json: not as in"),
    ("assurance", lambda v: v["unchecked"].clear(), "assurance.json: not as in"),
    ("claims", claim, "only in one of MODEL_CARD.md"),
    ("claims", lambda v: v["claims"]["C1"]["events"].clear(), "claim C1 cites no event"),
    ("claims", lambda v: v["claims"].update(C99={"says": "x", "events": []}), "only in one of"),
]


@pytest.mark.parametrize(("name", "change", "says"), FORGED)
def test_what_is_told_beside_the_events_must_follow_from_them(
    copy: Path, name: str, change: Callable[[Any], object], says: str
) -> None:
    """Whoever redoes the sums cannot redo the chain."""
    edit(copy, f"provenance/{name}.json", change)
    assert says in problems(copy)


@pytest.mark.parametrize(
    "kind", ["review.verdict_given", "review.check_found", "split.frozen", "package.built"]
)
def test_what_rests_on_a_withheld_body_is_undecided(copy: Path, kind: str) -> None:
    """Neither yes nor no."""
    edit_event(copy, number_of(copy, kind), body=None)
    found = verify.Package(copy)
    assert (found.problems, found.undecided != []) == ([], True)
    assert verify.main([str(copy)]) == 6


def test_links_are_named_folders_too(copy: Path, tmp_path: Path) -> None:
    """A linked folder may hold anything tomorrow."""
    shutil.move(copy / "payload/code", tmp_path / "elsewhere")
    (copy / "payload/code").symlink_to(tmp_path / "elsewhere")
    assert "payload/code: a link" in problems(copy)


def test_json_that_can_be_read_in_two_ways_is_refused(copy: Path) -> None:
    """Two readers would take another of the two values."""
    path = copy / "provenance/head.json"
    path.write_text(path.read_text().replace("{", '{"seq": 1,', 1))
    forge_sums(copy)
    assert "a key stands twice" in problems(copy)


def test_a_last_line_that_is_cut_short_is_named(copy: Path) -> None:
    """A half line is no event, and not nothing either."""
    path = copy / "provenance/events.jsonl"
    path.write_text(path.read_text() + '{"seq":')
    forge_sums(copy)
    assert "does not end at the head" in problems(copy)


def test_json_nested_beyond_reason_is_a_no(copy: Path) -> None:
    """And no crash."""
    (copy / "provenance/split.json").write_text("[" * 100_000)
    forge_sums(copy)
    assert "cannot be read" in problems(copy)
    assert verify.main([str(copy)]) == 1


def test_a_list_with_a_name_twice_is_refused(copy: Path) -> None:
    """The second line would hide the first."""
    path = copy / "SHA256SUMS"
    path.write_text(path.read_text() + path.read_text().splitlines()[0] + "\n")
    assert "SHA256SUMS: not a list" in problems(copy)


def test_every_changed_file_is_named(exported: Path, copy: Path) -> None:
    """One flipped bit in each file in turn."""
    for path, content in files_of(exported).items():
        if path in ("SHA256SUMS", "verify.py"):
            continue

        changed = bytes([content[0] ^ 1]) + content[1:]
        (copy / path).write_bytes(changed)
        assert f"{path}: altered (SHA-256 differs)" in problems(copy)
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
    assert "payload/extra: not in SHA256SUMS: added" in problems(copy)
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


def test_a_body_that_nothing_rests_on_may_be_withheld(copy: Path) -> None:
    """Its hash stands in the chain, so the rest can still be checked."""
    edit_event(copy, number_of(copy, "run.seed_drawn"), body=None)
    assert verify.main([str(copy)]) == 0


def test_a_shortened_chain_does_not_reach_its_head(copy: Path) -> None:
    """Events cut off at the end are missed."""
    path = copy / "provenance/events.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    forge_sums(copy)
    assert "does not end at the head" in problems(copy)


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
