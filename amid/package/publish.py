"""Puts the finished package beside its run: one zip, and the same files unpacked."""

import shutil
import zipfile
from pathlib import Path

from amid.package.bundle import export

FOLDER = "package"
ARCHIVE = "package.zip"


def publish(run: Path) -> Path:
    """Write `package.zip` and `package/` into a run whose package was built; return the folder.

    Both are made anew from ledger and blobs, and appear whole or not at all; where they are there
    already they are left as they are.

    Raises:
        amid.package.bundle.NoPackage: the run has no package.
    """
    folder, archive = run / FOLDER, run / ARCHIVE

    if not archive.exists():
        export(run, archive)

    if not folder.exists():
        making = run / f".{FOLDER}.making"
        shutil.rmtree(making, ignore_errors=True)

        with zipfile.ZipFile(archive) as packed:
            packed.extractall(making)

        (top,) = making.iterdir()
        top.rename(folder)
        making.rmdir()

    return folder


__all__ = ["ARCHIVE", "FOLDER", "publish"]
