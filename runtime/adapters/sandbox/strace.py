"""The recorder: how strace is started, and how a line of its log reads.

`--seccomp-bpf` matters twice: calls that are not recorded run at full speed, and when strace is
killed the recorded ones fail (ENOSYS) instead of running on unseen. Every call that names a path is
recorded, whatever it does with it: what is there, how large it is and when it changed are learned
without opening anything.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_LOOKS: Final = {
    "stat": "stat", "lstat": "stat", "newfstatat": "stat", "statx": "stat",
    "access": "access", "faccessat": "access", "faccessat2": "access",
    "readlink": "readlink", "readlinkat": "readlink", "statfs": "statfs",
    "getxattr": "xattr", "lgetxattr": "xattr", "getxattrat": "xattr",
    "listxattr": "xattr", "llistxattr": "xattr", "listxattrat": "xattr",
}  # fmt: skip
UNKNOWN: Final = "?"
"""Stands for a folder that nobody could tell."""
LOOKS: Final = frozenset(_LOOKS.values())
"""Kinds of access that learn of a place without entering, opening or changing it."""

OPENS: Final = ("open", "openat", "openat2")
FORKS: Final = ("clone", "clone3", "fork", "vfork")
SOCKETS: Final = ("connect", "bind", "socket")
FOLDERS: Final = ("chdir", "fchdir")
_OPS: Final = {
    **_LOOKS,
    "creat": "write", "execve": "exec", "execveat": "exec", "link": "link", "linkat": "link",
    "symlink": "symlink", "symlinkat": "symlink", "rename": "rename", "renameat": "rename",
    "renameat2": "rename", "unlink": "unlink", "unlinkat": "unlink", "rmdir": "unlink",
    "truncate": "truncate", "mkdir": "mkdir", "mkdirat": "mkdir", "mknod": "mknod",
    "mknodat": "mknod", "name_to_handle_at": "handle", "inotify_add_watch": "watch",
    "fanotify_mark": "watch", "chdir": "chdir", "fchdir": "chdir", "chroot": "chroot",
    "open_tree": "mount", "file_getattr": "stat",
}  # fmt: skip
_RECORDED: Final = tuple(dict.fromkeys((*OPENS, *FORKS, *SOCKETS, *_OPS)))

_MOVED = re.compile(r"(.*) <pid changed to (\d+) \.\.\.>")
_LINE = re.compile(r"(\d+)\s+(.*)")
_CALL = re.compile(
    r"(\w+)\((.*)\)\s+= "
    r"(?:-1 (E\w+) \([^<>]*\)"
    r"|(\?.*|-?\d+|0x[0-9a-f]+)(?:<((?:[^>\\]|\\.)*)>)?(?:\(deleted\))?"
    r"(?: /\* (\d+) .*\*/)?(?: \(.*\))?)"
)
_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|(AT_FDCWD|-?\d+)(?:<((?:[^>\\]|\\.)*)>)?(?=[,)(]|$)')
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
    texts = "verbose=connect,bind,openat2,clone,clone3"  # what others point to is not read
    words = [strace, "-f", "--seccomp-bpf", "-y", "--decode-pids=pidns", "-s", "256", quiet]
    return [*words, "-e", calls, "-e", texts, "-o", str(log)]


@dataclass(frozen=True, slots=True)
class Line:
    """One finished call: its name, its words as strace prints them, and how it ended."""

    name: str
    words: str
    result: str
    """`ok`, the name of an error, or `?` where the call never returned."""
    answer: str
    """What it returned, as printed."""
    opened: str | None
    """The real path of the descriptor it returned."""
    child: str | None
    """The number, as the recorder sees it, of a child whose own number is another."""

    @property
    def op(self) -> str:
        """Return the kind of access."""
        if self.name in OPENS:
            return "write" if _WRITES.search(_TOKEN.sub("", self.words)) else "open"

        return _OPS.get(self.name, self.name)

    @property
    def two_paths(self) -> bool:
        """Say whether the call names two paths of one kind."""
        return self.name.startswith(("rename", "link"))

    @property
    def by_descriptor(self) -> bool:
        """Say whether the first word is a descriptor that the path is relative to."""
        return self.name.endswith(("at", "at2")) or self.name in ("statx", "open_tree")


@dataclass(frozen=True, slots=True)
class Named:
    """A path among the words of a call, with the folder it is relative to as strace saw it."""

    text: str
    base: str | None
    """None: the working folder, which strace could not tell."""
    of_process: bool
    """Whether the base is the working folder, not a descriptor's."""


def split(line: str) -> tuple[int, str]:
    """Return the thread of a line of the log and what is said of it; thread 0 for no such line."""
    parts = _LINE.fullmatch(line)
    return (0, "") if parts is None else (int(parts[1]), parts[2])


def moved(text: str) -> tuple[str, int] | None:
    """Return the call and the process number of a thread that executed a program."""
    found = _MOVED.fullmatch(text)
    return None if found is None else (found[1], int(found[2]))


def call(text: str) -> Line | None:
    """Return a finished call; None where the text cannot be read."""
    found = _CALL.fullmatch(text)
    if found is None:
        return None

    name, words, failed, answer, opened, child = found.groups()
    result = failed or ("?" if answer[0] == "?" else "ok")
    return Line(name, words, result, answer or "", None if opened is None else plain(opened), child)


def names(line: Line) -> Iterator[Named]:
    """Yield every path that a call names; a descriptor alone is a path without text."""
    base: str | None = None
    of_process = True
    alone = True
    for found in _TOKEN.finditer(line.words):
        text, number, place = found.groups()
        if number is None:
            if text or of_process:  # else about the descriptor alone: recorded when it was opened
                yield Named(plain(text), base, of_process)

            base, of_process, alone = None, True, False
        elif number == "AT_FDCWD":
            base, of_process = None if place is None else plain(place), True
        elif place is not None and place.startswith("/"):
            base, of_process = plain(place), False
        elif line.by_descriptor and found.start() == 0:
            base, of_process = UNKNOWN, False  # a descriptor whose place strace could not tell

    if alone and base is not None:
        yield Named("", base, of_process)


def socket(line: Line) -> tuple[str, bool] | None:
    """Return the address of a socket call and whether it is a path; None: nothing to record."""
    named = _UNIX_PATH.search(line.words)
    if named is not None and not named[1]:
        return plain(named[2]), True

    family = _FAMILY.search(line.words)
    if family is None:
        return None

    if line.name != "socket":
        return family[1] or family[2], False

    return None if family[2] == "AF_UNIX" else (f"{family[2]}/{family[3]}", False)


def plain(text: str) -> str:
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


__all__ = [
    "FOLDERS",
    "FORKS",
    "LOOKS",
    "OPENS",
    "SOCKETS",
    "UNKNOWN",
    "Line",
    "Named",
    "call",
    "command",
    "moved",
    "names",
    "plain",
    "program",
    "socket",
    "split",
]
