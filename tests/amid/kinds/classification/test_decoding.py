"""Hostile tables: each row gets a status, and nothing is followed or executed."""

import json
from pathlib import Path
from typing import Any

import pytest

from amid.review.decode import decode


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "in/predictions/f1/predictions"
    path.mkdir(parents=True)
    return path


def decoded(folder: Path) -> dict[str, Any]:
    top = folder.parents[2]
    decode("classification", top / "predictions", top.parent / "out")
    fold: dict[str, Any] = json.loads((top.parent / "out/index.json").read_text())["folds"][0]
    return fold


def rows(folder: Path, *lines: str) -> list[tuple[str, str]]:
    (folder / "predictions.csv").write_text("\n".join(("case,a,b", *lines)) + "\n")
    return [(row["case"], row["status"]) for row in decoded(folder)["files"]]


def test_a_good_table_keeps_numbers_and_columns(folder: Path) -> None:
    (folder / "predictions.csv").write_text("case,a,b\nc-0001,0.25,0.75\n")
    found = decoded(folder)
    assert found["columns"] == ["a", "b"]
    assert found["files"] == [
        {"case": "c-0001", "status": "ok", "reason": "", "values": [0.25, 0.75]}
    ]


def test_each_broken_row_has_its_status(folder: Path) -> None:
    assert rows(
        folder, "c-0001,0.5", "c-0002,x,1", "c-0003,nan,1", "c-0004,inf,1", "../../etc,0,1",
        "c-0005,0,1", "c-0005,1,0", "",
    ) == [
        ("c-0001", "corrupt"), ("c-0002", "corrupt"), ("c-0003", "not-finite"),
        ("c-0004", "not-finite"), ("../../etc", "unknown"), ("c-0005", "ok"), ("c-0005", "twice"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "the header"),
        (b"id,a,b\nc-0001,0,1\n", "the header"),
        (b"\xff\xfe", "not UTF-8"),
        (b'case,a,b\n"c-0001,0,1\n', "cannot be read"),
        (b"case,a\nc-0001,\x00\n", ""),
    ],
)
def test_a_broken_table_says_what_is_wrong(folder: Path, content: bytes, says: str) -> None:
    (folder / "predictions.csv").write_bytes(content)
    found = decoded(folder)
    assert says in found["says"]
    assert not [row for row in found["files"] if row["status"] == "ok"]


def test_a_link_is_not_followed(folder: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("case,a,b\nc-0001,0,1\n")
    (folder / "predictions.csv").symlink_to(secret)
    found = decoded(folder)
    assert found["files"] == []
    assert "not a regular file" in found["says"]


def test_other_files_are_named_and_left_aside(folder: Path) -> None:
    (folder / "notes\x1b[31m.txt").write_text("x")
    assert decoded(folder)["extras"] == [{"kind": "file", "name": "notes?[31m.txt"}]
