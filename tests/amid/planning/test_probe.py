"""The probe times a network's own step, and says what it could not use."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ledger.blobs import BlobStore
from tests.amid.kinds.segmentation.planning.samples import CONTRACT, profile


def probe(folder: Path, template: str, **changes: object) -> subprocess.CompletedProcess[str]:
    """Run the probe in a job folder, for a profile with some fields changed."""
    blobs = BlobStore(folder / "run" / "blobs")
    private = {
        "run": str(folder / "run"),
        "contract": blobs.put(CONTRACT.encode()),
        "profile": blobs.put(profile(**changes).model_dump_json().encode()),
        "template": template,
    }
    told = {"schema": "job/1", "kind": "probe", "subject": template, "private": private}
    (folder / "job.json").write_text(json.dumps(told))

    return subprocess.run(
        [sys.executable, "-I", "-W", "ignore", "-m", "amid.planning.probe"],
        cwd=folder, capture_output=True, text=True, check=False,
        env={"AMID_THREADS": "1", "OMP_NUM_THREADS": "1"},
    )  # fmt: skip


@pytest.mark.timeout(300)  # the libraries take long to load on a busy machine
def test_a_step_has_a_price(tmp_path: Path) -> None:
    done = probe(tmp_path, "small-unet", size_median=(16, 16, 16), voxels_median=4096, cases=12)

    assert done.returncode == 0, done.stderr
    told = json.loads((tmp_path / "out" / "probe.json").read_text())
    assert set(told) == {"template", "ms_per_step", "fixed_ms"}
    assert told["template"] == "small-unet"
    assert told["ms_per_step"] >= 1
    assert told["fixed_ms"] >= 1


def test_what_has_no_steps_is_not_timed(tmp_path: Path) -> None:
    done = probe(tmp_path, "atlas-fusion")

    assert done.returncode == 5
    assert "atlas-fusion is no template that trains in steps" in done.stderr
    assert not (tmp_path / "out").exists()
