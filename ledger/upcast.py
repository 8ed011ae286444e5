"""Brings stored bodies of older versions to the current shape, one pure step at a time.

Only readers do this; stored bytes and hashes never change.
"""

from collections.abc import Callable

from ledger.canonical import Json, decode, encode

Body = dict[str, Json]
"""The body of an event."""

Step = Callable[[Body], Body]
"""Turns a body of one version into one of the next; looks at nothing else."""

_STEPS: dict[tuple[str, int], Step] = {}


def upcasts(
    type: str, v: int, steps: dict[tuple[str, int], Step] = _STEPS
) -> Callable[[Step], Step]:
    """Register a function as the step from version `v` of an event to `v + 1`."""

    def register(step: Step) -> Step:
        if (type, v) in steps:
            raise ValueError(f"there is a step from {type} v{v} already: {steps[type, v]}")

        steps[type, v] = step
        return step

    return register


def current(
    type: str, v: int, body: bytes, steps: dict[tuple[str, int], Step] = _STEPS
) -> tuple[int, bytes]:
    """Return the version and body that today's readers know for a stored body."""
    if (type, v) not in steps:
        return v, body

    value = decode(body)
    if not isinstance(value, dict):
        return v, body

    while (type, v) in steps:
        value = steps[type, v](value)
        v += 1

    return v, encode(value)


__all__ = ["Body", "Step", "current", "upcasts"]
