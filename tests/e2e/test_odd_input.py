"""Input as the world writes it: a run notes what is odd and comes to a package all the same."""

import gzip
import struct
from pathlib import Path

import pytest

from amid.demo import tiny
from tests.amid.sample import edit_header, edit_voxels
from tests.e2e.runs import amid, answer

pytestmark = pytest.mark.timeout(300)


def skew(path: Path) -> None:
    edit_header(path, lambda head: struct.pack_into("<f", head, 284, 0.001))


def no_scaling(path: Path) -> None:
    """Write a slope of 0 with an intercept, which means nothing."""
    edit_header(path, lambda head: struct.pack_into("<ff", head, 112, 0.0, 5.0))


def wild(path: Path) -> None:
    def change(voxels: object) -> None:
        voxels[0, 0, 0] = 1e6  # type: ignore[index]

    edit_voxels(path, change, "float32")


def leave_open(path: Path) -> None:
    """Say of the last slices that nobody knows: in the bytes, so that the header stays."""
    content = bytearray(gzip.decompress(path.read_bytes()))
    content[-2 * 16 * 16 :] = bytes([255]) * (2 * 16 * 16)
    path.write_bytes(gzip.compress(bytes(content), mtime=0))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run on the tiny task, spoilt in six ways that can be read."""
    folder = tmp_path_factory.mktemp("odd")
    task = tiny.make(folder / "task")
    listed, contract = task / "cases.csv", task / "task.toml"
    rows = listed.read_text().splitlines()
    listed.write_text("\n".join(row.replace(",", ";") + ";;" for row in rows))
    contract.write_text(contract.read_text().replace("right = 2", "right = 2\nignore = 255"))
    for path in sorted((task / "labels").iterdir()):
        leave_open(path)

    for kind in ("images", "labels"):
        skew(task / kind / "p01-v1.nii.gz")
        no_scaling(task / kind / "p02-v1.nii.gz")

    wild(task / "images" / "p03-v1.nii.gz")
    amid("run", task, "-o", folder / "run", "--seed", "7", "--cores", "2")
    return folder / "run"


def test_what_is_odd_stands_in_status_and_first_in_the_report(run: Path) -> None:
    data = answer("status", run)["data"]
    report = (run / "report.html").read_text()
    section = report[report.index('<section id="data"') :].partition("</section>")[0]

    assert isinstance(data, list)
    for says in (
        "the case table is read with the semicolon as separator",
        "2 columns without name or content at the end of the case table",
        "from right angles and read as if they were at right angles",
        "lie far beyond all others",
        "12 of 12 development cases have voxels to be ignored",
    ):
        assert any(says in line for line in data), says
        assert says in section


def test_it_ends_with_a_package_that_can_be_verified(run: Path) -> None:
    assert answer("status", run)["outcome"] == "package"
    assert answer("verify", run)["ok"] is True


def test_pictures_of_odd_files_are_shown(run: Path) -> None:
    assert "data:image/png" in (run / "report.html").read_text()
    assert "no picture" not in (run / "report.html").read_text()
