"""No job of the attempt asked for a sealed place."""

from amid.documents import Finding
from amid.review.checks.evidence import (
    AccessFacts,
    Evidence,
    Opening,
    finding,
    passed,
    some,
    unchecked,
)
from ledger.events.review import Evidence as Ground

ID = "sealed-access/2"
LOOKS = ("stat", "access", "readlink", "statfs", "xattr", "handle", "chdir")
"""Kinds of access that learn whether a place is there, how large it is and when it changed."""
CLOSE = ("vault:", "data:", "blobs:", "unknown:")
"""Places that nobody comes by on the way through parent folders, even where nothing is found."""


def check(evidence: Evidence) -> Finding:
    """Read the access records of all the attempt's jobs, descendants included.

    What was granted inside a sealed place bars, and be it a look: the size of a label tells of the
    label. What was refused gave nothing away: the root of a sealed place may be met by walking past
    and is noted, as is a name that is not there beside the job's own folder; all else inside cannot
    be met by chance and is held for a person, as is what the record cannot tell.
    """
    if evidence.access is None:
        return unchecked(ID, "nothing recorded what the jobs of this attempt opened")

    found = [(f, o) for f in evidence.access for o in f.sealed]
    learned = [(f, o) for f, o in found if _learned(o)]
    aimed = [(f, o) for f, o in found if _aimed(o)]

    if learned:
        says = _says(learned, "opened or looked at")
        return finding(ID, "reject", "SEALED_READ", says, _grounds(learned))

    if aimed:
        says = _says(aimed, "asked for and not given")
        return finding(ID, "flag", "SEALED_READ", says, _grounds(aimed))

    records = len(evidence.access)
    grounds = [Ground(kind="blob", ref=f.record, says=f"{f.lines} lines") for f in evidence.access]
    if found:
        says = f"{len(found)} times at the door of sealed places, never inside"
        return finding(ID, "note", "OK_NOTE", says, grounds)

    return passed(ID, f"{records} access records show no look at a sealed place", grounds)


def _learned(opening: Opening) -> bool:
    """Say whether a job learned anything of a sealed place."""
    if not opening.granted or opening.path.startswith("unknown:"):
        return False

    return _is_inside(opening) or opening.op not in LOOKS


def _aimed(opening: Opening) -> bool:
    """Say whether a job asked for something in a sealed place that it did not come by."""
    refused = opening.result in ("EACCES", "EPERM") or opening.path.startswith(CLOSE)
    return _is_inside(opening) and refused


def _is_inside(opening: Opening) -> bool:
    return bool(opening.path.partition(":")[2].strip("/."))


def _says(found: list[tuple[AccessFacts, Opening]], verb: str) -> str:
    paths = sorted({opening.path for _, opening in found})
    return f"{len(paths)} sealed paths were {verb}: {some(paths)}"


def _grounds(found: list[tuple[AccessFacts, Opening]]) -> list[Ground]:
    return [
        Ground(kind="blob", ref=facts.record, says=f"{o.op} {o.path}: {o.result}")
        for facts, o in found
    ]
