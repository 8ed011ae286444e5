"""The error tree: every leaf has a code of the table, and says what, where, why and what to do."""

import errno
from pathlib import Path

import pytest

from amid import errors
from amid.errors import AmidError, DataProblems, Problem, from_os_error


def leaves() -> list[type[AmidError]]:
    found = [getattr(errors, name) for name in errors.__all__]
    return [
        cls
        for cls in found
        if isinstance(cls, type) and issubclass(cls, AmidError) and not cls.__subclasses__()
    ]


@pytest.mark.parametrize("leaf", leaves(), ids=lambda leaf: leaf.__name__)
def test_every_leaf_is_drawn_in_the_tree_and_has_a_code(leaf: type[AmidError]) -> None:
    assert errors.__doc__ is not None
    assert leaf.__name__ in errors.__doc__
    assert leaf.__doc__
    assert leaf.exit_code in (1, 2, 3, 5)


def test_a_message_has_four_parts() -> None:
    error = errors.TableWrong("what", where="place", why="reason", do="advice")

    assert str(error) == "what\n  where: place\n  why:   reason\n  do:    advice"


def test_absences_alone_make_it_a_missing_thing() -> None:
    gone = Problem("missing-file", "line 2", "is not there", "copy it", missing=True)
    bad = Problem("truncated", "line 3", "is cut short", "copy it")

    assert DataProblems([gone], where="data").exit_code == 3
    assert "--data DIR" in DataProblems([gone], where="data").do
    assert DataProblems([gone, bad], where="data").exit_code == 1


@pytest.mark.parametrize(
    ("number", "leaf"),
    [
        (errno.ENOSPC, errors.NoSpace),
        (errno.EDQUOT, errors.NoSpace),
        (errno.EROFS, errors.NoPermission),
        (errno.EIO, errors.FileTrouble),
        (errno.EISDIR, errors.PathWrong),
        (errno.EINVAL, errors.PathWrong),
        (errno.ENAMETOOLONG, errors.PathWrong),
    ],
)
def test_each_refusal_of_the_file_system_has_its_leaf(number: int, leaf: type[AmidError]) -> None:
    error = from_os_error(OSError(number, "said", "here"), doing="trying", place=Path("there"))

    assert type(error) is leaf
    assert error.where == "here"
    assert "while trying" in error.what
