"""No job of the attempt opened a sealed place."""

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

ID = "sealed-access/1"


def check(evidence: Evidence) -> Finding:
    """Read the access records of all the attempt's jobs, descendants included.

    An opening that succeeded bars. One that was refused gave nothing away: the root of a sealed
    place may be met by walking past and is noted; a path inside it cannot be met by chance, so it
    is held for a person.
    """
    if evidence.access is None:
        return unchecked(ID, "nothing recorded what the jobs of this attempt opened")

    opened = [(f, o) for f in evidence.access for o in f.sealed if o.granted]
    refused = [(f, o) for f in evidence.access for o in f.sealed if not o.granted]
    aimed = [(f, o) for f, o in refused if o.path.partition(":")[2].strip("/.")]

    if opened:
        return finding(ID, "reject", "SEALED_READ", _says(opened, "opened"), _grounds(opened))

    if aimed:
        says = _says(aimed, "asked for and refused")
        return finding(ID, "flag", "SEALED_READ", says, _grounds(aimed))

    records = len(evidence.access)
    grounds = [Ground(kind="blob", ref=f.record, says=f"{f.lines} lines") for f in evidence.access]
    if refused:
        says = f"{len(refused)} refusals at the door of sealed places, none inside, none opened"
        return finding(ID, "note", "OK_NOTE", says, grounds)

    return passed(ID, f"{records} access records show no opening of a sealed place", grounds)


def _says(found: list[tuple[AccessFacts, Opening]], verb: str) -> str:
    paths = sorted({opening.path for _, opening in found})
    return f"{len(paths)} sealed paths were {verb}: {some(paths)}"


def _grounds(found: list[tuple[AccessFacts, Opening]]) -> list[Ground]:
    return [
        Ground(kind="blob", ref=facts.record, says=f"{o.op} {o.path}: {o.result}")
        for facts, o in found
    ]
