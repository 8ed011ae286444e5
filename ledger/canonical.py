"""The one way to write a value as bytes: JSON as in RFC 8785, inside a fenced domain.

Inside the fence (keys of `a-z 0-9 _ .`, whole numbers that every JSON reader keeps, no floats,
text as in `ledger.fence`) sorted orjson output is byte for byte what RFC 8785 asks for, and much
faster than a library that also covers what lies outside.
"""

import math
import re
from collections.abc import Iterable
from typing import TypeAlias

import orjson

from ledger.errors import FenceViolation
from ledger.fence import text_fault

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
"""What `decode` returns; a body holds no float, a document may."""

LARGEST = 2**53 - 1
"""The largest whole number that every JSON reader keeps exactly."""

DEEPEST = 64
"""How many lists and objects may stand inside each other."""

_KEY = re.compile(r"[a-z0-9_.]+")


def encode(value: object) -> bytes:
    """Return the canonical bytes of an event body.

    Raises:
        FenceViolation: the value holds something that has no one way to be written.
    """
    if not _is_sound((value,), 0):
        _check(value, "$", 0)  # says what is wrong, and where

    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def decode(data: bytes) -> Json:
    """Return the value behind canonical bytes.

    Raises:
        FenceViolation: the bytes are not exactly what `encode` writes for their value: not JSON,
            a space, a doubled key, another order, another spelling of a character or a number.
    """
    try:
        value: Json = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise FenceViolation("$", f"it is not JSON ({error})") from error

    if encode(value) != data:
        raise FenceViolation("$", "it is JSON, but not in its canonical spelling")

    return value


def document(value: object) -> bytes:
    """Return sorted JSON of a document for the blob store; floats are allowed, if finite.

    Raises:
        FenceViolation: a number is NaN or infinite, or orjson has no JSON for a value.
    """
    _check_finite(value, "$")

    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError as error:
        raise FenceViolation("$", str(error)) from error


_SOUND_KEYS: set[str] = set()
"""Keys that were found to be good; a run has a few hundred."""
_MOST_KEYS = 4096


def _is_sound(values: Iterable[object], depth: int) -> bool:
    """Say whether values surely lie inside the fence. Quick; `_check` tells of what does not."""
    for value in values:
        kind = type(value)
        if kind is str:
            plain = value.isascii() and value.isprintable()  # type: ignore[attr-defined]
            if not plain and text_fault(value) is not None:  # type: ignore[arg-type]
                return False
        elif kind is int:
            if not -LARGEST <= value <= LARGEST:  # type: ignore[operator]
                return False
        elif kind is dict or kind is list or kind is tuple:
            if not _is_sound_inside(value, depth):
                return False
        elif value is not None and kind is not bool:
            return False

    return True


def _is_sound_inside(value: object, depth: int) -> bool:
    if depth >= DEEPEST:
        return False

    if isinstance(value, dict):
        return _are_sound_keys(value) and _is_sound(value.values(), depth + 1)

    return _is_sound(value, depth + 1)  # type: ignore[arg-type]


def _are_sound_keys(keys: Iterable[object]) -> bool:
    if _SOUND_KEYS.issuperset(keys):
        return True

    for key in keys:
        if type(key) is not str or not _KEY.fullmatch(key):
            return False

        if len(_SOUND_KEYS) < _MOST_KEYS:
            _SOUND_KEYS.add(key)

    return True


def _check(value: object, where: str, depth: int) -> None:
    kind = type(value)
    if kind is str:
        _check_text(value, where)  # type: ignore[arg-type]
    elif kind is int:
        _check_whole(value, where)  # type: ignore[arg-type]
    elif isinstance(value, dict | list | tuple):
        _check_inside(value, where, depth)
    elif value is not None and kind is not bool:
        raise FenceViolation(where, _why_not(value))


def _check_inside(
    value: dict[object, object] | list[object] | tuple[object, ...], where: str, depth: int
) -> None:
    if depth >= DEEPEST:
        raise FenceViolation(where, f"it lies more than {DEEPEST} levels deep")

    if not isinstance(value, dict):
        for index, item in enumerate(value):
            _check(item, f"{where}[{index}]", depth + 1)

        return

    for key, item in value.items():
        if type(key) is not str or not _KEY.fullmatch(key):
            raise FenceViolation(f"{where} key {key!r}", "keys are made of a-z, 0-9, _ and .")

        _check(item, f"{where}.{key}", depth + 1)


def _check_text(value: str, where: str) -> None:
    fault = text_fault(value)
    if fault is not None:
        raise FenceViolation(where, fault)


def _check_whole(value: int, where: str) -> None:
    if not -LARGEST <= value <= LARGEST:
        raise FenceViolation(where, f"{value} is beyond ±(2^53 - 1); write it as text")


def _why_not(value: object) -> str:
    if isinstance(value, float):
        return f"{value!r} is a float; write it with ledger.events.base.real, or as a whole number"

    return f"a {type(value).__name__} is no text, whole number, true, false, null, list or object"


def _check_finite(value: object, where: str) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise FenceViolation(where, f"{value!r} would silently become null")

    if isinstance(value, dict):
        for key, item in value.items():
            _check_finite(item, f"{where}.{key}")
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            _check_finite(item, f"{where}[{index}]")


__all__ = ["DEEPEST", "LARGEST", "Json", "decode", "document", "encode"]
