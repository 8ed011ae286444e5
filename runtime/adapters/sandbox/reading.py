"""Reads the recorder's log while the job runs, line by line, and hands every access on.

Nothing is kept but what the next line needs: who the threads are, where they stand, which calls
have not returned. A line that cannot be read becomes an access to an unknown place, so that nothing
is dropped in silence.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from runtime.adapters.sandbox import strace
from runtime.adapters.sandbox.kin import Kin, Process, Thread
from runtime.adapters.sandbox.walk import UNKNOWN, Walker

LONGEST_LINE: Final = 256 << 10
_REPEATS: Final = 100_000
_ENDS: Final = ("+++ exited", "+++ killed")
_REPEATED: Final = ("openat(", "newfstatat(", "faccessat", "readlinkat(")
_BEFORE_THE_JOB: Final = 2
"""Programs that are executed up to the job: the confiner, and in its place the job."""


@dataclass(frozen=True, slots=True)
class Access:
    """One recorded access: who, what kind, which absolute path or address, how it ended."""

    process: Process
    op: str
    path: str
    result: str


class Reading:
    """What was read of a log so far."""

    def __init__(
        self, folder: str, walker: Walker, take: Callable[[Access], None], *, wrapped: bool = False
    ) -> None:
        """Begin before the first line.

        Args:
            folder: where the job starts.
            walker: follows its paths.
            take: gets each access; equal ones may come again and again.
            wrapped: one more program, which makes namespaces, is executed before.
        """
        self.kin = Kin()
        self._before = _BEFORE_THE_JOB + (1 if wrapped else 0)
        self._folder = folder
        self._walker = walker
        self._take = take
        self._left = ""
        self._executed = 0
        self._pending: dict[int, str] = {}
        self._repeats: set[str] = set()

    @property
    def started(self) -> bool:
        """Whether the job itself was executed."""
        return self._executed >= self._before

    @property
    def complete(self) -> bool:
        """Whether the log follows every process that it names to its end."""
        return bool(self.kin.gone) and not self.kin.threads and not self._left

    def feed(self, block: bytes) -> None:
        """Read the next bytes of the log."""
        *lines, self._left = (self._left + block.decode("ascii", "backslashreplace")).split("\n")
        for line in lines:
            self.line(line)

        if len(self._left) > LONGEST_LINE:
            raise ValueError(f"a line of the recorder is longer than {LONGEST_LINE} characters")

    def line(self, line: str) -> None:
        """Read one line."""
        if line in self._repeats:  # training opens the same files again and again
            return

        number, text = strace.split(line)
        if not number:
            return

        thread = self.kin.see(number)
        for whole in self._whole(number, text):
            self._read(number, thread, whole)
            if whole is text and self.started and text.startswith(_REPEATED):
                self._remember(line)

    def _remember(self, line: str) -> None:
        """Pass over a line that comes again: it names its folders, so it means the same again."""
        if "AT_FDCWD, " not in line:
            if len(self._repeats) >= _REPEATS:
                self._repeats.clear()

            self._repeats.add(line)

    def _whole(self, number: int, text: str) -> Iterator[str]:
        """Yield a finished call, joining the halves of an interrupted one."""
        if text.startswith(_ENDS):
            self.kin.end(number)
        elif text.endswith(" <unfinished ...>"):
            self._interrupted(number, text.removesuffix(" <unfinished ...>"))
        elif executed := strace.moved(text):
            self._move(number, *executed)
        elif text.startswith("<... "):
            half = self._pending.pop(number, "")
            yield half if half.endswith(" = 0") else half + text.partition(" resumed>")[2]
        elif not text.startswith(("---", "+++")):
            yield text

    def _interrupted(self, number: int, text: str) -> None:
        self._pending[number] = text
        if text.startswith(strace.FORKS):
            self.kin.forking[number] = text

    def _move(self, number: int, text: str, leader: int) -> None:
        """Follow a thread that executed a program: the kernel gives it its process's number."""
        self.kin.see(leader).place = self.kin.see(number).place
        if leader != number:
            self.kin.end(number)

        self._pending[leader] = f"{text}) = 0"

    def _read(self, number: int, thread: Thread, text: str) -> None:
        call = strace.call(text)
        if not self.started:  # first the confiner, then, in its place, the job
            self._executed += call is not None and (call.name, call.answer) == ("execve", "0")
            thread.place.folder = self._folder
            if self._executed < self._before:
                if call is not None and call.name in strace.FORKS:
                    self._fork(number, call)

                return

            thread.process.parent = None  # what made namespaces for it is not the job's
            self.kin.number(thread.process)

        if call is None:
            self._take(
                Access(thread.process, "unread", f"{UNKNOWN}{text.partition('(')[0][:40]}", "?")
            )
        elif call.name in strace.FORKS:
            self._fork(number, call)
        elif call.name in strace.SOCKETS:
            self._socket(thread, call)
        else:
            self._paths(thread, call)

    def _fork(self, number: int, call: strace.Line) -> None:
        child = call.child or call.answer
        if call.result == "ok" and child.isdigit() and child != "0":
            self.kin.born(number, call.words, int(child))
        else:
            self.kin.forking.pop(number, None)

    def _socket(self, thread: Thread, call: strace.Line) -> None:
        told = strace.socket(call)
        if told is not None:
            address, is_path = told
            where = self._follow(thread, address) if is_path else address
            self._take(Access(thread.process, call.name, where, call.result))

    def _paths(self, thread: Thread, call: strace.Line) -> None:
        found = self._named(thread, call)
        if call.opened is not None:  # the kernel's own word
            found = [call.opened]

        for path in found:
            self._take(Access(thread.process, call.op, path, call.result))

        if call.result != "ok" or not found:
            return

        if call.name in strace.FOLDERS:
            thread.place.folder = found[0]
        elif call.op == "rename" and len(found) == 2:
            self.kin.moved(found[0], found[1])

    def _named(self, thread: Thread, call: strace.Line) -> list[str]:
        """Return the paths a call names, followed; of a symlink also what it points at."""
        named = list(strace.names(call))
        for name in named:
            if name.of_process and name.base is not None:
                thread.place.folder = name.base

        if call.op == "symlink":
            return self._link(thread, call, named)

        most = 2 if call.two_paths else 1
        return [self._follow(thread, name.text, name) for name in named[:most]]

    def _link(self, thread: Thread, call: strace.Line, named: list[strace.Named]) -> list[str]:
        """Return where a link lies, and hand on what it points at, seen from there."""
        if len(named) < 2:  # a pointer to nowhere: no link was made
            return []

        target, place = named[:2]
        lies = self._follow(thread, place.text, place)
        beside = strace.Named("", lies.rpartition("/")[0] or "/", of_process=False)
        points = self._follow(thread, target.text, beside)
        self._take(Access(thread.process, "point", points, call.result))
        return [lies]

    def _follow(self, thread: Thread, text: str, name: strace.Named | None = None) -> str:
        """Follow a path from the folder that was named with it, else from where the thread is."""
        start = thread.place.folder
        if name is not None and not name.of_process and name.base is not None:
            start = f"{UNKNOWN}beyond a descriptor" if name.base == strace.UNKNOWN else name.base

        def cwd(who: str) -> str | None:
            if not who.isdigit():
                return thread.place.folder

            other = self.kin.threads.get(int(who))
            return None if other is None else other.place.folder

        return self._walker.follow(start, text, cwd)


__all__ = ["Access", "Reading"]
