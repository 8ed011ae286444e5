"""Two jobs at once, one with something to tell: by no way does the other one hear of it.

The same attack without a sandbox is the control: what does not come through there proves nothing
when it does not come through in a sandbox.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio
import pytest

from runtime.adapters.executors.local import LocalExecutor
from runtime.adapters.sandbox import probe
from runtime.ports import JobOutcome, JobSpec, Sandbox
from tests.architecture.tree import ROOT
from tests.runtime.channels import HERE, receiver, sender
from tests.runtime.job_places import LIMITS, Place, appearance, log_of, needs_bubblewrap

IS_THERE = ("proc-exists", "proc-open-files", "signal-exists")
"""Landlock hides what lies in another process's folder of /proc, not that the process is there."""
WAYS = tuple(re.findall(r'^    "([a-z0-9-]+)": ', (HERE / "receiver.py.txt").read_text(), re.M))
ON_ANY_PAGE = ("page-wait",)
"""A futex on a page of a file that both have mapped, such as libc's code. Shared semaphores and the
join of a thread are the same call, so no filter can refuse it, and no namespace divides a page."""
UNPROVED = frozenset(("ptrace",))
"""Does not come through without a sandbox either: the recorder traces the job already."""


def _others(folder: Path) -> list[int]:
    """Return the processes that run a job's script."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if b"in/code/train.py" in (entry / "cmdline").read_bytes():
                found += [int(entry.name)] if (entry / "cwd").readlink() == folder else []
        except (OSError, ValueError):
            continue

    return found


def _forget(path: Path) -> None:
    """Write a file out and drop its pages."""
    handle = os.open(path, os.O_RDONLY)
    os.fsync(handle)
    os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(handle)


@contextmanager
def _machine(*, mounts: bool) -> Iterator[None]:
    """Be on a machine that lets jobs have mounts of their own, or not."""
    if mounts and not probe.private_mounts():
        pytest.skip("this machine lets no job have mounts of its own")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(probe, "private_mounts", lambda: mounts)
        yield


@cache
def heard(kind: Sandbox, *, mounts: bool = False) -> tuple[JobOutcome, JobOutcome, str]:
    """Let one job send while another listens; return both outcomes and what the second printed."""
    limits = LIMITS.model_copy(update={"wall_s": 60})
    ended: dict[str, JobOutcome] = {}

    async def run(executor: LocalExecutor, spec: JobSpec) -> None:
        ended[spec.folder.name] = await executor.run(spec)

    async def both(place: Place) -> None:
        executor = LocalExecutor(2)
        first = place.job(sender(), "sender", sandbox=kind, limits=limits)
        async with anyio.create_task_group() as group:
            group.start_soon(run, executor, first)
            await appearance(first.folder / "out" / "ready")
            script = receiver(_others(first.folder), first.folder)
            second = place.job(script, "receiver", key="cd" * 32, sandbox=kind, limits=limits)
            await run(executor, second)
            (first.folder / "ask" / "stop").touch()

    with TemporaryDirectory() as folder, _machine(mounts=mounts):
        place = Place.make(Path(folder))
        cold = place.run / "views" / "v1" / "cold"
        cold.write_bytes(bytes(1 << 20))
        _forget(cold)
        anyio.run(both, place)
        said = log_of(ended["receiver"])

    return ended["sender"], ended["receiver"], said


def test_every_way_is_in_the_documents() -> None:
    page = (ROOT / "docs" / "sandbox.md").read_text(encoding="utf-8")

    assert [way for way in WAYS if f"`{way}`" not in page] == []


@pytest.mark.parametrize("way", WAYS)
def test_without_a_sandbox_the_bit_comes_through(way: str) -> None:
    *_, said = heard("none")

    assert (f"received {way}\n" in said) is (way not in UNPROVED), said


@needs_bubblewrap
@pytest.mark.parametrize("way", WAYS)
def test_no_bit_comes_through_namespaces(way: str) -> None:
    first, second, said = heard("bubblewrap")

    assert (first.status, second.status) == ("finished", "finished"), (first.reason, said)
    assert (first.assurance, second.assurance) == ("sealed", "sealed")
    assert (f"received {way}\n" in said) is (way in ON_ANY_PAGE), said


@pytest.mark.parametrize("mounts", [True, False], ids=["own-mounts", "no-mounts"])
@pytest.mark.parametrize("way", WAYS)
def test_no_bit_comes_through_landlock(way: str, mounts: bool) -> None:
    """But for that a process is there: why code of two folds never runs at the same time."""
    first, second, said = heard("landlock", mounts=mounts)

    assert (first.status, second.status) == ("finished", "finished"), (first.reason, said)
    assert (first.assurance, second.assurance) == ("confined", "confined")
    assert (f"received {way}\n" in said) is (way in (*IS_THERE, *ON_ANY_PAGE)), said
