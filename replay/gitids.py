"""Git object names computed from files, without git: what a recorded commit must come out as."""

import hashlib
from collections.abc import Mapping

WHO = "amid <amid@localhost> 0 +0000"
"""Author and committer of every commit of a run: a commit tells files, not persons or times."""

File = tuple[str, bytes]
"""Mode, such as `100644`, and content."""


def blob_id(content: bytes) -> str:
    """Return the git name of a file's content."""
    return _name("blob", content)


def tree_id(files: Mapping[str, File]) -> str:
    """Return the git name of the tree that holds `files`, path to mode and content."""
    here: list[tuple[bytes, bytes]] = []
    below: dict[str, dict[str, File]] = {}
    for path, file in files.items():
        first, _, rest = path.partition("/")
        if rest:
            below.setdefault(first, {})[rest] = file
        else:
            here.append((first.encode(), _row(file[0], first, blob_id(file[1]))))

    for name, inside in below.items():
        # git orders a folder as if its name ended in a slash
        here.append((name.encode() + b"/", _row("40000", name, tree_id(inside))))

    return _name("tree", b"".join(row for _, row in sorted(here)))


def commit_id(tree: str, parent: str | None, message: str) -> str:
    """Return the git name of the commit that a workspace makes of a tree."""
    lines = [f"tree {tree}"]
    lines += [] if parent is None else [f"parent {parent}"]
    lines += [f"author {WHO}", f"committer {WHO}", "", message]
    return _name("commit", "\n".join(lines).encode())


def _row(mode: str, name: str, object_id: str) -> bytes:
    return f"{mode} {name}\0".encode() + bytes.fromhex(object_id)


def _name(kind: str, content: bytes) -> str:
    # SHA-1 is what git names objects by; the run's own digests are BLAKE3
    header = f"{kind} {len(content)}\0".encode()
    return hashlib.sha1(header + content, usedforsecurity=False).hexdigest()


__all__ = ["WHO", "File", "blob_id", "commit_id", "tree_id"]
