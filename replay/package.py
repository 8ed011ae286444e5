"""A deterministic zip: the same files give the same bytes, wherever and whenever it is made.

Pure: it takes names and contents and returns the archive. Files are stored, not deflated, since a
deflated stream depends on the library that wrote it; images and weights are compressed already.
"""

import io
import zipfile
from collections.abc import Mapping

from runtime.jobspec import is_inside

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest time a zip can hold."""

_UNIX = 3
_REGULAR_0644 = 0o100644 << 16


def zip_bytes(files: Mapping[str, bytes], *, folder: str) -> bytes:
    """Return a zip of `files` below the one top folder `folder`, sorted by path.

    Raises:
        ValueError: a path leaves the folder, or two paths differ in case only.
    """
    _refuse_bad_names(files)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for path in sorted(files):
            entry = zipfile.ZipInfo(f"{folder}/{path}", EPOCH)
            entry.create_system = _UNIX
            entry.external_attr = _REGULAR_0644
            archive.writestr(entry, files[path])

    return buffer.getvalue()


def unzip(content: bytes) -> dict[str, bytes]:
    """Return the files of such a zip by path, without its top folder.

    Raises:
        ValueError: a path leaves the folder.
    """
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        files = {
            name.partition("/")[2]: archive.read(name)
            for name in archive.namelist()
            if not name.endswith("/")
        }

    _refuse_bad_names(files)
    return files


def _refuse_bad_names(files: Mapping[str, bytes]) -> None:
    """Refuse names that would land elsewhere, or on one another on some systems."""
    seen: dict[str, str] = {}
    for path in sorted(files):
        if not is_inside(path) or "\\" in path:
            raise ValueError(f"a package cannot hold {path!r}: it leaves the folder")

        other = seen.setdefault(path.casefold(), path)
        if other != path:
            raise ValueError(f"a package cannot hold both {other!r} and {path!r}")


__all__ = ["EPOCH", "unzip", "zip_bytes"]
