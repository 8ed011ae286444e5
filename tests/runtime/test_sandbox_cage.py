"""What a job cannot do to the machine around it."""

import os
import re
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.runtime.job_places import Place, execute, log_of, ran, record_of, refusals_of

pytestmark = pytest.mark.usefixtures("each_kind")

TRY = """
import os
def attempt(name, call):
    try:
        print(name, "worked", call())
    except OSError as e:
        print(name, "refused", e.errno)
"""


@pytest.fixture
def bystander() -> Iterator[int]:
    """A process of the same user outside the sandbox."""
    with subprocess.Popen([sys.executable, "-I", "-c", "input()"], stdin=subprocess.PIPE) as other:
        yield other.pid
        assert other.poll() is None, "the bystander was ended"
        other.kill()


def test_other_processes_are_out_of_reach(tmp_path: Path, bystander: int) -> None:
    code = (
        TRY
        + f"""
import ctypes, resource, signal
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *a):
    if getattr(libc, name)(*a) < 0:
        raise OSError(ctypes.get_errno(), name)
for pid in ({bystander}, os.getppid()):
    attempt("kill", lambda: os.kill(pid, signal.SIGKILL))
    attempt("ptrace", lambda: call("ptrace", 16, pid, 0, 0))
    attempt("vm_readv", lambda: call("process_vm_readv", pid, 0, 0, 0, 0, 0))
    attempt("environ", lambda: open(f"/proc/{{pid}}/environ", "rb").read())
    attempt("mem", lambda: open(f"/proc/{{pid}}/mem", "rb").read(1))
    attempt("prlimit", lambda: resource.prlimit(pid, resource.RLIMIT_CPU, (0, 0)))
"""
    )
    outcome = ran(Place.make(tmp_path), code)

    said = log_of(outcome)
    assert outcome.status == "finished", said
    assert said.count("refused") == 12, said
    assert "worked" not in said


def test_its_own_record_result_and_claim_are_out_of_reach(tmp_path: Path) -> None:
    code = (
        TRY
        + """
for path in ("log/job.log", "log/strace.out", "result.json", "claim.1", "beat", "in/code/train.py",
             "in/more", "job.json", "x"):
    attempt(path, lambda: open(path, "a"))
attempt("unlink", lambda: os.unlink("claim.1"))
attempt("rename", lambda: os.rename("out", "out2"))
attempt("link", lambda: os.link("in/code/train.py", "out/x"))
"""
    )
    outcome = ran(Place.make(tmp_path), code)

    said = log_of(outcome)
    assert said.count("refused") == 12, said
    assert "worked" not in said
    assert ("write", "job:result.json", "EACCES") in refusals_of(outcome)


def test_no_socket_family_but_local_streams(tmp_path: Path) -> None:
    code = (
        TRY
        + """
import socket
for family, kind in ((socket.AF_INET6, 1), (socket.AF_NETLINK, 3), (socket.AF_PACKET, 3),
                     (socket.AF_VSOCK, 1), (socket.AF_UNIX, 2), (38, 5)):
    attempt(str(family), lambda: socket.socket(family, kind))
a, b = socket.socketpair()
a.send(b"hello"); print(b.recv(5))
"""
    )
    outcome = ran(Place.make(tmp_path), code)

    assert log_of(outcome).count("refused 1\n") == 6, log_of(outcome)
    assert "b'hello'" in log_of(outcome)
    assert {path for op, path, _ in refusals_of(outcome) if op == "socket"} == {
        "AF_INET6/SOCK_STREAM",
        "AF_NETLINK/SOCK_RAW",
        "AF_PACKET/SOCK_RAW",
        "AF_VSOCK/SOCK_STREAM",
        "AF_UNIX/SOCK_DGRAM",
        "AF_ALG/SOCK_SEQPACKET",
    }


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="numbers of x86_64")
def test_calls_no_job_has_business_with(tmp_path: Path) -> None:
    code = (
        TRY
        + """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *a):
    if libc.syscall(ctypes.c_long(number), *map(ctypes.c_long, a)) < 0:
        raise OSError(ctypes.get_errno(), "")
calls = {"io_uring": (425, 1, 0), "bpf": (321, 0, 0, 0), "unshare": (272, 0x10000000),
         "userfaultfd": (323, 0), "keyctl": (250, 0, 0), "mount": (165, 0, 0, 0, 0, 0),
         "perf": (298, 0, 0, 0, 0, 0), "clone": (56, 0x10000000 | 17, 0, 0, 0, 0),
         "untraced": (56, 0x00800000 | 17, 0, 0, 0, 0), "filter": (157, 22, 2, 0),
         "chroot": (161, 0), "setsid": (112,), "handle": (304, 0, 0, 0), "shmget": (29, 0, 1, 0),
         "memfd": (319, 0, 0), "memfd_secret": (447, 0)}
for name, words in calls.items():
    attempt(name, lambda: call(*words))
print(open("/proc/self/status").read())
"""
    )
    outcome = ran(Place.make(tmp_path), code)

    said = log_of(outcome)
    assert said.count("refused 1\n") == 16, said
    assert "CapEff:\t0000000000000000" in said
    assert "CapBnd:\t0000000000000000" in said
    assert "NoNewPrivs:\t1" in said


def test_another_architectures_calls_end_the_job(tmp_path: Path) -> None:
    code = """
import ctypes
ctypes.CDLL(None).syscall(ctypes.c_long(0x40000000 + 39))
print("alive")
"""
    outcome = ran(Place.make(tmp_path), code)

    if os.uname().machine == "x86_64":
        assert outcome.reason == "killed by SIGSYS"


def test_a_local_socket_outside_its_folders_is_refused_and_inside_works(tmp_path: Path) -> None:
    place = Place.make(tmp_path)
    outside = str(tmp_path / "docker.sock")
    code = (
        TRY
        + f"""
import socket, threading
def reach(path):
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(path)
        s.send(b"hi")
attempt("outside", lambda: reach({outside!r}))
attempt("link", lambda: os.symlink({outside!r}, "tmp/link"))
attempt("abstract", lambda: reach(chr(0) + "name"))
server = socket.socket(socket.AF_UNIX); server.bind("tmp/own"); server.listen()
attempt("own", lambda: reach("tmp/own"))
print(server.accept()[0].recv(2))
attempt("none", lambda: reach("tmp/missing"))
"""
    )
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(outside)
        server.listen()
        outcome = ran(place, code)

    said = log_of(outcome).splitlines()
    assert said == [
        "outside refused 1",
        "link refused 13",
        "abstract refused 1",
        "own worked None",
        "b'hi'",
        "none refused 2",
    ]
    top = outside.split("/")[1]
    assert ("connect", f"other:/{top}/…", "EPERM") in refusals_of(outcome)
    assert ("connect", "AF_UNIX/abstract", "EPERM") in refusals_of(outcome)


def test_modes_owners_and_times_outside_are_out_of_reach(tmp_path: Path) -> None:
    place = Place.make(tmp_path)
    secret = place.run / "ledger.db"
    code = (
        TRY
        + f"""
import shutil
for path in ({str(secret)!r}, "in/code/train.py"):
    attempt("chmod", lambda: os.chmod(path, 0o777))
    attempt("chown", lambda: os.chown(path, 1, 1))
    attempt("utime", lambda: os.utime(path))
    attempt("xattr", lambda: os.setxattr(path, "user.x", b"1"))
fd = os.open("in/code/train.py", os.O_RDONLY)
attempt("fchmod", lambda: os.fchmod(fd, 0o777))
shutil.copy2("in/code/train.py", "out/copy.py")
os.chmod("out/copy.py", 0o4755)
"""
    )
    before = secret.stat()

    outcome = ran(place, code)

    said = log_of(outcome)
    assert outcome.status == "finished", said
    assert said.count("refused 1\n") == 9, said
    after = secret.stat()
    assert (before.st_mode, before.st_mtime_ns) == (after.st_mode, after.st_mtime_ns)
    assert ("chmod", "run:ledger.db", "EPERM") in refusals_of(outcome)
    copied = place.run / "jobs/job/out/copy.py"
    assert not copied.stat().st_mode & stat.S_ISUID


def test_threads_and_child_processes_work(tmp_path: Path) -> None:
    code = """
import subprocess, threading, sys, os
t = threading.Thread(target=lambda: print("thread", flush=True)); t.start(); t.join()
subprocess.run(["/bin/sh", "-c", "echo shell; echo $HOME"], check=True)
subprocess.run([sys.executable, "-S", "-c", "print('python')"], check=True)
pid = os.fork()
if pid == 0: os._exit(3)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
    outcome = ran(Place.make(tmp_path), code)

    assert log_of(outcome).split() == ["thread", "shell", "tmp", "python", "3"]
    assert outcome.access.denied == ()
    assert not [line for line in record_of(outcome) if line["op"] == "unread"]


def test_the_worktrees_own_runtime_package_is_not_the_wrappers(tmp_path: Path) -> None:
    place = Place.make(tmp_path)
    spec = place.job("import runtime; print(runtime.__file__)")
    planted = spec.folder / "in" / "code" / "runtime"
    planted.mkdir()
    mark = tmp_path / "planted"
    for name in ("__init__.py", "job.py", "confine.py"):
        (planted / name).write_text(f"open({str(mark)!r}, 'w')\n")

    outcome = execute(spec)

    assert outcome.reason == "exit 1"
    assert re.search("Permission denied|Read-only file system", log_of(outcome))
    assert not mark.exists()
