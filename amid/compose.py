"""Wire the ports of a run together: the one place that knows every adapter."""

import os
import secrets
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import anyio

from amid.domain import MedicalDomain
from ledger.blobs import BlobStore
from ledger.events.base import Fact
from ledger.events.run import (
    RunPaused,
    RunResumed,
    RunStarted,
    SeedDrawn,
    Setting,
    WriterAcquired,
)
from ledger.record import Record
from ledger.store import Ledger
from projections.run import RunState
from runtime.decide import Context
from runtime.errors import RunExists, RunMissing
from runtime.journal import Journal
from runtime.policy import Policy

Say = Callable[[Record, Fact], None]
UNTIL = ("profile", "plan", "explore", "promote", "end")


@dataclass(frozen=True, slots=True)
class Order:
    """What a person asked `amid run` for."""

    task: Path
    run: Path
    data: Path | None = None
    seed: int | None = None
    budget: str | None = None
    agent: str = "recipe"
    workers: int = 2
    sandbox: str = "landlock"
    cores: int | None = None
    until: str = "end"


@dataclass(frozen=True, slots=True)
class RunAnswer:
    """How a run stands when the command ends."""

    outcome: str
    """`package`, `refused`, `stopped` or `paused`."""
    because: str
    package: Path | None
    report: Path | None
    seq: int


def create_run(order: Order) -> None:
    """Make the run folder with its first events, all or nothing.

    Every bad input is an error here, before any job; nothing half-made is left behind.

    Raises:
        runtime.errors.RunExists: something already lies at the run's path.
        amid.errors.AmidError: the task or its data cannot be used.
    """
    if order.run.exists():
        raise RunExists(
            f"{order.run} exists already",
            where=order.run,
            why="a run is never written over",
            hint="choose another folder with -o, or go on with it by `amid resume`",
        )

    making = order.run.parent / f".{order.run.name}.making"
    shutil.rmtree(making, ignore_errors=True)
    making.mkdir(parents=True)

    try:
        _first_events(order, making)
        making.rename(order.run)
    finally:
        shutil.rmtree(making, ignore_errors=True)


def _first_events(order: Order, making: Path) -> None:
    from amid import environment
    from amid.prepare import prepare
    from runtime.adapters.sandbox import available_sandboxes

    blobs = BlobStore(making / "blobs")
    seed = secrets.randbelow(2**31) if order.seed is None else order.seed
    cores = order.cores or environment.usable_cores()
    prepared = prepare(
        order.task, order.data, making, seed=seed, put=blobs.put, cores=cores, budget=order.budget
    )
    started = RunStarted(
        run=secrets.token_hex(16),
        task=blobs.put((order.task / "task.toml").read_bytes()),
        settings=_settings(order, cores),
        code=environment.code(blobs.put),
    )
    drawn = SeedDrawn(seed=seed, origin="drawn" if order.seed is None else "option")
    captured = environment.capture(blobs.put, cores=cores, sandboxes=available_sandboxes())

    with Journal(Ledger.create(making / "ledger.db")) as journal:
        acquired = _acquired(journal.term)
        journal.append((started, drawn, captured, acquired, *prepared.facts))


def _settings(order: Order, cores: int) -> tuple[Setting, ...]:
    policy = replace(
        Policy(), workers=order.workers, agent=order.agent, sandbox=_sandbox(order.sandbox)
    )
    default = Policy().to_settings()
    rows = {name: (v, "default" if v == default[name] else "option") for name, v in policy.to_settings().items()}
    rows["cores"] = (str(cores), "default" if order.cores is None else "option")
    rows["budget"] = (order.budget or "", "task" if order.budget is None else "option")
    return tuple(
        Setting.model_validate({"name": name, "value": value, "origin": origin})
        for name, (value, origin) in sorted(rows.items())
    )
