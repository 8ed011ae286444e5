"""Takes a run over from whoever wrote it before, after asking whether ledger and folder agree.

Nothing of a run is ever deleted here. What a crash left half done is moved aside, and a folder that
is ahead of its ledger is refused.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from amid.run import environment, program
from ledger.blobfsck import unnamed
from ledger.blobs import BlobStore
from ledger.errors import LedgerBehind
from ledger.events.base import Fact
from ledger.events.run import Code, RunResumed
from ledger.store import Ledger
from projections.run import RunState
from runtime import ahead, snapshot, tail
from runtime.ahead import Lying
from runtime.decide import Context
from runtime.heap import growing
from runtime.intents import open_intents
from runtime.journal import Journal, Listener

ASIDE = "aside"
"""Folder of a run that keeps blobs which no event names, by their digests."""

Say = Callable[[str], None]


@contextmanager
def held(
    run: Path, listen: Listener, context: Callable[[RunState], Context]
) -> Iterator[tuple[Ledger, Journal]]:
    """Hold a run for writing, with its fold; keep the fold for the next time at the end.

    Raises:
        ledger.errors.WriterBusy: another process holds the run.
        ledger.errors.LedgerBehind: its ledger ends inside a batch, or before what the folder has
            seen.
    """
    path = run / "ledger.db"

    def whole(state: RunState, decided: Sequence[Fact], last: str) -> None:
        says = ahead.cut(last, begun=state.task.split is not None)

        if not says and _same_program(state):
            says = tail.fold(state, decided, context(state))
        else:
            for fact in decided:
                state.apply(fact)

        if says:
            raise LedgerBehind(path, says)

    with growing():
        past = snapshot.get(run, program.source_digest())
        ledger = Ledger.open(path, reading=past)

    with ledger:
        journal = Journal(ledger, listen, past=past, tail=whole)

        try:
            yield ledger, journal
        finally:
            if (since := ledger.since) is not None and since.head.seq == journal.state.seq:
                snapshot.put(run, journal.past, since, program.source_digest())


def take_over(
    run: Path, ledger: Ledger, journal: Journal, blobs: BlobStore, *, fresh: bool, say: Say
) -> None:
    """Say who writes from here on.

    Raises:
        ledger.errors.LedgerBehind: something in the folder is newer than the ledger.
    """
    state = journal.state
    left = unnamed(blobs, journal.past.named)
    signs = [
        *ahead.signs(
            Lying.look(run),
            jobs=state.jobs.entries,
            workers=state.workers.entries,
            packaged=state.task.package is not None and state.task.finished is not None,
        ),
        ahead.stray(len(left), under_way=len(open_intents(state))),
    ]
    signs = [sign for sign in signs if sign]

    if signs:
        raise LedgerBehind(ledger.path, "; ".join(signs))

    _set_aside(run, blobs, left, say)
    after, was = state.seq, state.task.code
    ledger.acquire()
    facts: list[Fact] = [environment.acquired(journal.term)]

    if not fresh:
        now = program.code(blobs.put)
        facts.append(RunResumed(after_seq=after, code=now))

        for change in () if was is None else program.changes(was, now, blobs.read):
            say(f"the program is not the one that wrote the run so far: {change}")

    journal.append(facts)


def _set_aside(run: Path, blobs: BlobStore, left: Sequence[str], say: Say) -> None:
    blobs.sweep()

    for digest in left:
        blobs.set_aside(digest, run / ASIDE)

    if left:
        say(f"{len(left)} blobs of work that was interrupted now lie in {run / ASIDE}")


def _same_program(state: RunState) -> bool:
    was: Code | None = state.task.code
    return was is not None and was.source == program.source_digest()


__all__ = ["ASIDE", "held", "take_over"]
