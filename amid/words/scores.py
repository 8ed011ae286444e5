"""What must be said beside a score: the part of its status that limits what it shows. Pure."""


def caveat(status: str) -> str:
    """Return what a reader must know of a score's interval; empty when nothing.

    A status is `ok` or why there is no or only part of a value, then, after a semicolon, that.
    """
    return status.partition("; ")[2]


def bracketed(status: str) -> str:
    """Return the caveat in parentheses behind a blank; empty when there is none."""
    said = caveat(status)
    return f" ({said})" if said else ""


__all__ = ["bracketed", "caveat"]
