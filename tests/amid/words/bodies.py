"""Strategies for event bodies: whatever an event class allows."""

import types
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from hypothesis import strategies as st
from pydantic.fields import FieldInfo

from ledger.events.base import Part

P = TypeVar("P", bound=Part)

_REALS = st.sampled_from(["0", "1", "-0.25", "0.8125", "3e-7"])


def bodies(cls: type[P]) -> st.SearchStrategy[P]:
    """Return a strategy for events of one class, or for a part of one."""
    fields = {
        name: _values(_whole(field)) for name, field in cls.model_fields.items() if name != "type"
    }
    return st.fixed_dictionaries(fields).map(lambda values: cls(**values))


def _whole(field: FieldInfo) -> Any:  # noqa: ANN401 - annotations are of any kind
    """Return a field's annotation with the constraints that pydantic took off it."""
    kept = tuple(field.metadata)
    return Annotated[field.annotation, *kept] if kept else field.annotation


def _values(hint: Any) -> st.SearchStrategy[Any]:  # noqa: ANN401 - a table of kinds
    origin, inside = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _constrained(inside[0], inside[1:])
    if origin is Literal:
        return st.sampled_from(inside)
    if origin in (Union, types.UnionType):
        return st.one_of(*(_values(one) for one in inside))
    if origin is tuple:
        return st.lists(_values(inside[0]), max_size=3).map(tuple)
    if hint is type(None):
        return st.none()
    if isinstance(hint, type) and issubclass(hint, Part):
        return bodies(hint)
    if hint is bool:
        return st.booleans()
    if hint is int:
        return st.integers(0, 2**53 - 1)
    return st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


def _constrained(inner: Any, extras: tuple[Any, ...]) -> st.SearchStrategy[Any]:  # noqa: ANN401
    for extra in extras:
        for rule in (extra, *getattr(extra, "metadata", ())):
            pattern = getattr(rule, "pattern", None)
            if pattern and "[0-9a-f]" in pattern:
                size = int(pattern.partition("{")[2].partition("}")[0])
                return st.text("0123456789abcdef", min_size=size, max_size=size)
            if pattern:
                return _REALS

    return _values(inner)
