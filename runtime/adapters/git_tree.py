"""What of a worktree may become a commit, read without following or running anything.

Files are opened one by one below an open folder, without following links, and judged by what was
opened, not by what was listed. A worktree may be hostile: its author may be a language model, or
whoever talked to one.
"""

import os
import stat
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from runtime.errors import WorktreeRefused
from runtime.ports import FrozenFile

MAX_FILES = 200
MAX_BYTES = 256_000
"""A file must be smaller. Anything larger is to be the output of a sealed job."""
MAX_DEPTH = 8
MAX_PATH = 240
SKIPPED = ("__pycache__",)
"""Left behind by Python when an agent tries its code; never part of a commit."""
_GIT_ACTS_ON = (".git", ".gitattributes", ".gitmodules")
_TEXT_CONTROLS = "\t\n\r\f"
_REGULAR = "commit readable regular files only"
_TEXT = "commit small text files only; a train job writes anything else to AMID_OUT"
_ALTERED = "the record of this commit was altered; run `amid verify` on the run"


def read_tree(worktree: Path) -> tuple[FrozenFile, ...]:
    """Return every file of a worktree, sorted by path; empty folders are not kept.

    Raises:
        WorktreeRefused: something there must not be committed; says what, and what to do.
    """
    try:
        root = os.open(worktree, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError as error:
        raise WorktreeRefused(
            f"the worktree is not there as a folder ({error.strerror})",
            where=worktree.name,
            hint="open it first",
        ) from error

    try:
        files = []

        for file in _walk(root, "", 1):
            files.append(file)
            _check_count(len(files))
    finally:
        os.close(root)

    return tuple(sorted(files, key=lambda file: file.path))


def write_tree(folder: Path, files: Sequence[FrozenFile]) -> None:
    """Write files into an empty folder."""
    check_files(files)

    for file in files:
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content)
        path.chmod(0o755 if file.mode == "100755" else 0o644)


def check_files(files: Sequence[FrozenFile]) -> None:
    """Hold files from elsewhere, such as a ledger, to the same rules as a worktree.

    Raises:
        WorktreeRefused: a name, the size or content of a file, or their number is not allowed.
    """
    _check_count(len(files))

    paths = {file.path for file in files}

    if len(paths) < len(files):
        raise _refused("commit", "one of its files is named twice", _ALTERED)

    for file in files:
        above = [str(folder) for folder in PurePosixPath(file.path).parents]

        if paths.intersection(above):
            raise _refused(file.path, "it lies below another file", _ALTERED)

        for name in file.path.split("/"):
            _check_name(name, file.path)

        _check_path(file.path, file.path.count("/") + 1)
        _check_content(file.path, file.content)


def _walk(folder: int, above: str, depth: int) -> Iterator[FrozenFile]:
    with os.scandir(folder) as entries:
        found = sorted(
            (os.fsencode(entry.name), entry.is_dir(follow_symlinks=False)) for entry in entries
        )

    for raw, is_folder in found:
        path = _path(above, raw, depth)

        if is_folder and path.rpartition("/")[2] in SKIPPED:
            continue

        handle = _open(folder, raw, path)

        try:
            state = os.fstat(handle)

            if stat.S_ISDIR(state.st_mode):
                yield from _walk(handle, path + "/", depth + 1)
            else:
                yield _read(handle, state, path)
        finally:
            os.close(handle)


def _path(above: str, raw: bytes, depth: int) -> str:
    try:
        name = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        shown = above + raw.decode("utf-8", "backslashreplace")
        raise _refused(shown, "its name is not UTF-8", "rename it") from error

    path = above + name
    _check_name(name, path)
    _check_path(path, depth)

    return path


def _open(folder: int, name: bytes, path: str) -> int:
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

    try:
        state = os.stat(name, dir_fd=folder, follow_symlinks=False)

        if not (stat.S_ISREG(state.st_mode) or stat.S_ISDIR(state.st_mode)):
            raise _refused(path, f"it is {_kind(state.st_mode)}", _REGULAR)

        return os.open(name, flags, dir_fd=folder)
    except OSError as error:
        raise _refused(path, f"it cannot be read ({error.strerror})", _REGULAR) from error


def _read(handle: int, state: os.stat_result, path: str) -> FrozenFile:
    if not stat.S_ISREG(state.st_mode):
        raise _refused(path, f"it is {_kind(state.st_mode)}", _REGULAR)

    if state.st_nlink != 1:
        raise _refused(path, "it is a hard link to a file elsewhere", "write a copy instead")

    with os.fdopen(os.dup(handle), "rb") as file:
        content = file.read(MAX_BYTES)

    _check_content(path, content)

    return FrozenFile(
        path=path,
        mode="100755" if state.st_mode & stat.S_IXUSR else "100644",
        content=content,
    )


def _kind(mode: int) -> str:
    kinds = {
        stat.S_IFLNK: "a symbolic link",
        stat.S_IFIFO: "a pipe",
        stat.S_IFSOCK: "a socket",
        stat.S_IFBLK: "a device",
        stat.S_IFCHR: "a device",
    }
    return kinds.get(stat.S_IFMT(mode), "not a regular file")


def _check_count(count: int) -> None:
    if count > MAX_FILES:
        raise WorktreeRefused(
            f"there are more than {MAX_FILES} files",
            why="a commit holds code that a person can read",
            hint="leave data and results out; a train job writes them to AMID_OUT",
        )


def _check_name(name: str, path: str) -> None:
    if name in ("", ".", ".."):
        raise _refused(repr(path), "this is no path inside the worktree", "use a plain name")

    if any(unicodedata.category(letter).startswith("C") for letter in name) or "\\" in name:
        raise _refused(repr(path), "its name has a control character or backslash", "rename it")

    if not unicodedata.is_normalized("NFC", name):
        raise _refused(repr(path), "its name is spelled with loose accents", "rename it (NFC)")

    if name.casefold().rstrip(". ") in _GIT_ACTS_ON:
        raise WorktreeRefused(
            "a name that git acts on is in the worktree",
            where=path,
            why="it could run a command of its own choice when the commit is checked out",
            hint="remove it; the runtime makes the commits",
        )


def _check_path(path: str, depth: int) -> None:
    if depth > MAX_DEPTH or len(path.encode()) > MAX_PATH:
        limit = f"use at most {MAX_DEPTH} names and {MAX_PATH} bytes in a path"
        raise _refused(path, "it lies too deep", limit)


def _check_content(path: str, content: bytes) -> None:
    if len(content) >= MAX_BYTES:
        raise _refused(path, f"it is not under {MAX_BYTES // 1000} kB", _TEXT)

    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _refused(path, f"it is not text: byte {error.start} is no UTF-8", _TEXT) from error

    if any((letter < " " and letter not in _TEXT_CONTROLS) or letter == "\x7f" for letter in text):
        raise _refused(path, "it is not text: it has a control character", _TEXT)


def _refused(path: str, what: str, hint: str) -> WorktreeRefused:
    return WorktreeRefused(f"a file may not be committed: {what}", where=path, hint=hint)


__all__ = ["MAX_BYTES", "MAX_FILES", "check_files", "read_tree", "write_tree"]
