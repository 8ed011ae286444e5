"""What ordinary training code does, and must be able to do in a job."""

import os
from pathlib import Path

import pytest

from runtime.adapters.sandbox import probe
from runtime.ports import Sandbox
from tests.runtime.job_places import SHUT_IN, Place, execute, log_of, ran

KINDS = SHUT_IN


@pytest.mark.parametrize("kind", KINDS)
def test_databases_and_locks_on_its_own_files(tmp_path: Path, kind: Sandbox) -> None:
    """Given two processes of a job, then a lock on its own file keeps one of them out."""
    code = """
import fcntl, os, sqlite3
base = sqlite3.connect("out/study.db")
base.execute("create table t (x)")
with base:
    base.executemany("insert into t values (?)", [(n,) for n in range(10)])
held = open("tmp/lock", "w")
fcntl.flock(held, fcntl.LOCK_EX)
with base:
    base.execute("insert into t values (99)")
    pid = os.fork()
    if pid == 0:
        other = sqlite3.connect("out/study.db", timeout=0.1)
        try:
            other.execute("insert into t values (1)")
        except sqlite3.OperationalError as busy:
            print(busy, flush=True)
        try:
            fcntl.flock(open("tmp/lock"), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("locked", flush=True)
        os._exit(0)
    os.waitpid(pid, 0)
fcntl.flock(held, fcntl.LOCK_UN)
print(base.execute("select count(*) from t").fetchone())
with open("../../views/v1/images/c-0001_0000.nii.gz", "rb") as image:
    fcntl.flock(image, fcntl.LOCK_SH)  # as HDF5 does on opening
    fcntl.lockf(image, fcntl.LOCK_SH)
print("read locks on what it reads")
"""
    outcome = ran(Place.make(tmp_path), code, kind)

    said = log_of(outcome).splitlines()
    assert said == ["database is locked", "locked", "(11,)", "read locks on what it reads"], said
    assert outcome.access.denied == ()


@pytest.mark.parametrize("kind", KINDS)
def test_its_own_children_can_be_signalled_and_looked_at(tmp_path: Path, kind: Sandbox) -> None:
    code = """
import os, signal, subprocess, sys, threading
child = subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE)
os.kill(child.pid, 0)
os.setpriority(os.PRIO_PROCESS, child.pid, 5)
print(os.getpriority(os.PRIO_PROCESS, child.pid), len(os.sched_getaffinity(child.pid)) > 0)
os.sched_setaffinity(child.pid, os.sched_getaffinity(0))
child.send_signal(signal.SIGTERM)
print(child.wait())
signal.signal(signal.SIGUSR1, lambda *_: print("mine"))
signal.raise_signal(signal.SIGUSR1)
signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)
group = subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE,
                         process_group=0)
os.killpg(group.pid, signal.SIGKILL)
print(group.wait(), os.getpgid(0) == os.getpid())
signal.signal(signal.SIGTERM, lambda *_: print("group"))
os.kill(0, signal.SIGTERM)
"""
    outcome = ran(Place.make(tmp_path), code, kind)

    said = log_of(outcome).splitlines()
    assert said == ["5 True", "-15", "mine", "mine", "-9 True", "group"], said
    assert outcome.status == "finished", outcome.reason


@pytest.mark.parametrize("kind", KINDS)
def test_processes_pass_descriptors_through_a_named_socket(tmp_path: Path, kind: Sandbox) -> None:
    """Given a listener in its own folder, then the name it reports is the one it was given."""
    code = """
import os
from multiprocessing.connection import Client, Listener
from multiprocessing.reduction import recv_handle, send_handle
with Listener("tmp/listener", authkey=b"x") as listener:
    assert listener.address == "tmp/listener"
    if os.fork() == 0:
        with Client(listener.address, authkey=b"x") as end:
            send_handle(end, os.open("in/code/train.py", os.O_RDONLY), os.getppid())
        os._exit(0)
    with listener.accept() as end:
        print(os.read(recv_handle(end), 11))
"""
    outcome = ran(Place.make(tmp_path), code, kind)

    assert log_of(outcome) == "b'\\nimport os\\n'\n"
    assert outcome.status == "finished", outcome.reason


needs_mounts = pytest.mark.skipif(
    not probe.private_mounts(), reason="this machine lets no job have mounts of its own"
)


@needs_mounts
@pytest.mark.parametrize("kind", KINDS)
def test_multiprocessing(tmp_path: Path, kind: Sandbox) -> None:
    """Locks, pools, queues, shared arrays: all of them live in /dev/shm."""
    code = """
import multiprocessing as mp
from multiprocessing import shared_memory

def square(x):
    with lock:
        total.value += x
    return x * x

if __name__ == "__main__":
    for method in ("fork", "spawn", "forkserver"):
        with mp.get_context(method).Pool(2) as pool:
            print(method, pool.map(abs, range(-5, 0)))
    lock, total = mp.Lock(), mp.Value("i", 0)
    with mp.Pool(2) as pool:
        print(pool.map(square, range(10)), total.value)
    queue = mp.Queue()
    worker = mp.Process(target=queue.put, args=(b"x" * 200_000,))
    worker.start()
    print(len(queue.get()))
    worker.join()
    block = shared_memory.SharedMemory(create=True, size=1 << 20)
    block.buf[:2] = b"ok"
    same = shared_memory.SharedMemory(block.name)
    print(bytes(same.buf[:2]))
    same.close()
    block.unlink()
    with mp.Manager() as manager:
        print(manager.list([1, 2])[1])
"""
    outcome = ran(Place.make(tmp_path), code, kind)

    assert log_of(outcome).splitlines() == [
        *(f"{method} [5, 4, 3, 2, 1]" for method in ("fork", "spawn", "forkserver")),
        "[0, 1, 4, 9, 16, 25, 36, 49, 64, 81] 45",
        "200000",
        "b'ok'",
        "2",
    ], log_of(outcome)
    assert outcome.status == "finished", outcome.reason
    assert {refused.path for refused in outcome.access.denied} <= {"other:/proc/self/fd", "job:"}


@needs_mounts
@pytest.mark.parametrize("kind", KINDS)
def test_a_loader_of_pytorch_with_workers(tmp_path: Path, kind: Sandbox) -> None:
    """Given a run deep in folders, then batches come back from workers through shared memory."""
    pytest.importorskip("torch")
    code = """
import torch
from torch.utils.data import DataLoader, Dataset

class Cases(Dataset):
    def __len__(self): return 12
    def __getitem__(self, n): return torch.full((1, 16, 16, 16), n, dtype=torch.float32)

if __name__ == "__main__":
    torch.set_num_threads(1)
    for persistent in (False, True):
        loader = DataLoader(Cases(), batch_size=2, num_workers=2, persistent_workers=persistent)
        print(sum(float(batch.sum()) for batch in loader))
"""
    deep = tmp_path / ("a-folder-of-somebody-with-long-names" * 2) / "runs"
    deep.mkdir(parents=True)
    outcome = ran(Place.make(deep), code, kind, wall_s=50, cpu_s=50)

    assert log_of(outcome).splitlines() == ["270336.0", "270336.0"], log_of(outcome)
    assert (outcome.status, outcome.access.denied) == ("finished", ()), outcome.reason


@needs_mounts
@pytest.mark.parametrize("kind", KINDS)
def test_shared_memory_counts_as_memory(tmp_path: Path, kind: Sandbox) -> None:
    """Given a file in /dev/shm that no process maps, then the memory limit sees it."""
    code = """
import os, time
with open("/dev/shm/x", "wb") as sink:
    for _ in range(200):
        sink.write(bytes(1 << 20))
time.sleep(30)
"""
    outcome = ran(Place.make(tmp_path), code, kind, memory_mib=150, output_mib=500)

    assert outcome.reason == "memory limit of 150 MiB reached" or "No space left" in log_of(outcome)


@needs_mounts
@pytest.mark.parametrize("kind", KINDS)
def test_reading_leaves_no_mark_on_a_file(tmp_path: Path, kind: Sandbox) -> None:
    """Given a file that was never read since it changed, then its access time stays."""
    place = Place.make(tmp_path)
    image = place.run / "views" / "v1" / "images" / "c-0001_0000.nii.gz"
    os.utime(image, (1, 2))  # older than its change: relatime would set it

    outcome = execute(place.job(f"open({str(image)!r}).read()", sandbox=kind))

    assert outcome.status == "finished", log_of(outcome)
    assert image.stat().st_atime == 1
