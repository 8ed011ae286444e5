"""What an operator may watch while a run is under way. It may be lost; what counts is an event.

Nothing is written until `show` says where to, and then to standard error only.
"""

import logging
import sys
from typing import TextIO

import structlog


def _configure(level: int, to: TextIO) -> None:
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.TimeStamper(fmt="%H:%M:%S", utc=False),
            structlog.processors.LogfmtRenderer(key_order=["timestamp", "run", "seq", "event"]),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(to),
        cache_logger_on_first_use=False,
    )


def show() -> None:
    """From here on, write to standard error what the loop does."""
    _configure(logging.DEBUG, sys.stderr)


def hide() -> None:
    """Write nothing."""
    _configure(logging.CRITICAL, sys.stderr)


def bind(run: str) -> None:
    """Put the first characters of the run's id on every line of this process."""
    structlog.contextvars.bind_contextvars(run=run[:8])


hide()
log = structlog.stdlib.get_logger()
"""Lines carry `run` and `seq`, so that they can be laid beside the ledger."""

__all__ = ["bind", "hide", "log", "show"]
