"""Lets many lasting objects be made without the collector looking through them again and again."""

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def growing() -> Iterator[None]:
    """Hold the collector back while a large structure is made that stays."""
    was = gc.isenabled()
    gc.disable()

    try:
        yield
    finally:
        if was:
            gc.enable()


__all__ = ["growing"]
