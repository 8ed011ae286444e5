"""Named crash points: a test kills the process exactly there, once.

`AMID_CRASH=name:n` in the environment ends the process by SIGKILL when it reaches the point for
the n-th time. Without it a point costs one dictionary look-up.
"""

import os
import signal

_seen: dict[str, int] = {}


def point(name: str) -> None:
    """Die here if the environment says so."""
    wanted, _, number = os.environ.get("AMID_CRASH", "").partition(":")

    if wanted != name:
        return

    _seen[name] = _seen.get(name, 0) + 1

    if _seen[name] == int(number or 1):
        os.kill(os.getpid(), signal.SIGKILL)
