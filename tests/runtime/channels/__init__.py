"""An attack in two jobs: scripts that send one bit by every way two processes have.

The scripts are text, not modules: they run inside jobs and are never imported.
"""

import os
from pathlib import Path

HERE = Path(__file__).parent


def sender() -> str:
    """Return the script of the job that has something to tell."""
    return _common() + _read("sender.py.txt")


def receiver(others: list[int], folder: Path) -> str:
    """Return the script of the job that listens, told whom to listen to."""
    told = f"OTHERS = {others!r}\nOTHER = {str(folder)!r}\n"
    return _common() + told + _read("receiver.py.txt")


def _common() -> str:
    """Return what both need: names and numbers that no other attack on this machine uses."""
    return f"TAG = {os.getpid()}\n" + _read("common.py.txt")


def _read(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")
