"""The kept fold of a run: the same as folding anew, thrown away at any doubt, and no way in."""

import os
import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger.events.stored import to_new
from ledger.record import Record
from ledger.store import Ledger
from runtime import snapshot
from runtime.journal import Journal
from runtime.past import Past
from tests.ledger.raw import raw
from tests.runtime.test_cut import whole

PROGRAM = "0" * 64


class Counting(Past):
    """Counts the records it takes in."""

    taken: list[int] = []  # noqa: RUF012 - of one test at a time

    def take(self, record: Record) -> None:
        self.taken.append(record.seq)
        super().take(record)


def opened(run: Path) -> tuple[Past, list[int]]:
    """Open a run as `resume` does; return its fold and the numbers of the events that were read."""
    kept = snapshot.get(run, PROGRAM)
    past = Counting(kept.since, kept.state, kept.named, kept.spans, kept.last)
    Counting.taken = []
    with Ledger.open(run / "ledger.db", reading=past):
        past.settle()

    return past, Counting.taken


def image(past: Past) -> object:
    """Return everything a fold holds, to be compared."""
    state = past.state
    return (
        state.seq,
        list(state.jobs),
        list(state.workers),
        list(state.attempts),
        list(state.lanes),
        state.stages,
        state.task,
        state.open_rounds(),
        state.jobs.with_status("finished"),
        state.attempts.accepted(),
        past.named,
        past.spans,
        past.last,
    )


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Path]:
    """A played run whose fold was kept two thirds along."""
    log, ends, _ = whole(tmp_path / "run")
    folder = tmp_path / "kept"
    folder.mkdir()
    until = ends[len(ends) * 2 // 3]
    with Ledger.create(folder / "ledger.db") as ledger:
        ledger.append([to_new(fact) for fact in log[:until]])
        since = ledger.since
        assert since is not None
        snapshot.put(folder, Journal(ledger).past, since, PROGRAM)
        ledger.append([to_new(fact) for fact in log[until:]])

    yield folder


def anew(run: Path) -> Past:
    """Fold a run from its first event."""
    with Ledger.open(run / "ledger.db") as ledger:
        return Journal(ledger).past


def test_only_newer_events_are_read_and_the_fold_is_the_same(run: Path) -> None:
    past, taken = opened(run)
    fresh = anew(run)
    assert image(past) == image(fresh)
    assert 0 < len(taken) < fresh.state.seq / 2
    assert taken[-1] == fresh.state.seq


def test_an_older_ledger_is_folded_anew(run: Path) -> None:
    with raw(run / "ledger.db", guards=False) as connection:
        connection.execute("DELETE FROM events WHERE seq > 20")

    (run / "head").unlink()
    past, taken = opened(run)
    assert image(past) == image(anew(run))
    assert taken == list(range(1, 21))


def spoiled(content: bytes, how: str) -> bytes:
    match how:
        case "cut":
            return content[: len(content) // 2]
        case "flipped":
            return content[:-9] + bytes([content[-9] ^ 1]) + content[-8:]
        case "empty":
            return b""
        case _:
            return os.urandom(5000)


@pytest.mark.parametrize("how", ["cut", "flipped", "empty", "noise"])
def test_one_that_is_damaged_is_as_if_it_were_not_there(run: Path, how: str) -> None:
    path = run / snapshot.NAME
    path.write_bytes(spoiled(path.read_bytes(), how))
    past, taken = opened(run)
    assert taken == list(range(1, past.state.seq + 1))
    assert image(past) == image(anew(run))


def test_one_of_another_program_is_not_read(run: Path) -> None:
    assert snapshot.get(run, "1" * 64).since is None


class Evil:
    """What a pickle could do."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("touch pwned",)


@pytest.mark.parametrize("value", [Evil(), {"a": Evil()}, print, os.path.join, Path("x")])
def test_nothing_but_our_own_values_is_made_of_it(
    run: Path, value: object, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    with Ledger.open(run / "ledger.db") as ledger:
        since = ledger.since
        assert since is not None
        past = Journal(ledger).past
        past.last = value  # type: ignore[assignment]
        snapshot.put(run, past, since, PROGRAM)

    assert snapshot.get(run, PROGRAM).since is None
    assert not (tmp_path / "pwned").exists()


def test_an_entry_waits_until_it_is_asked_for_and_is_kept_again_as_it_was(run: Path) -> None:
    past = snapshot.get(run, PROGRAM)
    (first, *_) = past.state.jobs.entries
    before = past.state.jobs.entries.__getstate__()
    assert past.since is not None
    snapshot.put(run, past, past.since, PROGRAM)
    assert snapshot.get(run, PROGRAM).state.jobs.entries.__getstate__() == before

    fresh = anew(run).state.jobs
    assert past.state.jobs.get(first) == fresh.get(first)
    assert list(past.state.jobs.entries) == list(fresh.entries)[: len(past.state.jobs.entries)]


def test_no_entry_does_what_a_pickle_could(
    run: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    with Ledger.open(run / "ledger.db") as ledger:
        since = ledger.since
        assert since is not None
        past = Journal(ledger).past
        (name, *_) = past.state.jobs.entries
        past.state.jobs.entries[name] = Evil()  # type: ignore[assignment]
        snapshot.put(run, past, since, PROGRAM)

    kept = snapshot.get(run, PROGRAM)
    with pytest.raises(pickle.UnpicklingError):
        kept.state.jobs.get(name)

    assert not (tmp_path / "pwned").exists()
