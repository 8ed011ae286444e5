"""Whatever a job asks of a sealed place is in the record, opened or not, by whatever name."""

from pathlib import Path

import pytest

from runtime.adapters.executors.result import read_result
from runtime.adapters.sandbox.probe import private_mounts
from runtime.ports import JobOutcome
from tests.runtime.job_places import ASSURED, Place, log_of, ran, record_of

pytestmark = pytest.mark.usefixtures("each_kind")

needs_mounts = pytest.mark.skipif(not private_mounts(), reason="no mounts of its own here")
TRY = """
import ctypes, os, sys
def attempt(act):
    try: print("got", act())
    except OSError as e: print("errno", e.errno)
"""
LABEL = "vault:labels/c-0001.nii.gz"


def asked(outcome: JobOutcome) -> set[tuple[object, object]]:
    """Return what the record says was asked of sealed places: kind and path."""
    sealed = ("vault:", "data:", "blobs:", "jobs:", "run:", "unknown:")
    lines = record_of(outcome)
    return {(x["op"], x["path"]) for x in lines if str(x["path"]).startswith(sealed)}


@pytest.mark.parametrize(
    ("ask", "op"),
    [
        ("os.stat(path)", "stat"),
        ("os.lstat(path)", "stat"),
        ("os.path.getsize(path)", "stat"),
        ("os.path.exists(path)", "stat"),
        ("os.access(path, os.R_OK)", "access"),
        ("os.readlink(path)", "readlink"),
        ("os.getxattr(path, 'user.x')", "xattr"),
        ("os.listxattr(path)", "xattr"),
        ("os.statvfs(path)", "statfs"),
        ("os.chdir(path)", "chdir"),
        ("os.open(path, os.O_PATH)", "open"),
        ("os.link(path, 'tmp/x')", "link"),
        ("os.rename(path, 'tmp/x')", "rename"),
        ("os.symlink(path, 'tmp/x')", "point"),
        ("os.truncate(path, 0)", "truncate"),
        ("os.execv(path, ['x'])", "exec"),
        ("ctypes.CDLL(None).name_to_handle_at(-100, path.encode(), bytes(200), bytes(8), 0)",
         "handle"),
    ],
)  # fmt: skip
def test_each_call_that_names_a_path_is_recorded(tmp_path: Path, ask: str, op: str) -> None:
    place = Place.make(tmp_path)
    path = str(place.run / "vault/labels/c-0001.nii.gz")
    outcome = ran(place, f"{TRY}path = {path!r}\nattempt(lambda: {ask})")

    assert outcome.status == "finished", log_of(outcome)
    assert (op, LABEL) in asked(outcome)


@pytest.mark.parametrize(
    "way",
    [
        "../../vault/labels/c-0001.nii.gz",
        "out/../../../vault/labels/c-0001.nii.gz",
        "/proc/self/cwd/../../vault/labels/c-0001.nii.gz",
        "/proc/{pid}/task/{pid}/cwd/../../vault/labels/c-0001.nii.gz",
        "/proc/self/root/{run}/vault/labels/c-0001.nii.gz",
        "/dev/../{run}/vault/./labels//c-0001.nii.gz",
    ],
)
def test_a_path_is_named_by_where_it_leads(tmp_path: Path, way: str) -> None:
    """A process number of another number space is one that nobody can tell: that is said."""
    place = Place.make(tmp_path)
    code = f"{TRY}path = {way!r}.format(pid=os.getpid(), run={str(place.run)!r})\n"
    outcome = ran(place, f"{code}attempt(lambda: os.stat(path).st_size)")

    named = {LABEL} if "{pid}" not in way else {LABEL, "unknown:through /proc"}
    assert {path for op, path in asked(outcome) if op == "stat"} & named, log_of(outcome)


@pytest.mark.parametrize("way", ["/proc/self/fd/{fd}/../../vault", "/dev/fd/{fd}/../../vault"])
def test_a_path_through_a_descriptor_is_said_to_be_unknown(tmp_path: Path, way: str) -> None:
    place = Place.make(tmp_path)
    code = f"{TRY}fd = os.open('out', os.O_PATH)\npath = {way!r}.format(fd=fd)\n"
    outcome = ran(place, f"{code}attempt(lambda: os.stat(path).st_size)")

    assert ("stat", "unknown:through /proc") in asked(outcome)


def test_a_name_from_a_descriptor_is_followed(tmp_path: Path) -> None:
    code = f"""{TRY}
fd = os.open("tmp", os.O_RDONLY)
attempt(lambda: os.stat("../../../vault/labels", dir_fd=fd))
os.fchdir(fd)
attempt(lambda: os.access("../../../vault/labels/c-0001.nii.gz", 4))
"""
    found = asked(ran(Place.make(tmp_path), code))

    assert {("stat", "vault:labels"), ("access", LABEL)} <= found


def test_a_link_that_is_gone_again_hides_nothing(tmp_path: Path) -> None:
    """Given a link made, used and removed at once, then what it pointed at is in the record."""
    place = Place.make(tmp_path)
    path = str(place.run / "vault/labels/c-0001.nii.gz")
    code = f"""{TRY}
attempt(lambda: os.symlink({path!r}, "tmp/x"))
attempt(lambda: open("tmp/x"))
attempt(lambda: os.unlink("tmp/x"))
attempt(lambda: os.symlink("../../../vault", "tmp/y"))
"""
    outcome = ran(place, code)

    assert {("point", LABEL), ("point", "vault:")} <= asked(outcome)
    assert not (place.run / "jobs/job/tmp/x").exists()


def test_working_folders_are_shared_by_threads_and_copied_by_children(tmp_path: Path) -> None:
    """Given names relative to changed folders, then each is followed from its own."""
    code = f"""{TRY}
import threading
libc = ctypes.CDLL(None)
os.mkdir("tmp/deep"); os.mkdir("tmp/deep/er")
def into(): os.chdir("tmp/deep")
thread = threading.Thread(target=into); thread.start(); thread.join()
child = os.fork()
if child == 0:
    os.chdir("er")
    libc.access(b"../../../../../vault/of-the-child", 0)
    os._exit(0)
os.waitpid(child, 0)
libc.access(b"../../../../vault/of-the-parent", 0)
os.rename("../deep", "../../out/deep")
libc.access(b"../../../../vault/after-the-move", 0)
"""
    found = asked(ran(Place.make(tmp_path), code))

    assert {
        ("access", "vault:of-the-child"),
        ("access", "vault:of-the-parent"),
        ("access", "vault:after-the-move"),
    } <= found


@needs_mounts
def test_sealed_places_are_not_there_by_name(tmp_path: Path) -> None:
    """Given mounts of its own, then a job finds nothing of the run but what it was given."""
    place = Place.make(tmp_path)
    code = f"""{TRY}
for path in ({str(place.run / "vault")!r}, "../../vault/labels/c-0001.nii.gz", "../other",
             "../../ledger.db", "../../blobs", {str(place.data / "patient-7.nii.gz")!r}):
    attempt(lambda: os.stat(path).st_size)
    attempt(lambda: os.chdir(path))
for path in ("../../views/v1/images/c-0001_0000.nii.gz", "in/code/train.py", "job.json"):
    attempt(lambda: len(open(path).read()) > 0)
open("out/x", "w").write("kept")
"""
    outcome = ran(place, code)

    assert log_of(outcome).split("\n") == ["errno 2"] * 12 + ["got True"] * 3 + [""]
    assert ("stat", LABEL) in asked(outcome)
    assert [file.path for file in outcome.outputs] == ["x"]


def test_looks_at_what_was_given_are_counted(tmp_path: Path) -> None:
    """Given honest code, then its looks at its own folders and the way there are not listed."""
    code = """
import os, pathlib, numpy
for root, _, names in os.walk(os.environ["AMID_DATA"]):
    for name in names: os.stat(os.path.join(root, name))
pathlib.Path("in/code").resolve(); pathlib.Path(os.environ["AMID_DATA"]).resolve()
os.makedirs("out/a/b", exist_ok=True); os.path.exists("tmp/none"); os.getcwd()
"""
    place = Place.make(tmp_path)
    outcome = ran(place, code)

    assert outcome.assurance == ASSURED[place.kind], outcome.reason
    assert asked(outcome) == set()
    counted = {x["path"]: x.get("count") for x in record_of(outcome) if "count" in x}
    assert counted["look:"]
    assert {x["op"] for x in record_of(outcome) if "count" not in x} <= {"exec", "open", "mkdir"}


HONEST = """
import multiprocessing, os, pathlib, shutil, subprocess, sys, tempfile, threading, zipfile
import numpy, torch, SimpleITK
from torch.utils.data import DataLoader, TensorDataset

if __name__ == "__main__":
    loader = DataLoader(TensorDataset(torch.arange(64.0)), batch_size=8, num_workers=2)
    print(float(sum(batch[0].sum() for batch in loader)))
    with multiprocessing.Pool(2) as pool: print(pool.map(abs, [-1, -2]))
    view = pathlib.Path(os.environ["AMID_DATA"]).resolve()
    for path in sorted(view.rglob("*")):
        if path.is_file(): shutil.copy(path, "tmp")
    with tempfile.TemporaryDirectory() as place: numpy.save(f"{place}/x.npy", numpy.zeros(9))
    subprocess.run([sys.executable, "-c", "import json, pathlib; pathlib.Path.cwd()"], check=True)
    subprocess.run("ls -l out; cat in/code/train.py | wc -l", shell=True, check=True)
    torch.save({"w": torch.zeros(3)}, "out/model.pt"); torch.load("out/model.pt")
    os.replace("out/model.pt", "out/final.pt")
    image = SimpleITK.GetImageFromArray(numpy.zeros((4, 4, 4), numpy.uint8))
    SimpleITK.WriteImage(image, "out/x.nii.gz"); SimpleITK.ReadImage("out/x.nii.gz")
    threads = [threading.Thread(target=os.listdir, args=("in",)) for _ in range(9)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
"""


def test_honest_work_asks_for_nothing_sealed(tmp_path: Path) -> None:
    """Given loaders, pools, shells and threads, then no line speaks of a sealed place."""
    place = Place.make(tmp_path)
    outcome = ran(place, HONEST, memory_mib=4096, wall_s=300, cpu_s=300, output_mib=64)

    assert outcome.status == "finished", (outcome.reason, log_of(outcome))
    assert asked(outcome) == set()
    assert outcome.assurance == ASSURED[place.kind]
    assert [x for x in record_of(outcome) if x["op"] == "unread"] == []


def test_the_result_says_what_the_record_says(tmp_path: Path) -> None:
    place = Place.make(tmp_path)
    outcome = ran(place, "open('out/x', 'w'); open('in/code/train.py')")

    assert outcome.access.opened == len(
        {x["path"] for x in record_of(outcome) if x["op"] in ("open", "write") and "count" not in x}
    )
    assert read_result(place.run / "jobs/job") == outcome
