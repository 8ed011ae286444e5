"""Every error says what, where, why and what to do, and stands in the tree of its module."""

import inspect
from pathlib import Path

import pytest

from ledger import errors
from ledger.errors import LedgerError

LEAVES = [
    cls
    for cls in vars(errors).values()
    if inspect.isclass(cls) and issubclass(cls, LedgerError) and cls is not LedgerError
]
VALUES: dict[str, object] = {
    "path": Path("/runs/one/ledger.db"),
    "lock": Path("/runs/one/run.lock"),
    "because": "of a reason",
    "what": "a link",
    "where": "$.a",
    "digest": "0" * 64,
    "cmd": "c-1",
    "host": "here",
    "since": "yesterday",
}


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: str(leaf.__name__))
def test_a_leaf_is_drawn_with_its_exit_code_and_speaks(leaf: type[LedgerError]) -> None:
    assert errors.__doc__ is not None
    (line,) = (line for line in errors.__doc__.splitlines() if f"── {leaf.__name__} " in line)
    assert line.split(leaf.__name__)[1].split()[0] == str(leaf.exit_code)

    names = list(inspect.signature(leaf).parameters)
    said = str(leaf(*(value(leaf, name) for name in names)))
    assert len(said.split()) >= 12
    assert said.endswith((".", "'"))
    assert len(said) < 500


def value(leaf: type[LedgerError], name: str) -> object:
    text = leaf.__name__ in ("SqliteTooOld", "BlobChanged") and name in ("found", "needed")
    return "3.40.1" if text else VALUES.get(name, 7)
