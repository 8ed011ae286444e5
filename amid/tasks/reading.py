"""Reads `task.toml` and says what is wrong with one: key, value, what is allowed or was meant."""

import copy
import difflib
import math
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

import orjson
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from amid.errors import ContractWrong, NotSupported, TaskMissing, from_os_error
from amid.tasks import files, kinds
from amid.tasks.contract import Contract
from amid.tasks.kinds import Mistake

FILE = "task.toml"
_READINGS = 5
"""How often a contract is read at most to find mistakes behind mistakes."""
_STAND_IN: Mapping[str, Mapping[str, object]] = {
    "task": {"id": "task", "kind": "segmentation"},
    "metric": {"primary": "dice", "direction": "maximize"},
}
"""What stands for keys that are missing or wrong while the rest is read."""
_WHY = "the contract decides data, metric and split of the whole run: a slip must not pass silently"


def load(task_dir: Path) -> Contract:
    """Read the contract of a task folder.

    Raises:
        TaskMissing: there is no such folder, or no `task.toml` in it.
        ContractWrong: the file is not TOML, or says something it may not.
    """
    path = task_dir / FILE
    raw = _parse(path, _read(path))
    try:
        contract, mistakes = _gathered(raw)
    except orjson.JSONEncodeError as error:
        raise _wrong(path, [Mistake("(file)", str(error), "write smaller numbers")]) from None

    if mistakes or contract is None:
        raise _wrong(path, mistakes)

    return contract


def _gathered(raw: dict[str, object]) -> tuple[Contract | None, list[Mistake]]:
    """Return the contract, or every mistake of it.

    What is wrong is taken out and the rest read again, so that one reading names mistakes that
    others would hide.
    """
    # JSON has no such numbers: they would be read as absent.
    found = [
        Mistake(key, f"= {value} is not a number", "write a number") for key, value in _odd(raw)
    ]
    rest = _without(raw, [tuple(mistake.key.split(".")) for mistake in found]) if found else raw
    for _ in range(_READINGS):
        try:
            contract = Contract.model_validate_json(orjson.dumps(_filled(rest), default=str))
        except ValidationError as error:
            found += _new(_mistakes(error, raw), found)
            rest = _stood_in(_without(rest, [tuple(detail["loc"]) for detail in error.errors()]))
        else:
            known = not any(_about("task.kind", mistake.key) for mistake in found)
            return contract, found + _new(disagreements(contract) if known else [], found)

    return None, found


def _new(mistakes: list[Mistake], told: list[Mistake]) -> list[Mistake]:
    """Return the mistakes about keys of which nothing is told yet."""
    keys = [mistake.key.rstrip(":") for mistake in told]
    keys += ["metric.direction"] if "metric.primary" in keys else []
    keys += ["labels"] if any(key.startswith("labels.") for key in keys) else []
    return [m for m in mistakes if not any(_about(m.key.rstrip(":"), key) for key in keys)]


def _about(key: str, other: str) -> bool:
    return key == other or key.startswith(f"{other}.")


def _without(raw: dict[str, object], places: list[tuple[int | str, ...]]) -> dict[str, object]:
    """Return a contract without some keys."""
    rest: dict[str, object] = copy.deepcopy(raw)
    for place in places:
        *path, last = [part for part in place if part != "[key]"]
        inside: object = rest
        for part in path:
            inside = inside.get(part) if isinstance(inside, dict) else None

        if isinstance(inside, list):  # one of a list is wrong: the list goes
            inside, last = _look_up(rest, tuple(path[:-1])), path[-1]

        if isinstance(inside, dict):
            inside.pop(last, None)

    return rest


def _stood_in(rest: dict[str, object]) -> dict[str, object]:
    """Give a value to the keys that a contract cannot do without."""
    for section, values in _STAND_IN.items():
        given = rest.get(section)
        rest[section] = {**values, **given} if isinstance(given, dict) else dict(values)

    return rest


def require_supported(contract: Contract) -> None:
    """Raise NotSupported for a valid contract that this version cannot run."""
    kind, dimensions = contract.task.kind, contract.task.dimensions
    here = kinds.is_here(kind)
    able = kinds.contract_part(kind).DIMENSIONS if here else ()
    if dimensions in able:
        return

    key, value = ("dimensions", str(dimensions)) if here else ("kind", f'"{kind}"')
    can = ", ".join(
        f"{name} in {' or '.join(map(str, kinds.contract_part(name).DIMENSIONS))} dimensions"
        for name in sorted(kinds.places())
    )
    raise NotSupported(
        f"task.{key} = {value} is not yet supported",
        where=f"{FILE}, [task] {key}",
        why="this version has no methods and no reviewer for it",
        do=f"here are: {can}",
    )


def disagreements(contract: Contract) -> list[Mistake]:
    """Return where sections of a contract contradict its kind or each other."""
    kind, metric = contract.task.kind, contract.metric
    if not kinds.is_here(kind):  # nothing can be said; `require_supported` refuses it
        return []

    found: list[Mistake] = []
    asked = kinds.contract_part(kind)
    names = [("metric.primary", metric.primary), *(("metric.also", name) for name in metric.also)]

    for key, name in names:
        if asked.direction(name) is None:
            says = f'= "{name}" is not a metric for {kind}'
            found.append(Mistake(key, says, _one_of(name, asked.known())))

    better = asked.direction(metric.primary)
    if better is not None and better != metric.direction:
        side = "larger" if better == "maximize" else "smaller"
        says = f'= "{metric.direction}" contradicts {metric.primary}, where {side} is better'
        found.append(Mistake("metric.direction", says, f'write direction = "{better}"'))

    return [*found, *asked.mistakes(contract)]


def _read(path: Path) -> bytes:
    try:
        return files.read(path)
    except (FileNotFoundError, NotADirectoryError):
        raise TaskMissing(
            f"there is no {FILE} in {path.parent}",
            where=str(path),
            why="the contract says what the data, the metric and the split are",
            do="name the folder that holds task.toml",
        ) from None
    except OSError as error:
        raise from_os_error(error, doing=f"reading {FILE}", place=path) from error


def _parse(path: Path, content: bytes) -> dict[str, object]:
    try:
        return tomllib.loads(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        mistake = Mistake("(file)", f"is not UTF-8 at byte {error.start}", "save it as UTF-8")
    except tomllib.TOMLDecodeError as error:
        mistake = Mistake("(file)", f"is not valid TOML: {error}", "correct that line")
    except (ValueError, RecursionError) as error:  # a number of 5000 digits, 6000 brackets
        mistake = Mistake("(file)", f"cannot be read: {error}", "write it more simply")

    raise _wrong(path, [mistake])


def _filled(raw: dict[str, object]) -> dict[str, object]:
    """Fill in what the kind takes for granted where the file says nothing."""
    task = raw.get("task")
    kind = task.get("kind") if isinstance(task, Mapping) else None
    if not isinstance(kind, str) or not kinds.is_here(kind):
        return raw

    filled = dict(raw)
    for section, values in kinds.contract_part(kind).DEFAULTS.items():
        given = filled.get(section, {})
        filled[section] = {**values, **given} if isinstance(given, Mapping) else given

    return filled


def _odd(raw: object, key: str = "") -> Iterator[tuple[str, float]]:
    """Yield key and value of every NaN and infinity."""
    if isinstance(raw, float) and not math.isfinite(raw):
        yield key, raw
    elif isinstance(raw, Mapping):
        for name, value in raw.items():
            yield from _odd(value, f"{key}.{name}".lstrip("."))
    elif isinstance(raw, list):
        for value in raw:
            yield from _odd(value, key)


def _wrong(path: Path, mistakes: list[Mistake]) -> ContractWrong:
    first = mistakes[0]
    if len(mistakes) == 1:
        what, where = f"{first.key} {first.says}", f"{path}, {_place(first.key)}"
        return ContractWrong(what, where=where, why=_WHY, do=first.do)

    return ContractWrong(
        f"{FILE} has {len(mistakes)} mistakes",
        listed=[f"{m.key} {m.says}; {m.do}" for m in mistakes],
        where=str(path),
        why=_WHY,
        do="correct each key above",
    )


def _place(key: str) -> str:
    section, _, name = key.rstrip(":").partition(".")
    return f"[{section}] {name}".rstrip() if section != "(file)" else "the whole file"


def _mistakes(error: ValidationError, raw: Mapping[str, object]) -> list[Mistake]:
    found = [_mistake(detail, raw) for detail in error.errors()]
    first = {m.key: m for m in reversed(found)}
    # A misspelt key is also a missing one: say it once.
    meant = {m.do for m in found}
    return [
        m
        for m in found
        if m is first[m.key]
        and (m.says != "is missing" or f'did you mean "{m.key.rpartition(".")[2]}"?' not in meant)
    ]


def _mistake(detail: ErrorDetails, raw: Mapping[str, object]) -> Mistake:
    location = tuple(part for part in detail["loc"] if part != "[key]")
    key = ".".join(str(part) for part in location if not isinstance(part, int))
    value = _look_up(raw, location)
    context = detail.get("ctx", {})

    match detail["type"]:
        case "extra_forbidden":
            return Mistake(key, "is not a key of the contract", _meant(location))
        case "missing":
            section, _, name = key.rpartition(".")
            place = f"add it to [{section}]" if section else f"add the section [{name}]"
            return Mistake(key, "is missing", place)
        case "literal_error":
            allowed = str(context["expected"]).replace("'", '"')
            return Mistake(key, f"= {_shown(value)} is not allowed", f"allowed: {allowed}")
        case "value_error":
            return _rule_broken(key, value, str(context["error"]))
        case "string_pattern_mismatch":
            says = f"= {_shown(value)} has a form that is not allowed"
            if "[key]" in detail["loc"]:
                says = f"{_shown(location[-1])} is not a possible name"
                key = str(location[0])
            return Mistake(key, says, f"the pattern is {context['pattern']}")
        case _:
            return Mistake(key, f"= {_shown(value)} is not allowed", _wanted(detail))


def _rule_broken(key: str, value: object, rule: str) -> Mistake:
    if isinstance(value, Mapping):
        return Mistake(f"{key}:", rule, "correct that key")

    return Mistake(key, f"= {_shown(value)} is not allowed: {rule}", "correct the value")


def _wanted(detail: ErrorDetails) -> str:
    types = {
        "int_type": "a whole number is needed",
        "int_from_float": "a whole number is needed",
        "float_type": "a number is needed",
        "bool_type": "true or false is needed",
        "string_type": "a text in quotes is needed",
        "tuple_type": 'a list such as ["a", "b"] is needed',
        "dict_type": "a section with one key per line is needed",
        "model_type": "a section with one key per line is needed",
    }
    message = detail["msg"]
    for said, plain in _LIMITS.items():
        message = message.replace(said, plain)

    return types.get(detail["type"], message[0].lower() + message[1:])


_LIMITS = {
    "Input should be greater than or equal to": "the least is",
    "Input should be less than or equal to": "the most is",
    "Input should be greater than": "it must be above",
}


def _meant(location: tuple[int | str, ...]) -> str:
    """Return a hint for an unknown key: a near name, its right section, or all that is known."""
    name = str(location[-1])
    here = _keys(location[:-1])
    sections = {section: _keys((section,)) for section in Contract.model_fields}

    near = difflib.get_close_matches(name, here, n=1, cutoff=0.6)
    if near:
        return f'did you mean "{near[0]}"?'

    for section, keys in sections.items():
        if name in keys and len(location) == 2:
            return f"did you mean to write it under [{section}]?"

    return f"known here: {', '.join(here)}"


def _keys(location: tuple[int | str, ...]) -> tuple[str, ...]:
    model: object = Contract
    for part in location:
        if not (isinstance(model, type) and issubclass(model, BaseModel)):
            return ()
        field = model.model_fields.get(str(part))
        model = field.annotation if field is not None else None

    if isinstance(model, type) and issubclass(model, BaseModel):
        return tuple(model.model_fields)

    return ()


def _one_of(name: str, allowed: tuple[str, ...]) -> str:
    near = difflib.get_close_matches(name, allowed, n=1, cutoff=0.6)
    hint = f'did you mean "{near[0]}"? ' if near else ""
    return f"{hint}allowed: {', '.join(allowed)}"


def _look_up(raw: object, location: tuple[int | str, ...]) -> object:
    for part in location:
        if isinstance(raw, Mapping) and part in raw:
            raw = raw[part]
        elif isinstance(raw, list) and isinstance(part, int) and part < len(raw):
            raw = raw[part]
        else:
            return None

    return raw


def _shown(value: object) -> str:
    if isinstance(value, float):
        return repr(value)

    text = orjson.dumps(value, default=str).decode()
    return text if len(text) <= 60 else f"{text[:57]}..."


__all__ = ["FILE", "disagreements", "load", "require_supported"]
