"""Reads attempt.toml, the one file that says what an attempt is and how it is run."""

import math
import re
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import PurePosixPath

from ledger.events.base import real
from runtime.errors import AttemptRefused
from runtime.ports import Manifest

KEYS = ("lane", "description", "train", "predict", "members", "params", "claims")
_FILE = "attempt.toml"
_CLAIM_KEYS = ("metric", "value")
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,99}")
_MEMBER = re.compile(r"a-[a-z0-9-]{1,118}")
_MAX_DESCRIPTION = 400
_MAX_WORDS = 32
_MAX_COMMAND = 8192
"""Bytes; the whole launch of a job, with its paths, is one message on a socket."""
_MAX_CLAIMS = 32
_MAX_METRIC = 100


def read(attempt_toml: bytes) -> Manifest:
    """Return what an attempt.toml says.

    Raises:
        AttemptRefused: the file cannot be read, or a key is missing, unknown or wrong.
    """
    table = _parse(attempt_toml)
    _only(table, KEYS, _FILE)
    train = _command(table, "train", may_be_empty=True)
    members = _members(table)

    if members and train:
        raise _refused("train", "must be [] where members are averaged: nothing is trained there")

    if not isinstance(table.get("params", {}), dict):
        raise _refused("params", "must be a table [params]")

    return Manifest(
        lane=_lane(table),
        description=_description(table),
        train=train,
        predict=_command(table, "predict", may_be_empty=False),
        members=members,
        claims=_claims(table),
    )


def _parse(attempt_toml: bytes) -> dict[str, object]:
    try:
        table = tomllib.loads(attempt_toml.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise AttemptRefused(
            f"byte {error.start} is no UTF-8", where=_FILE, hint="write the file as UTF-8 text"
        ) from error
    except tomllib.TOMLDecodeError as error:
        raise AttemptRefused(f"this is not TOML: {error}", where=_FILE) from error
    except (ValueError, RecursionError) as error:  # a number of 5000 digits, 6000 brackets
        raise AttemptRefused(f"this cannot be read: {error}", where=_FILE) from error

    if not unicodedata.is_normalized("NFC", str(table)):
        raise AttemptRefused(
            "this holds letters with loose accents, which are another text than they look",
            where=_FILE,
            hint="write each as one character (Unicode form NFC)",
        )

    return table


def _only(table: Mapping[str, object], allowed: Sequence[str], where: str) -> None:
    for key in table:
        if key not in allowed:
            near = get_close_matches(key, allowed, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"use one of {', '.join(allowed)}"
            raise AttemptRefused(f"unknown key {key!r}", where=where, hint=hint)


def _lane(table: Mapping[str, object]) -> str:
    lane = table.get("lane")

    if not isinstance(lane, str) or _NAME.fullmatch(lane) is None:
        raise _refused("lane", f"must name the lane this attempt belongs to, not {lane!r}")

    return lane


def _description(table: Mapping[str, object]) -> str:
    text = table.get("description")

    if not isinstance(text, str) or not text.strip() or not text.isprintable():
        raise _refused("description", "must be one line of text that says what this attempt tries")

    if len(text) > _MAX_DESCRIPTION:
        raise _refused("description", f"must have at most {_MAX_DESCRIPTION} characters")

    return text


def _command(table: Mapping[str, object], key: str, *, may_be_empty: bool) -> tuple[str, ...]:
    words = table.get(key, [])

    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise _refused(key, f'must be a list of words such as ["python", "{key}.py"]')

    if not words and may_be_empty:
        return ()

    if len(words) < 2 or words[0] != "python":
        raise _refused(key, f'must start with "python" and a script: ["python", "{key}.py"]')

    if len(words) > _MAX_WORDS or not all(word and word.isprintable() for word in words):
        raise _refused(key, f"must have at most {_MAX_WORDS} words of printable text")

    if sum(len(word.encode()) for word in words) > _MAX_COMMAND:
        raise _refused(key, f"must have at most {_MAX_COMMAND} bytes")

    _check_script(key, words[1])

    return tuple(words)


def _check_script(key: str, script: str) -> None:
    parts = PurePosixPath(script).parts
    inside = script and not script.startswith(("/", "-")) and ".." not in parts

    if not inside or "\\" in script or not script.endswith(".py"):
        raise _refused(
            key, f"names {script!r}, which is not a relative path of a .py file inside the tree"
        )


def _members(table: Mapping[str, object]) -> tuple[str, ...]:
    members = table.get("members", [])

    if not isinstance(members, list) or not all(isinstance(name, str) for name in members):
        raise _refused("members", 'must be a list of attempts such as ["a-..."]')

    for name in members:
        if _MEMBER.fullmatch(name) is None:
            raise _refused("members", f"names {name!r}, which is not an attempt id")

    if len(set(members)) < len(members):
        raise _refused("members", "names an attempt twice; use a weight in [params] instead")

    return tuple(members)


def _claims(table: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    claims = table.get("claims", [])

    if not isinstance(claims, list) or not all(isinstance(claim, dict) for claim in claims):
        raise _refused("claims", "must be tables [[claims]] with metric and value")

    if len(claims) > _MAX_CLAIMS:
        raise _refused("claims", f"has {len(claims)} entries; at most {_MAX_CLAIMS} are read")

    return tuple(_claim(claim) for claim in claims)


def _claim(claim: Mapping[str, object]) -> tuple[str, str]:
    _only(claim, _CLAIM_KEYS, f"{_FILE} [[claims]]")
    metric, value = claim.get("metric"), claim.get("value")

    if not isinstance(metric, str) or not metric.strip() or not metric.isprintable():
        raise _refused("claims", "needs the name of a metric in each claim")

    if len(metric) > _MAX_METRIC:
        raise _refused("claims", f"names a metric of more than {_MAX_METRIC} characters")

    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise _refused("claims", f"needs a number as the value of {metric}")

    try:
        number = float(value)
    except (ValueError, OverflowError) as error:
        shown = repr(value)[:40]
        raise _refused("claims", f"says {metric} is {shown}, which is not a number") from error

    if not math.isfinite(number):
        raise _refused("claims", f"says {metric} is {value}: claim a finite number or nothing")

    return metric, real(number)


def _refused(key: str, what: str) -> AttemptRefused:
    return AttemptRefused(f"{key} {what}", where=_FILE)


__all__ = ["KEYS", "read"]
