"""The recorder: how strace is started, and what its log says.

`--seccomp-bpf` matters twice: calls that are not recorded run at full speed, and when strace is
killed the recorded ones fail (ENOSYS) instead of running on unseen.
"""

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

_RECORDED = (
    "open", "openat", "openat2", "creat", "execve", "execveat", "link", "linkat", "symlink",
    "symlinkat", "rename", "renameat", "renameat2", "unlink", "unlinkat", "rmdir", "truncate",
    "mkdir", "mkdirat", "mknod", "mknodat", "connect", "bind", "socket", "chdir", "fchdir",
    "clone", "clone3", "fork", "vfork",
)  # fmt: skip

_OPS = {
    "creat": "write", "execve": "exec", "execveat": "exec", "linkat": "link",
    "symlinkat": "symlink", "renameat": "rename", "renameat2": "rename", "unlinkat": "unlink",
    "rmdir": "unlink", "mkdirat": "mkdir", "mknodat": "mknod",
}  # fmt: skip

_MOVED = re.compile(r"(.*) <pid changed to (\d+) \.\.\.>")
_LINE = re.compile(r"(\d+)\s+(.*)")
_CALL = re.compile(
    r"(\w+)\((.*)\)\s+= "
    r"(?:-1 (E\w+) \([^<>]*\)|(\?.*|-?\d+)(?:<((?:[^>\\]|\\.)*)>)?(?:\(deleted\))?(?: \(.*\))?)"
)
_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|(AT_FDCWD|\d+)(?:<((?:[^>\\]|\\.)*)>)?(?=[,)]|$)')
_ESCAPE = re.compile(r"\\(x[0-9a-f]{2}|[0-7]{1,3}|.)", re.DOTALL)
_SIMPLE = {"n": 10, "t": 9, "r": 13, "f": 12, "v": 11, "a": 7, "b": 8}
_WRITES = re.compile(r"O_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND)")
_FAMILY = re.compile(r"sa_family=(AF_\w+)|^(AF_\w+), (SOCK_[A-Z]+)")
_UNIX_PATH = re.compile(r'sun_path=(@?)"((?:[^"\\]|\\.)*)"')


def program() -> str | None:
    """Return where strace is, or None."""
    places = (f"{folder}/strace" for folder in ("/usr/local/bin", "/usr/bin", "/bin"))
    return next((place for place in places if os.access(place, os.X_OK)), None)


def command(strace: str, log: Path) -> list[str]:
    """Return the words to put before the command that is to be recorded."""
    quiet = "--quiet=attach,personality,path-resolution,thread-execve"
    calls = "trace=" + ",".join(f"?{name}" for name in _RECORDED)
    return [strace, "-f", "--seccomp-bpf", "-y", "-s", "256", quiet, "-e", calls, "-o", str(log)]


@dataclass(frozen=True, slots=True)
class Call:
    """One recorded access: who, what kind, which absolute path or address, how it ended."""

    thread: int
    op: str
    path: str
    result: str


@dataclass(slots=True)
class Reading:
    """What was read from a log so far."""

    seen: dict[Call, None] = field(default_factory=dict)
    """Distinct accesses in order of first occurrence; the values say nothing."""
    parents: dict[int, tuple[int, bool]] = field(default_factory=dict)
    """Thread: (the thread that made it, whether it is a thread of the same process)."""
    alive: set[int] = field(default_factory=set)
    ended: set[int] = field(default_factory=set)
    folders: dict[int, str] = field(default_factory=dict)
    started: bool = False
    pending: dict[int, str] = field(default_factory=dict)

    @property
    def calls(self) -> list[Call]:
        """Return the distinct accesses."""
        return list(self.seen)

    @property
    def complete(self) -> bool:
        """Whether the log follows every process that it names to its end."""
        return bool(self.alive) and self.alive <= self.ended


def read(lines: Iterable[str], folder: str) -> Reading:
    """Read a whole log. What comes before the job itself is executed is left out.

    A line that cannot be read becomes a call `unread`, so that nothing is dropped in silence.
    """
    reading = Reading()
    executed = 0
    opens: set[str] = set()
    for line in lines:
        if line in opens:  # training opens the same files again and again
            continue

        if " openat(" in line and reading.started and " <unfinished" not in line:
            opens.add(line)

        for thread, text in _whole(reading, line):
            found = _CALL.fullmatch(text)
            if not reading.started:  # first the confiner, then, in its place, the job
                executed += found is not None and found[1] == "execve" and found[4] == "0"
                reading.started = executed == 2
                reading.folders[thread] = folder

            if reading.started:
                unread = Call(thread, "unread", text[:200], "?")
                calls = [unread] if found is None else _calls(reading, thread, found)
                reading.seen.update(dict.fromkeys(calls))

    return reading


def _whole(reading: Reading, line: str) -> Iterator[tuple[int, str]]:
    """Yield (thread, text) for a finished call, joining the halves of an interrupted one."""
    parts = _LINE.fullmatch(line.rstrip("\n"))
    if parts is None:
        return

    thread, text = int(parts[1]), parts[2]
    reading.alive.add(thread)
    if text.startswith(("+++ exited", "+++ killed", "+++ superseded")):
        reading.ended.add(thread)
    elif text.endswith(" <unfinished ...>"):
        reading.pending[thread] = text.removesuffix(" <unfinished ...>")
    elif moved := _MOVED.fullmatch(text):
        _move(reading, thread, int(moved[2]), moved[1])
    elif text.startswith("<... "):
        half = reading.pending.pop(thread, "")
        yield thread, half if half.endswith(" = 0") else half + text.partition(" resumed>")[2]
    elif not text.startswith("---"):
        yield thread, text


def _move(reading: Reading, thread: int, leader: int, text: str) -> None:
    """Follow a thread that executed a program: the kernel gives it its process's number."""
    reading.ended.add(thread)
    reading.folders[leader] = _folder(reading, thread)
    reading.pending[leader] = f"{text}) = 0"


def _calls(reading: Reading, thread: int, found: re.Match[str]) -> Iterator[Call]:
    name, arguments, failed, answer, opened = found.groups()
    result = failed or ("ok" if answer[0] != "?" else "?")
    if name in ("clone", "clone3", "fork", "vfork"):
        _remember_child(reading, thread, arguments, answer)
    elif name in ("socket", "connect", "bind"):
        yield from _of_socket(reading, thread, name, arguments, result)
    else:
        paths = _paths(reading, thread, name, arguments)
        if name in ("chdir", "fchdir"):
            reading.folders[thread] = paths[0] if result == "ok" else _folder(reading, thread)
            return

        op = _OPS.get(name, name)
        if name in ("open", "openat", "openat2"):
            op = "write" if _WRITES.search(_TOKEN.sub("", arguments)) else "open"

        kept = [_plain(opened)] if opened is not None else paths
        yield from (Call(thread, op, path, result) for path in kept)


def _remember_child(reading: Reading, thread: int, arguments: str, answer: str | None) -> None:
    if answer is not None and answer.isdigit():
        child = int(answer)
        reading.parents[child] = (thread, "CLONE_THREAD" in arguments)
        reading.folders.setdefault(child, _folder(reading, thread))


def _of_socket(
    reading: Reading, thread: int, name: str, arguments: str, result: str
) -> Iterator[Call]:
    named = _UNIX_PATH.search(arguments)
    if named is not None and not named[1]:
        yield Call(thread, name, _join(_folder(reading, thread), _plain(named[2])), result)
        return

    family = _FAMILY.search(arguments)
    if family is not None and name != "socket":
        yield Call(thread, name, family[1] or family[2], result)
    elif family is not None and family[2] != "AF_UNIX":
        yield Call(thread, name, f"{family[2]}/{family[3]}", result)


def _paths(reading: Reading, thread: int, name: str, arguments: str) -> list[str]:
    """Return the paths among the arguments, absolute. Of a symlink only the link itself."""
    base = _folder(reading, thread)
    found: list[str] = []
    for text, number, place in _TOKEN.findall(arguments):
        if number:
            if place:
                base = _plain(place)
                reading.folders[thread] = base if number == "AT_FDCWD" else _folder(reading, thread)
        else:
            found.append(_join(base, _plain(text)))

    if name == "fchdir":
        return [base]

    return found[1:2] if name.startswith("symlink") else found[: _count(name)]


def _count(name: str) -> int:
    return 2 if name.startswith(("rename", "link")) else 1


def _folder(reading: Reading, thread: int) -> str:
    return reading.folders.get(thread, "/")


def _join(base: str, text: str) -> str:
    if text.startswith("/"):
        return _normal(text)

    return _normal(f"{base}/{text}") if text else base


def _normal(path: str) -> str:
    kept: list[str] = []
    for part in path.split("/"):
        if part == ".." and kept:
            kept.pop()
        elif part not in ("", ".", ".."):
            kept.append(part)

    return "/" + "/".join(kept)


def _plain(text: str) -> str:
    """Undo strace's escapes; bytes that are not UTF-8 become surrogates, as in `os.fsdecode`."""
    if "\\" not in text:
        return text

    raw = bytearray()
    at = 0
    for found in _ESCAPE.finditer(text):
        raw += text[at : found.start()].encode() + _unescaped(found[1])
        at = found.end()

    return bytes(raw + text[at:].encode()).decode("utf-8", "surrogateescape")


def _unescaped(code: str) -> bytes:
    if code[0] == "x":
        return bytes((int(code[1:], 16),))

    if code[0] in "01234567":
        return bytes((int(code, 8) & 0xFF,))

    return bytes((_SIMPLE[code],)) if code in _SIMPLE else code.encode()


__all__ = ["Call", "Reading", "command", "program", "read"]
