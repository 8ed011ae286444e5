"""What ordinary training code does, and must be able to do in a job."""

from pathlib import Path

import pytest

from runtime.ports import Sandbox
from tests.runtime.job_places import Place, log_of, ran

KINDS: tuple[Sandbox, ...] = ("landlock",)


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
