"""What a job takes of the disk is limited in all, and given back when it fails."""

import ctypes
import os
from pathlib import Path

import pytest

from runtime.adapters.sandbox import room
from tests.runtime.job_places import Place, log_of, ran

pytestmark = pytest.mark.usefixtures("each_kind")


def left(place: Place) -> list[str]:
    """Return what lies in the folder of the job that ran."""
    folder = place.run / "jobs" / "job"
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_sixty_files_under_the_limit_of_one_are_over_the_limit_of_all(tmp_path: Path) -> None:
    """Given 60 files of 15 MiB under a limit of 16 MiB, then the job ends and nothing stays."""
    place = Place.make(tmp_path)
    code = """
import os, time
for n in range(60):
    handle = os.open(f"{('out', 'tmp')[n % 2]}/{n}", os.O_CREAT | os.O_WRONLY)
    os.posix_fallocate(handle, 0, 15 << 20)
time.sleep(60)
"""
    outcome = ran(place, code, wall_s=60, output_mib=16)

    assert (outcome.code, outcome.reason) == ("OUTPUT_LIMIT", "output limit of 16 MiB reached")
    kept = ["in/code/train.py", "job.json", "launch.json", "log/access.jsonl", "log/job.log"]
    assert [name for name in left(place) if not name.startswith(("beat", "claim"))] == [
        *kept,
        "result.json",
    ]


def test_space_beyond_the_end_of_a_file_cannot_be_had(tmp_path: Path) -> None:
    """Given a preallocation that keeps a file's length at nothing, then it is refused."""
    code = """
import ctypes, os
handle = os.open("out/x", os.O_CREAT | os.O_WRONLY)
libc = ctypes.CDLL(None, use_errno=True)
print(libc.fallocate(handle, 1, ctypes.c_long(0), ctypes.c_long(8 << 20)), ctypes.get_errno())
print(os.fstat(handle).st_blocks)
"""
    outcome = ran(Place.make(tmp_path), code)

    assert log_of(outcome).splitlines() == ["-1 95", "0"]


def test_too_many_files(tmp_path: Path) -> None:
    code = """
import time
for n in range(21_000):
    open(f"tmp/{n}", "w").close()
time.sleep(60)
"""
    outcome = ran(Place.make(tmp_path), code, wall_s=60)

    assert (outcome.code, outcome.reason) == ("OUTPUT_LIMIT", "limit of 20000 files in tmp reached")


def test_folders_too_deep_to_be_counted(tmp_path: Path) -> None:
    """Given 3,000 folders in one another, then the job ends, and they are gone."""
    place = Place.make(tmp_path)
    code = """
import os
os.chdir("tmp")
for _ in range(3000):
    os.mkdir("d"); os.chdir("d")
open("deep", "w").close()
"""
    outcome = ran(place, code)

    assert outcome.code == "OUTPUT_LIMIT"
    assert outcome.reason == "folders in tmp are nested more than 64 deep"
    assert list((place.run / "jobs" / "job" / "tmp").iterdir()) == []


def test_space_that_only_a_mapping_holds(tmp_path: Path) -> None:
    """Given a file that is mapped, removed and closed, then its blocks still count."""
    code = """
import mmap, os, time
held = []
for n in range(16):
    with open("tmp/x", "w+b") as file:
        file.write(bytes(1 << 20)); file.flush()
        held.append(mmap.mmap(file.fileno(), 4096))
    os.unlink("tmp/x")
time.sleep(60)
"""
    outcome = ran(Place.make(tmp_path), code, wall_s=60, output_mib=4)

    assert outcome.reason == "output limit of 4 MiB reached"


def test_a_sparse_output_is_refused(tmp_path: Path) -> None:
    place = Place.make(tmp_path)
    code = """
with open("out/c-0001.nii", "wb") as file:
    file.truncate(1 << 30)
    file.write(b"x" * 100)
"""
    outcome = ran(place, code, output_mib=2048)

    assert outcome.code == "OUTPUT_REFUSED"
    assert outcome.reason.endswith("out/c-0001.nii is sparse: 1023 of 1024 MiB are holes")
    assert not list((place.run / "jobs" / "job" / "out").iterdir())


def test_what_a_finished_job_keeps_is_its_outputs(tmp_path: Path) -> None:
    """Given a large checkpoint and files in tmp, then the first is kept and the others are not."""
    place = Place.make(tmp_path)
    code = """
open("out/model.bin", "wb").write(bytes(range(256)) * (40 << 12))
open("tmp/scratch", "wb").write(bytes(1 << 20))
"""
    outcome = ran(place, code, output_mib=64)

    assert outcome.status == "finished", outcome.reason
    assert [(file.path, file.bytes) for file in outcome.outputs] == [("model.bin", 40 << 20)]
    assert not list((place.run / "jobs" / "job" / "tmp").iterdir())


def test_blocks_beyond_the_end_count(tmp_path: Path) -> None:
    """Given a file whose length says nothing of its blocks, then the blocks count."""
    (tmp_path / "out").mkdir()
    (tmp_path / "tmp").mkdir()
    libc = ctypes.CDLL(None, use_errno=True)
    with (tmp_path / "out" / "x").open("wb") as file:
        words = (ctypes.c_long(0), ctypes.c_long(8 << 20))
        if libc.fallocate(file.fileno(), 1, *words) != 0:
            pytest.skip("this file system cannot preallocate")

    assert (tmp_path / "out" / "x").stat().st_size == 0
    assert room.taken(tmp_path).over(8) == ""
    assert room.taken(tmp_path).over(7) == "output limit of 7 MiB reached"


def test_two_names_of_one_file_count_once(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "tmp").mkdir()
    (tmp_path / "out" / "x").write_bytes(bytes(1 << 20))
    (tmp_path / "tmp" / "x").hardlink_to(tmp_path / "out" / "x")

    assert room.taken(tmp_path).over(1) == ""


def test_clearing_goes_where_others_end(tmp_path: Path) -> None:
    """Given folders 3,000 deep and one that nobody may list, then all are gone."""
    at = os.open(tmp_path, os.O_RDONLY)
    for _ in range(3000):
        os.mkdir("d", dir_fd=at)
        at, before = os.open("d", os.O_RDONLY, dir_fd=at), at
        os.close(before)

    os.close(at)
    (tmp_path / "closed" / "inside").mkdir(parents=True)
    (tmp_path / "closed").chmod(0)

    room.clear(tmp_path)

    assert list(tmp_path.iterdir()) == []
