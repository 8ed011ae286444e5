"""Which parameters to try next: pure, and the same for the same past.

An attempt's description spells its parameters out (`intensity-prior: w_like=1 ridge=0.01`), so the
past can be read from descriptions alone, whoever keeps them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from amid.planning.template import Parameter, Template, Value
from runtime.ports import Past

Choice = Mapping[str, Value]
_FAR = 3
"""Steps away from the best attempt, over all parameters together, that are still looked at."""


def describe(template: str, chosen: Choice) -> str:
    """Return the one-line description that `recall` reads back."""
    return f"{template}: " + " ".join(f"{name}={shown(value)}" for name, value in chosen.items())


def recall(template: Template, description: str) -> dict[str, Value] | None:
    """Return the parameters that a description spells out; None when it is another's.

    A value that is not on the parameter's list counts as the nearest one that is.
    """
    name, _, rest = description.partition(": ")

    if name != template.name:
        return None

    told = dict(re.findall(r"(\w+)=(\S+)", rest))
    chosen = {}

    for parameter in template.parameters:
        if parameter.name not in told:
            return None

        value = _nearest(parameter, told[parameter.name])

        if value is None:
            return None

        chosen[parameter.name] = value

    return chosen


def best_of(template: Template, past: Sequence[Past], *, maximize: bool) -> Past | None:
    """Return the best accepted attempt with this template, the earlier one in a tie.

    Inner scores are compared where every accepted attempt has one: they cost no look at the
    validation set. Otherwise released validation scores are; without any score the latest counts.
    """
    able = [
        one
        for one in past
        if one.verdict == "accept" and recall(template, one.description) is not None
    ]

    if not able:
        return None

    for scores in ([one.inner for one in able], [one.score for one in able]):
        if all(score is not None for score in scores):
            signed = [float(score or 0) * (1 if maximize else -1) for score in scores]
            return able[signed.index(max(signed))]

    return able[-1]


def nearby(template: Template, centre: Choice, slot: int) -> Iterator[dict[str, Value]]:
    """Yield choices around `centre`, nearest first; each slot begins in another direction.

    Parameters that are not searched stay as they are at the centre.
    """
    searched = [parameter for parameter in template.parameters if parameter.searched]
    ladders = [parameter.values for parameter in searched]
    names = [parameter.name for parameter in searched]
    middle = [
        ladder.index(centre[name]) if centre[name] in ladder else 0
        for name, ladder in zip(names, ladders, strict=True)
    ]

    for far in range(1, _FAR + 1):
        # the first parameter of a template matters most, and upwards comes before downwards
        ring = sorted(_ring(len(names), far), reverse=True)
        turn = slot * 3 % len(ring)

        for steps in ring[turn:] + ring[:turn]:
            places = [place + step for place, step in zip(middle, steps, strict=True)]

            if all(0 <= place < len(ladder) for place, ladder in zip(places, ladders, strict=True)):
                yield {**centre} | {
                    name: ladder[place]
                    for name, place, ladder in zip(names, places, ladders, strict=True)
                }


def shown(value: Value) -> str:
    """Return a value as TOML and as descriptions spell it."""
    return str(value).lower() if isinstance(value, bool) else f"{value:g}"


def _ring(axes: int, far: int) -> Iterator[tuple[int, ...]]:
    """Yield every step over `axes` parameters that is `far` list places long altogether."""
    if axes == 1:
        yield from [(far,), (-far,)] if far else [(0,)]
        return

    for first in range(-far, far + 1):
        for rest in _ring(axes - 1, far - abs(first)):
            yield (first, *rest)


def _nearest(parameter: Parameter, text: str) -> Value | None:
    for value in parameter.values:
        if shown(value) == text:
            return value

    try:
        number = float(text)
    except ValueError:
        return None

    return min(parameter.values, key=lambda value: abs(value - number))


__all__ = ["Choice", "best_of", "describe", "nearby", "recall", "shown"]
