"""Commands that look at a run while it goes on or afterwards. None of them changes the run."""

import os
import shutil
import stat
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from amid.cli.base import Command, json_option, print_object, run_argument, tell

if TYPE_CHECKING:
    from amid.cli.find import Found
    from amid.cli.folder import Row

LAST = frozenset({"run.finished", "run.aborted"})
"""Nothing is appended after these."""


@click.command(cls=Command)
@run_argument
@click.option("--watch", is_flag=True, help="Show it again every two seconds until the run ends.")
@json_option
def status(*, run: Path, watch: bool, as_json: bool) -> int:
    """Say where RUN stands."""
    from amid.cli.folder import check_run
    from amid.cli.standing import told
    from amid.words.tables import text_of

    check_run(run)
    from amid.run import compose

    if as_json:
        print_object("status/1", compose.status(run))
        return 0

    for seq in _heads(run, watch=watch):
        if watch:
            click.clear()

        tell("\n".join(text_of(told(compose.status(run)))))
        if watch:
            click.echo(f"as of event {seq}; ^C ends the watching, not the run", err=True)

    return 0


def _heads(run: Path, *, watch: bool) -> Iterator[int]:
    """Yield the number of the last event, again and again until the run is over."""
    from amid.cli.folder import rows

    seq = 0
    over = False
    while not over:
        for row in rows(run, after=seq):
            seq = row.seq
            over = over or row.type in LAST

        yield seq
        if not watch:
            return

        if not over:
            time.sleep(2.0)


@click.command(cls=Command)
@run_argument
@click.option("-n", "count", type=click.IntRange(min=0), help="Start with the last N events.")
@click.option("--once", is_flag=True, help="Print what is there and end; do not follow.")
@json_option
def tail(*, run: Path, count: int | None, once: bool, as_json: bool) -> int:
    """Follow the events of RUN until it is over."""
    from amid.cli.folder import rows
    from amid.words.sentences import sentence

    past = list(rows(run))
    shown = past if count is None else past[max(0, len(past) - count) :]
    if as_json:
        print_object("tail/1", {"events": [_plain(row) for row in shown]})
        return 0

    seq = past[-1].seq if past else 0
    over = once or any(row.type in LAST for row in past)
    for row in shown:
        tell(_line(row, sentence(row.type, row.body)))

    while not over:
        time.sleep(0.5)
        for row in rows(run, after=seq):
            seq = row.seq
            over = over or row.type in LAST
            tell(_line(row, sentence(row.type, row.body)))

    return 0


def _line(row: "Row", text: str) -> str:
    from amid.cli.folder import moment

    return f"{row.seq:>6}  {moment(row.at_us):%H:%M:%S}  {row.type:<26} {text}"


def _plain(row: "Row") -> dict[str, object]:
    from amid.cli.folder import moment
    from amid.words.sentences import fields_of, sentence

    return {
        "seq": row.seq,
        "at": moment(row.at_us).isoformat(),
        "type": row.type,
        "v": row.v,
        "hash": row.hash,
        "says": sentence(row.type, row.body),
        "body": fields_of(row.body),
    }


@click.command(cls=Command)
@run_argument
@click.argument("thing", metavar="ID")
@click.option("--raw", is_flag=True, help="Print a blob's bytes, all of them, as they are.")
@json_option
def show(*, run: Path, thing: str, raw: bool, as_json: bool) -> int:
    """Show one event, attempt, lane, job, case or blob of RUN.

    ID is an event's number, the name of an attempt, lane or worker, or the beginning of the digest
    of an event, a job's key, a commit or a blob. A case of the report, such as c-0030, is told with
    its real name and files to whoever may read the vault.
    `KIND:ID`, such as `blob:12ab`, names the kind where the bare ID could mean two things.
    What jobs and agents wrote is escaped where it could steer a terminal; it is shown as it is in a
    file, or with --raw.
    """
    from amid.cli.find import Index
    from amid.words.tables import text_of

    if raw and as_json:
        raise click.UsageError("--raw prints bytes and --json an object: give one of them")

    found = Index.of(run).find(thing)
    if raw:
        _raw(found)
    elif as_json:
        print_object("show/1", found.to_json())
    else:
        _answer("\n".join(text_of(found.to_json())))

    return 0


def _raw(found: "Found") -> None:
    """Write a blob, or the body of an event, byte for byte.

    Raises:
        AmidUsageError: the thing has no bytes of its own, or its blob is not in the store.
    """
    from amid.cli.errors import AmidUsageError

    if found.blob is not None and found.blob.is_file():
        with found.blob.open("rb") as content:
            shutil.copyfileobj(content, sys.stdout.buffer)
    elif found.kind == "event":
        sys.stdout.buffer.write(found.events[0].body)
    else:
        raise AmidUsageError(
            f"{found.kind} {found.name} has no bytes to print",
            hint="give an event or a blob that is in the store; without --raw it is told in words",
        )


def _to_a_file() -> bool:
    """Say whether standard output is a file of a disk, where nothing can be steered."""
    try:
        return stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode)
    except (OSError, ValueError):  # no output, or none with a number
        return False


def _answer(text: str) -> None:
    if _to_a_file():
        click.echo(text, color=True)  # keeps what click would take out of a file
    else:
        tell(text)
