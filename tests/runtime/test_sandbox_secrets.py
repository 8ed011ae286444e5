"""What must stay hidden stays hidden, and each try is in the record."""

from pathlib import Path

import pytest

from runtime.adapters.sandbox.probe import private_mounts
from runtime.ports import Sandbox
from tests.runtime.job_places import (
    ASSURED,
    Place,
    execute,
    listening,
    log_of,
    ran,
    record_of,
    refusals_of,
)

pytestmark = pytest.mark.usefixtures("each_kind")

SPY = """
import socket
for path in {paths!r}:
    try:
        print("read", path, len(open(path, "rb").read()))
    except OSError as e:
        print("refused", path, e.errno)
for kind, port in ((socket.SOCK_STREAM, {tcp}), (socket.SOCK_DGRAM, {udp})):
    try:
        with socket.socket(socket.AF_INET, kind) as s:
            s.connect(("127.0.0.1", port))
            s.send(b"x")
        print("sent", kind.name)
    except OSError as e:
        print("refused", kind.name, e.errno)
"""


def spy_on(place: Place, tcp: int, udp: int) -> str:
    paths = [
        str(place.run / "vault/labels/c-0001.nii.gz"),
        "../../vault/labels/c-0001.nii.gz",
        str(place.data / "patient-7.nii.gz"),
        str(place.run / "blobs/ab/cdef"),
        str(place.run / "ledger.db"),
        str(place.run / "jobs/other/out/secret"),
        "../../views/v1/images/c-0001_0000.nii.gz",
    ]
    return SPY.format(paths=paths, tcp=tcp, udp=udp)


def test_a_spy_sees_only_its_view_and_every_try_is_recorded(tmp_path: Path) -> None:
    place = Place.make(tmp_path)

    with listening() as (tcp, udp):
        outcome = ran(place, spy_on(place, tcp, udp))

    assert (outcome.status, outcome.assurance) == ("finished", ASSURED[place.kind])
    said = log_of(outcome)
    assert said.count("read ") == 1, said
    assert "read ../../views/v1/images" in said
    hidden = place.kind == "bubblewrap" or private_mounts()
    refused = "ENOENT" if hidden else "EACCES"
    assert refusals_of(outcome) == {
        ("open", "vault:labels/c-0001.nii.gz", refused),
        ("open", "data:patient-7.nii.gz", refused),
        ("open", "blobs:ab/cdef", refused),
        ("open", "run:ledger.db", refused),
        ("open", "run:jobs/other/out/secret", refused),
        ("socket", "AF_INET/SOCK_STREAM", "EPERM"),
        ("socket", "AF_INET/SOCK_DGRAM", "EPERM"),
    }
    assert outcome.access.denied_total == len(refusals_of(outcome))
    lines = record_of(outcome)
    assert refusals_of(outcome) <= {(r["op"], r["path"], r["result"]) for r in lines}
    seen = next(r for r in lines if r["path"] == "view:images/c-0001_0000.nii.gz")
    assert (seen["pid"], seen["ppid"], seen["op"], seen["result"]) == (1, 0, "open", "ok")
    assert seen["ino"] == (place.run / "views/v1/images/c-0001_0000.nii.gz").stat().st_ino


def test_without_a_sandbox_the_same_spy_succeeds_and_the_assurance_says_so(
    tmp_path: Path,
) -> None:
    place = Place.make(tmp_path)

    with listening() as (tcp, udp):
        outcome = ran(place, spy_on(place, tcp, udp), "none")

    assert (outcome.status, outcome.assurance) == ("finished", "none")
    assert "refused" not in log_of(outcome)
    assert outcome.access.denied == ()
    read = {r["path"] for r in record_of(outcome) if r["result"] == "ok"}
    assert {"vault:labels/c-0001.nii.gz", "data:patient-7.nii.gz"} <= read
    assert {"AF_INET/SOCK_STREAM", "AF_INET/SOCK_DGRAM"} <= read


@pytest.mark.parametrize("sandbox", ["landlock", "none"])
def test_the_record_is_the_same_for_two_runs_and_small(tmp_path: Path, sandbox: Sandbox) -> None:
    place = Place.make(tmp_path)
    code = "import os, numpy, subprocess\nsubprocess.run(['/bin/true'])\nopen('out/x', 'w')"

    first = place.job(code, "one", sandbox=sandbox)
    second = place.job(code, "two", sandbox=sandbox)
    told = [
        [{k: v for k, v in line.items() if k not in ("dev", "ino")} for line in record_of(outcome)]
        for outcome in (execute(first), execute(second))
    ]

    assert told[0] == told[1]
    assert len(str(told[0])) < 20_000
    assert [(x["pid"], x["ppid"]) for x in told[0] if x["op"] == "exec"] == [(1, 0), (2, 1)]


def test_the_job_sees_its_order_but_no_absolute_path_in_it(tmp_path: Path) -> None:
    place = Place.make(tmp_path)
    spec = place.job("print(open('job.json').read())", subject="a-x", private={"run": "/secret"})

    said = log_of(execute(spec))

    assert '"subject": "a-x"' in said
    assert str(tmp_path) not in said
    assert "/secret" not in said


def test_the_launch_and_claim_are_not_readable(tmp_path: Path) -> None:
    outcome = ran(Place.make(tmp_path), "open('launch.json')")

    assert ("open", "job:launch.json", "EACCES") in refusals_of(outcome)
