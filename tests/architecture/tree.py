"""The repository as the tests of its architecture see it."""

import subprocess
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PACKAGES = ("ledger", "projections", "runtime", "replay", "amid")


def sources() -> Iterator[Path]:
    """Yield every Python file of the product, sorted."""
    for package in PACKAGES:
        yield from sorted((ROOT / package).rglob("*.py"))


def tracked() -> list[Path]:
    """Return every file under version control; in an unpacked archive, every file there is."""
    done = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z"],
        capture_output=True,
        check=False,
        text=True,
    )
    if done.returncode == 0:
        names = [ROOT / name for name in done.stdout.split("\0") if name]
    else:
        names = [path for path in ROOT.rglob("*") if not _hidden(path)]

    return sorted(path for path in names if path.is_file())


def _hidden(path: Path) -> bool:
    parts = path.relative_to(ROOT).parts
    return any(part in (".venv", "__pycache__", ".git") for part in parts)


def settings() -> Mapping[str, Any]:
    """Return pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text())
