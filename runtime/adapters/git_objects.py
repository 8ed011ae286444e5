"""Git objects without git: blobs, trees and commits in the loose object store of a repository."""

import os
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Literal

from gitdb import GitDB, IStream
from gitdb.exc import ODBError

from runtime.errors import WorktreeRefused
from runtime.ports import Frozen, FrozenFile

Mode = Literal["100644", "100755"]
WHO = "amid <amid@localhost> 0 +0000"
"""Author and committer of every commit, at 1970-01-01T00:00:00Z: a commit tells no time."""


class Objects:
    """Reads and writes commits in one object folder."""

    def __init__(self, folder: Path) -> None:
        """Use the `objects` folder of a bare repository."""
        self._folder = folder
        self._store = GitDB(os.fspath(folder))

    def write_commit(self, files: Sequence[FrozenFile], parent: str | None, message: str) -> Frozen:
        """Store files, their trees and a commit; equal arguments give an equal commit id."""
        ordered = tuple(sorted(files, key=lambda file: file.path))
        tree = self._write_tree([(file.path.split("/"), file) for file in ordered])
        lines = [f"tree {tree}"]
        lines += [] if parent is None else [f"parent {parent}"]
        lines += [f"author {WHO}", f"committer {WHO}", "", message]
        commit = self._write("commit", "\n".join(lines).encode())

        return Frozen(commit=commit, tree=tree, parent=parent, message=message, files=ordered)

    def read_commit(self, commit: str) -> Frozen:
        """Return a stored commit with all its files.

        Raises:
            WorktreeRefused: the commit or one of its objects is missing or damaged.
        """
        head, _, message = self._read("commit", commit).decode().partition("\n\n")
        fields = dict(line.split(" ", 1) for line in head.split("\n"))
        tree = fields["tree"]
        files = sorted(self._read_tree(tree, ""), key=lambda file: file.path)

        return Frozen(
            commit=commit,
            tree=tree,
            parent=fields.get("parent"),
            message=message,
            files=tuple(files),
        )

    def _write_tree(self, entries: Sequence[tuple[list[str], FrozenFile]]) -> str:
        folders: dict[str, list[tuple[list[str], FrozenFile]]] = {}
        rows: list[tuple[bytes, bytes]] = []

        for (first, *rest), file in entries:
            if rest:
                folders.setdefault(first, []).append((rest, file))
            else:
                blob = self._write("blob", file.content)
                rows.append((first.encode(), _row(file.mode, first, blob)))

        for name, inside in folders.items():
            # git orders a folder as if its name ended in a slash
            row = _row("40000", name, self._write_tree(inside))
            rows.append((name.encode() + b"/", row))

        return self._write("tree", b"".join(row for _, row in sorted(rows)))

    def _read_tree(self, tree: str, above: str) -> Iterator[FrozenFile]:
        rest = self._read("tree", tree)

        while rest:
            head, _, rest = rest.partition(b"\0")
            mode, _, name = head.decode().partition(" ")
            digest, rest = rest[:20].hex(), rest[20:]
            path = above + name

            if mode == "40000":
                yield from self._read_tree(digest, path + "/")
            elif mode in ("100644", "100755"):
                kept: Mode = "100755" if mode == "100755" else "100644"
                yield FrozenFile(path=path, mode=kept, content=self._read("blob", digest))
            else:
                raise WorktreeRefused(
                    f"a tree holds something of mode {mode}",
                    where=f"{path} in tree {tree}",
                    hint="use commits that this run made: they hold files and folders only",
                )

    def _write(self, kind: str, content: bytes) -> str:
        written = self._store.store(IStream(kind.encode(), len(content), BytesIO(content)))
        name: str = written.hexsha.decode()

        if not self._whole(kind, name, content):
            # a crash of the machine can leave an empty object behind; it would never be replaced
            (self._folder / name[:2] / name[2:]).unlink()
            self._store.store(IStream(kind.encode(), len(content), BytesIO(content)))

        return name

    def _whole(self, kind: str, name: str, content: bytes) -> bool:
        try:
            return self._read(kind, name) == content
        except WorktreeRefused:
            return False

    def _read(self, kind: str, name: str) -> bytes:
        try:
            stream = self._store.stream(bytes.fromhex(name))
            content: bytes = stream.read()
        except (ODBError, OSError, ValueError) as error:
            raise _damaged(kind, name, type(error).__name__) from error

        if stream.type != kind.encode():
            raise _damaged(kind, name, f"it is a {stream.type.decode()}")

        return content


def _damaged(kind: str, name: str, how: str) -> WorktreeRefused:
    return WorktreeRefused(
        f"a {kind} is missing or damaged ({how})",
        where=f"object {name} in repo.git",
        hint="make its commit again from the ledger's files: `restore`",
    )


def _row(mode: str, name: str, digest: str) -> bytes:
    return f"{mode} {name}\0".encode() + bytes.fromhex(digest)


__all__ = ["WHO", "Mode", "Objects"]
