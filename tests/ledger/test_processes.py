"""Two writers, killed writers, full disks: what happens between processes and the machine."""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger import fsck
from ledger.errors import CannotWrite, DiskFull, WriterBusy
from ledger.lock import NAME
from ledger.record import Record
from ledger.store import Ledger
from tests.ledger.making import filled, holding, said, started

KILLS = 24

WRITER = """
import sys, threading
from pathlib import Path
from ledger.store import Ledger
from tests.ledger.making import said

threads = int(sys.argv[2])
gate = threading.Lock()
with Ledger.open(Path(sys.argv[1])) as ledger:
    def work(name):
        index = 0
        while True:
            index += 1
            (record,) = ledger.append([said(f"{name}-{index}-" + "x" * 400)])
            with gate:
                sys.stdout.write(f"{record.seq} {record.hash.hex()}\\n")
                sys.stdout.flush()

    for name in range(threads):
        threading.Thread(target=work, args=(name,), daemon=True).start()
    threading.Event().wait()
"""


def start_writer(path: Path, threads: int) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), str(threads)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def test_a_killed_writer_loses_nothing_it_acknowledged(tmp_path: Path) -> None:
    path = filled(tmp_path)
    dice = random.Random(11)
    acknowledged: dict[int, str] = {}

    for kill in range(KILLS):
        writer = start_writer(path, threads=1 + 3 * (kill % 2))
        assert writer.stdout is not None
        lines = [writer.stdout.readline()]
        time.sleep(dice.random() * 0.05)
        writer.send_signal(signal.SIGKILL)
        lines.extend(writer.stdout)
        writer.wait()
        writer.stdout.close()

        for line in lines:
            if line.endswith("\n"):
                seq, digest = line.split()
                assert acknowledged.setdefault(int(seq), digest) == digest

    with Ledger.open(path) as ledger:  # walks the chain
        stored = {record.seq: record.hash.hex() for record in ledger.records()}

    assert acknowledged.items() <= stored.items()
    assert len(acknowledged) > KILLS
    assert fsck.check(tmp_path).ok


def test_of_two_writers_the_second_is_told_who_the_first_is(tmp_path: Path) -> None:
    path = filled(tmp_path)
    writer = start_writer(path, threads=1)
    assert writer.stdout is not None
    writer.stdout.readline()

    try:
        with pytest.raises(WriterBusy) as error:
            Ledger.open(path)
    finally:
        writer.kill()
        writer.wait()
        writer.stdout.close()

    assert error.value.exit_code == 4
    assert error.value.pid == writer.pid
    assert str(writer.pid) in str(error.value)
    Ledger.open(path).close()  # the lock went with the process


def test_the_lock_says_who_since_when(tmp_path: Path) -> None:
    with holding(tmp_path):
        text = json.loads((tmp_path / NAME).read_text())
        with pytest.raises(WriterBusy, match="2023-11-14"):
            Ledger.open(tmp_path / "ledger.db")

    assert text["pid"] == os.getpid()
    assert (tmp_path / NAME).read_text() == ""


def test_a_lock_without_words_still_holds(tmp_path: Path) -> None:
    with holding(tmp_path) as ledger:
        (tmp_path / NAME).write_text("?")
        with pytest.raises(WriterBusy, match="unknown"):
            Ledger.open(ledger.path)


def test_a_folder_that_takes_no_files_is_named(tmp_path: Path) -> None:
    with pytest.raises(CannotWrite, match="absent"):
        Ledger.create(tmp_path / "absent" / "ledger.db")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(CannotWrite):
        Ledger.create(tmp_path / "ledger.db")


@contextlib.contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """Mount a file system that is soon full."""
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip(f"cannot mount a small disk here: {mounted.stderr.strip()}")

    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=False)


def test_a_full_disk_loses_nothing_and_goes_on_when_there_is_room(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "1m") as disk:
        acknowledged: list[Record] = []

        with Ledger.create(disk / "ledger.db") as ledger:
            ledger.append([started()])
            with pytest.raises(DiskFull, match="no space"):
                for number in range(5000):
                    acknowledged += ledger.append([said(f"{number} " + "x" * 2000)])

            assert len(acknowledged) > 30
            assert list(ledger.records(after=1)) == acknowledged
            with pytest.raises(DiskFull):
                ledger.append([said("y" * 200_000)])

            subprocess.run(["mount", "-o", "remount,size=8m", str(disk)], check=True)
            acknowledged += ledger.append([said("room again")])

        with Ledger.open(disk / "ledger.db") as ledger:
            assert list(ledger.records(after=1)) == acknowledged

        assert fsck.check(disk).ok


def test_a_read_only_disk_is_named(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "2m") as disk:
        path = filled(disk, "one")
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)

        with pytest.raises(CannotWrite, match="Read-only"):
            Ledger.open(path)

        assert fsck.check(disk).ok  # looking needs no writing
