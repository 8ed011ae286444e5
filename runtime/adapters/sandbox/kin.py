"""Who made whom among the threads of a job, and in which folder each stands.

A child may speak before the call that made it has returned, and its number there may be another's
(a process namespace): then its maker is the one thread whose call is still open, else what /proc
says of it.
"""

from dataclasses import dataclass, field
from pathlib import Path

_ROOT = "/"


@dataclass(slots=True)
class Place:
    """A working folder, shared by the threads that were made to share it."""

    folder: str


@dataclass(slots=True, eq=False)
class Process:
    """One process of the job; numbered when it first stands in the record."""

    parent: "Process | None"
    leader: int
    """The number of its first thread."""
    number: int = 0


@dataclass(slots=True)
class Thread:
    """One thread: its process and where it stands."""

    process: Process
    place: Place
    guessed: bool = False


@dataclass(slots=True)
class Kin:
    """All threads that were seen."""

    threads: dict[int, Thread] = field(default_factory=dict)
    gone: dict[int, Process] = field(default_factory=dict)
    """Processes of the threads that ended, by the threads' numbers."""
    forking: dict[int, str] = field(default_factory=dict)
    """Threads whose call to make another has not returned, with its words."""
    numbered: int = 0

    def see(self, number: int) -> Thread:
        """Return the thread with this number, taking it in when it is new."""
        known = self.threads.get(number)
        if known is None:
            known = self.threads[number] = self._adopted(number)

        return known

    def born(self, maker: int, words: str, number: int) -> None:
        """Take in that a thread made another, with the words of the call that did."""
        self.forking.pop(maker, None)
        known = self.threads.get(number)
        if known is None and number not in self.gone:
            self.threads[number] = self._made(self.see(maker), words, number)
        elif known is not None and known.guessed:
            made = self._made(self.see(maker), words, number)
            made.place = known.place if known.place.folder != _ROOT else made.place
            made.process.number = made.process.number or known.process.number
            self.threads[number] = made

    def end(self, number: int) -> None:
        """Take in that a thread is gone."""
        self.gone[number] = self.see(number).process
        del self.threads[number]
        self.forking.pop(number, None)

    def process_of(self, number: int) -> Process:
        """Return the process of a thread, living or gone."""
        return self.gone[number] if number in self.gone else self.see(number).process

    def number(self, process: Process | None) -> int:
        """Return the number of a process in the record, 0 for the maker of the first."""
        if process is None:
            return 0

        if not process.number:
            self.numbered += 1
            process.number = self.numbered

        return process.number

    def moved(self, old: str, new: str) -> None:
        """Take in that a folder has another name: those who stand in it move with it."""
        for place in {id(t.place): t.place for t in self.threads.values()}.values():
            if place.folder == old or place.folder.startswith(f"{old}/"):
                place.folder = new + place.folder[len(old) :]

    def _made(self, maker: Thread, words: str, number: int) -> Thread:
        place = maker.place if "CLONE_FS" in words else Place(maker.place.folder)
        process = maker.process if "CLONE_THREAD" in words else Process(maker.process, number)
        return Thread(process, place)

    def _adopted(self, number: int) -> Thread:
        self.gone.pop(number, None)  # a number may come again
        makers = [m for m in self.forking if m in self.threads]
        sure = len(makers) == 1
        if not sure:
            told = _told(number)
            makers = [m for m in makers if m in told] or makers

        if makers:
            made = self._made(self.threads[makers[0]], self.forking[makers[0]], number)
            made.guessed = not sure
            return made

        return Thread(Process(None, number), Place(_ROOT), guessed=bool(self.threads))


def _told(number: int) -> tuple[int, ...]:
    """Return the numbers of the process and the parent of a thread that is still there."""
    try:
        lines = Path(f"/proc/{number}/status").read_text("utf-8", "replace").splitlines()
    except OSError:
        return ()

    rows = dict(line.split(":", 1) for line in lines if ":" in line)
    return tuple(int(rows[name]) for name in ("Tgid", "PPid") if name in rows)


__all__ = ["Kin", "Place", "Process", "Thread"]
