"""What of a frozen commit decides what it does: its code without layout, its words without talk.

Two commits that differ in white space, comments, docstrings or a description do the same, so they
get the same digest, and with it the same seed: a copy cannot shop for a better draw, and what it
predicts is equal to the byte. Pure.
"""

import ast
import json
import tomllib
from collections.abc import Callable, Sequence

from blake3 import blake3

from ledger.canonical import document
from ledger.events.work import TreeFile

TALK = ("description", "claims")
"""Keys of attempt.toml that no job reads."""


def executed_digest(files: Sequence[TreeFile], read: Callable[[str], bytes]) -> str:
    """Return the digest of what a commit executes.

    Args:
        files: of the commit.
        read: returns a blob.
    """
    listing = [
        [file.path, file.mode, _meaning(file.path, read(file.digest))]
        for file in sorted(files, key=lambda file: file.path)
    ]
    return blake3(document(listing)).hexdigest()


def _meaning(path: str, content: bytes) -> str:
    """Return a digest that depends on what a file means; on its bytes where that is not known."""
    try:
        if path.endswith(".py"):
            plain = ast.dump(_without_docstrings(ast.parse(content)))
        elif path == "attempt.toml":
            told = tomllib.loads(content.decode("utf-8"))
            kept = {key: value for key, value in told.items() if key not in TALK}
            plain = json.dumps(kept, sort_keys=True, default=str)
        else:
            return blake3(content).hexdigest()
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return blake3(content).hexdigest()

    return blake3(plain.encode("utf-8", "surrogatepass")).hexdigest()


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue

        first = node.body[0] if node.body else None
        if (
            isinstance(first, ast.Expr)
            and isinstance(first.value, ast.Constant)
            and isinstance(first.value.value, str)
        ):
            node.body = node.body[1:] or [ast.Pass()]

    return tree


__all__ = ["executed_digest"]
