"""Prices of templates given by a file instead of being measured: `amid run --probe FILE`."""

from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from amid.errors import ContractWrong
from ledger.events.base import Part, Whole
from ledger.events.data import ProbeMeasured


class _Price(Part):
    ms_per_step: Whole
    fixed_ms: Whole


_PRICES = TypeAdapter(dict[str, _Price])


def read(file: Path) -> tuple[ProbeMeasured, ...]:
    """Return the prices in a JSON file {template: {ms_per_step, fixed_ms}}, by template.

    With the same prices, seed and task two machines plan the same lanes.

    Raises:
        amid.errors.ContractWrong: the file is not there or not such a table.
    """
    try:
        prices = _PRICES.validate_json(file.read_bytes())
    except (OSError, ValidationError) as error:
        raise ContractWrong(
            "the file of prices cannot be used",
            where=str(file),
            why="lanes are planned by what a step costs",
            do='write {"small-unet": {"ms_per_step": 500, "fixed_ms": 9000}}, whole milliseconds',
        ) from error

    return tuple(
        ProbeMeasured(template=name, ms_per_step=price.ms_per_step, fixed_ms=price.fixed_ms)
        for name, price in sorted(prices.items())
    )


__all__ = ["read"]
