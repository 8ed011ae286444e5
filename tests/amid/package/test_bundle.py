"""A zip of a run's package: the recorded payload, and provenance up to the last event."""

import shutil
from pathlib import Path

import pytest

from amid.errors import FolderExists
from amid.package import verify
from amid.package.bundle import NoPackage, PackageDiffers, export
from ledger.events.work import PackageBuilt
from replay.package import unzip
from tests.amid.package.sample_package import append
from tests.amid.package.sample_run import FINAL
from tests.amid.package.test_build import files_of


def test_a_zip_is_whole_and_names_its_own_event(finished: Path, tmp_path: Path) -> None:
    """package.built is among its events and names its payload."""
    bundle = export(finished, tmp_path / "p.zip")
    for path, content in unzip(bundle.path.read_bytes()).items():
        (tmp_path / "p" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "p" / path).write_bytes(content)

    found = verify.Package(tmp_path / "p")
    assert (found.problems, found.undecided) == ([], [])
    assert files_of(tmp_path / "p/payload") == files_of(finished / "package/payload")


def test_two_zips_are_equal(finished: Path, tmp_path: Path) -> None:
    """Byte for byte."""
    first, second = export(finished, tmp_path / "a.zip"), export(finished, tmp_path / "b.zip")
    assert first.path.read_bytes() == second.path.read_bytes()
    assert first.digest == second.digest


def test_another_payload_than_recorded_is_a_no(finished: Path, tmp_path: Path) -> None:
    """In verify.py and on export."""
    run = Path(shutil.copytree(finished, tmp_path / "RUN"))
    append(run, PackageBuilt(attempt=FINAL, manifest="ab" * 32, files=1))
    with pytest.raises(PackageDiffers):
        export(run, tmp_path / "p.zip")

    assert not (tmp_path / "p.zip").exists()


def test_no_package_no_zip(sample: Path, tmp_path: Path) -> None:
    """And nothing half made is left behind."""
    with pytest.raises(NoPackage):
        export(sample, tmp_path / "p.zip")

    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_there_stays(finished: Path, tmp_path: Path) -> None:
    """A package is never overwritten."""
    (tmp_path / "p.zip").write_text("mine")
    with pytest.raises(FolderExists):
        export(finished, tmp_path / "p.zip")

    assert (tmp_path / "p.zip").read_text() == "mine"
