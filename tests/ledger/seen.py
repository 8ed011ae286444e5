"""Everything about a folder that a reader must leave as it is."""

from pathlib import Path


def seen(folder: Path) -> dict[str, tuple[bytes, int, int, int]]:
    """Return path to (bytes, mtime, mode, inode) of all that lies in a folder, itself included."""
    paths = [folder, *folder.rglob("*")]
    return {
        str(path): (
            path.read_bytes() if path.is_file() else b"",
            path.stat().st_mtime_ns,
            path.stat().st_mode,
            path.stat().st_ino,
        )
        for path in sorted(paths)
    }
