"""What the operating system says about processes and this boot."""

from pathlib import Path


def boot_id() -> str:
    """Return the id of this boot; empty where the system keeps none."""
    path = Path("/proc/sys/kernel/random/boot_id")
    return path.read_text().strip() if path.exists() else ""


def process_start(pid: int) -> str:
    """Return when a process started, in clock ticks since boot; empty when it is not there."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""

    return text.rpartition(")")[2].split()[19]


__all__ = ["boot_id", "process_start"]
