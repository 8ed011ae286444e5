"""Looking at a run, and asking for help, load no network and no image library."""

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("torch", "monai", "nnunetv2", "SimpleITK", "scipy", "matplotlib", "pandas")

PROBE = """
import sys
from amid.cli import call
code = call(sys.argv[2:])
loaded = [name for name in sys.argv[1].split(",") if name in sys.modules]
print("loaded:", *loaded)
"""


def loaded_by(*arguments: str) -> list[str]:
    """Return the heavy modules that a command line loads, in a process of its own."""
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            PROBE,
            ",".join((*HEAVY, "numpy", "rich", "replay.verify")),
            *arguments,
        ],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout.splitlines()[-1].split()[1:]


@pytest.mark.parametrize("arguments", [["--help"], ["verify", "--help"], ["run", "--help"]])
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    assert loaded_by(*arguments) == []


def test_the_doctor_looks_without_importing() -> None:
    assert loaded_by("doctor") == []


def test_a_run_is_verified_without_networks_and_images(tmp_path: Path) -> None:
    # The modules are loaded before the run is judged, so a folder that is none is enough.
    (tmp_path / "ledger.db").write_bytes(b"")

    loaded = set(loaded_by("verify", str(tmp_path)))

    assert "replay.verify" in loaded
    assert not loaded & set(HEAVY)
