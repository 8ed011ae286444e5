"""Make a run folder with its first events: read, check and seal everything, or leave nothing."""

import fcntl
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from ledger.blobs import BlobStore
from ledger.events.data import ProbeMeasured
from ledger.events.run import RunStarted, SeedDrawn, Setting
from ledger.store import Ledger
from runtime.errors import RunBusy, RunExists
from runtime.policy import Policy
from runtime.ports import Sandbox


def create_run(
    task: Path,
    run: Path,
    *,
    data: Path | None,
    seed: int | None,
    budget: str | None,
    agents: str,
    sandbox: str,
    cores: int | None,
    probe: Path | None = None,
) -> None:
    """Make the run folder with its first events, all or nothing.

    Every bad input is an error here, before any job; nothing half-made is left behind.

    Raises:
        runtime.errors.RunExists: something already lies at the run's path.
        amid.errors.AmidError: the task, its data or an option cannot be used.
    """
    if os.path.lexists(os.path.abspath(run)):  # noqa: PTH100 - `x/..` too, whether x is there
        raise RunExists(
            f"{run} exists already",
            where=run,
            why="a run is never written over",
            hint="choose another folder with -o, or go on with it by `amid resume`",
        )

    from amid.errors import from_os_error
    from amid.planning import prices
    from amid.run import environment

    start = _Start(
        task=task,
        data=data,
        seed=seed,
        wall=None if budget is None else _wall(budget),
        cores=cores or environment.usable_cores(),
        prices=() if probe is None else prices.read(probe),
    )
    settings = _settings(_policy(agents, sandbox), start, cores=cores, budget=budget)
    making = run.absolute().parent / f".{run.name}.making"
    parents = [folder for folder in making.parents if not folder.exists()]

    try:
        making.mkdir(parents=True, exist_ok=True)
        with _alone(making, run):
            try:
                _clear(making)
                _first_events(start, making, settings)
                making.rename(run)
            finally:
                shutil.rmtree(making, ignore_errors=True)
    except OSError as error:
        raise from_os_error(error, doing="making the run", place=making) from error
    finally:
        for folder in parents:  # those made for nothing; one that holds the run stays
            with suppress(OSError):
                folder.rmdir()


@contextmanager
def _alone(making: Path, run: Path) -> Iterator[None]:
    """Hold the folder against another process that makes the same run."""
    handle = os.open(making, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            mine = os.path.samestat(os.fstat(handle), making.stat())
        except (BlockingIOError, FileNotFoundError):
            mine = False

        if not mine:
            raise RunBusy(
                f"another process is making {run}",
                where=making,
                why="two runs in one folder would be neither",
                hint="choose another folder with -o",
            )

        yield
    finally:
        os.close(handle)


def _clear(making: Path) -> None:
    """Remove what a process left that was killed while it made this run."""
    for path in making.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


@dataclass(frozen=True, slots=True)
class _Start:
    """What a run is made from."""

    task: Path
    data: Path | None
    seed: int | None
    wall: int | None
    cores: int
    prices: tuple[ProbeMeasured, ...]


def _first_events(start: _Start, making: Path, settings: tuple[Setting, ...]) -> None:
    from amid.run import environment, program
    from amid.run.prepare import prepare
    from runtime.adapters.sandbox.probe import available_sandboxes
    from runtime.journal import Journal

    blobs = BlobStore(making / "blobs")
    seed = secrets.randbelow(2**31) if start.seed is None else start.seed
    prepared = prepare(
        start.task,
        start.data,
        making,
        seed,
        blobs.put,
        cores=start.cores,
        wall=start.wall,
    )
    facts = sorted((*start.prices, *prepared.facts), key=lambda fact: fact.type == "split.frozen")
    started = RunStarted(
        run=secrets.token_hex(16),
        task=blobs.put(start.task / "task.toml"),
        settings=settings,
        code=program.code(blobs.put),
    )
    drawn = SeedDrawn(seed=seed, origin="drawn" if start.seed is None else "option")
    captured = environment.capture(blobs.put, cores=start.cores, sandboxes=available_sandboxes())
    ledger = Ledger.create(making / "ledger.db")

    with Journal(ledger) as journal:
        ledger.acquire()
        journal.append((started, drawn, captured, environment.acquired(journal.term), *facts))


def _wall(budget: str) -> int:
    from amid.errors import ContractWrong
    from amid.tasks.contract import seconds

    try:
        return seconds(budget)
    except ValueError as error:
        raise ContractWrong(
            f"--budget {budget!r} is not understood: {error}",
            where="--budget",
            why="every stage of the run gets its share of it",
            do="write 45s, 10m, 1h30m or 2d",
        ) from error


def _policy(agents: str, sandbox: str) -> Policy:
    from amid.errors import ContractWrong

    name, _, count = agents.partition("=")

    if name != "recipe" or re.fullmatch("[1-9][0-9]{0,2}", count or "1") is None:
        raise ContractWrong(
            f"--agents {agents!r} is not understood",
            where="--agents",
            why="every worker needs a backend that this version has",
            do="write recipe=N, with N the number of workers in a round, 1 to 999",
        )

    kinds: dict[str, Sandbox] = {"none": "none", "bubblewrap": "bubblewrap"}
    kind = kinds.get(sandbox, "landlock")
    return replace(Policy(), workers=int(count or 1), sandbox=kind)


def _settings(
    policy: Policy, start: _Start, *, cores: int | None, budget: str | None
) -> tuple[Setting, ...]:
    default = Policy().to_settings()
    rows: dict[str, tuple[str, Literal["default", "task", "option"]]] = {
        name: (value, "default" if value == default[name] else "option")
        for name, value in policy.to_settings().items()
    }
    rows["cores"] = (str(start.cores), "default" if cores is None else "option")
    rows["budget"] = (budget or "as in task.toml", "task" if budget is None else "option")
    return tuple(
        Setting(name=name, value=value, origin=origin)
        for name, (value, origin) in sorted(rows.items())
    )
