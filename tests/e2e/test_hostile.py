"""An attempt that reaches for what it may not have, through the whole product."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from amid.agents.recipe import RecipeAgent
from amid.run import compose, making
from ledger.blobs import BlobStore
from ledger.events.base import Fact
from ledger.events.job import AccessRecorded, JobFailed
from ledger.events.review import CheckFound, VerdictGiven
from ledger.record import Record
from projections.run import RunState
from runtime.adapters.sandbox.probe import available_sandboxes
from runtime.decide import briefs
from runtime.ports import Brief, Reading, Turn
from tests.runtime.job_places import ASSURED, SHUT_IN

pytestmark = pytest.mark.timeout(300)

needs_cage = pytest.mark.skipif(
    not {"landlock", "strace"} <= {kind.partition(":")[0] for kind in available_sandboxes()},
    reason="needs Landlock and strace",
)

REACH = """
import socket as _socket
from pathlib import Path as _Path

for _place in {places!r}:
    try:
        with open(_place, "rb") as _file:
            _file.read(1)
    except OSError:
        pass

for _kind in (_socket.SOCK_STREAM, _socket.SOCK_DGRAM):
    try:
        with _socket.socket(_socket.AF_INET, _kind) as _out:
            _out.connect(("127.0.0.1", {port}))
            _out.send(b"x")
    except OSError:
        pass
"""


LOOK = """
import os as _os

for _place in {places!r}:
    for _look in (_os.stat, _os.chdir, lambda p: _os.symlink(p, "tmp/x"), _os.listdir):
        try:
            _look(_place)
        except OSError:
            pass
"""

TELL = """
import os as _os

_os.makedirs("out", exist_ok=True)
open("out/" + "read-in-a-label-" * 15 + chr(7), "w").close()
"""


class Reaching(RecipeAgent):
    """Writes the honest recipe with a reach for sealed places in front."""

    reach = ""

    async def edit(self, brief: Brief, reading: Reading, worktree: Path) -> Turn:
        """Write the recipe, then put the reach into its training script."""
        turn = await super().edit(brief, reading, worktree)
        script = worktree / "train.py"
        marker = "import "
        text = script.read_text()
        at = text.index("\n" + marker) + 1
        script.write_text(text[:at] + Reaching.reach.lstrip() + text[at:])
        return turn


@pytest.fixture
def listening() -> Iterator[int]:
    """A port of this machine that would answer."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(64)
        yield server.getsockname()[1]


def reach_out(task: Path, run: Path, port: int, sandbox: str, reach: str = REACH) -> list[Fact]:
    """Explore with the reaching agent and return the log."""
    making.create_run(
        task,
        run,
        data=None,
        seed=3,
        budget=None,
        agents="recipe=1",
        sandbox=sandbox,
        cores=2,
    )
    blob = next(path for path in (run / "blobs").rglob("*") if path.is_file())
    label = next((run / "vault" / "labels").iterdir())
    image = next((task / "images").iterdir())
    places = [str(path) for path in (label, image, blob, run / "ledger.db")]
    Reaching.reach = reach.format(places=places, port=port)
    compose.go_on(run, listen=_silent, say=print, fresh=True, until="explore")
    return compose.events(run)


def _silent(_record: Record, _fact: Fact) -> None:
    pass


@needs_cage
@pytest.mark.parametrize("kind", SHUT_IN)
def test_every_reach_of_a_caged_job_is_denied_and_recorded(
    task: Path, tmp_path: Path, listening: int, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Given a training script that opens sealed places, then each refusal is in the record."""
    monkeypatch.setattr("amid.agents.recipe.RecipeAgent", Reaching)
    log = reach_out(task, tmp_path / "run", listening, kind)
    denied = {
        (d.op, d.path.partition(":")[0], d.result)
        for e in log
        if isinstance(e, AccessRecorded)
        for d in e.denied
    }
    named = {(op, root) for op, root, _ in denied}
    assert {("open", "vault"), ("open", "data"), ("open", "blobs"), ("open", "run")} <= named
    sockets = {
        d.path for e in log if isinstance(e, AccessRecorded) for d in e.denied if d.op == "socket"
    }
    assert {"AF_INET/SOCK_STREAM", "AF_INET/SOCK_DGRAM"} <= sockets
    verdicts = [e for e in log if isinstance(e, VerdictGiven)]
    assert {v.assurance for v in verdicts} == {ASSURED[kind]}


def test_without_a_cage_the_same_reach_succeeds_and_the_reviewer_rejects_it(
    task: Path, tmp_path: Path, listening: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given `--sandbox none`, then nothing is denied, and the assurance says so."""
    monkeypatch.setattr("amid.agents.recipe.RecipeAgent", Reaching)
    log = reach_out(task, tmp_path / "run", listening, "none")
    records = [e for e in log if isinstance(e, AccessRecorded)]
    assert not [d for e in records for d in e.denied if d.path.startswith(("vault", "AF_"))]
    verdicts = [e for e in log if isinstance(e, VerdictGiven)]
    assert {v.assurance for v in verdicts} == {"none"}
    found = [e for e in log if isinstance(e, CheckFound) and e.check.startswith("sealed-access")]
    recorded = any(e.recorder == "strace" for e in records)
    assert {e.code for e in found} == ({"SEALED_READ"} if recorded else {"UNCHECKED"})


@needs_cage
def test_a_look_that_opens_nothing_is_found_by_the_reviewer(
    task: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given a training script that only looks at sealed places, then it is not accepted."""
    monkeypatch.setattr("amid.agents.recipe.RecipeAgent", Reaching)
    log = reach_out(task, tmp_path / "run", 0, "landlock", LOOK)
    found = [e for e in log if isinstance(e, CheckFound) and e.check.startswith("sealed-access")]
    verdicts = [e for e in log if isinstance(e, VerdictGiven)]

    assert {e.code for e in found} == {"SEALED_READ"}
    assert all("SEALED_READ" in v.codes and v.verdict != "accept" for v in verdicts)


@needs_cage
def test_a_name_that_a_job_chose_reaches_no_worker(
    task: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given a file name that tells what a job read, then the next turn hears a code instead."""
    monkeypatch.setattr("amid.agents.recipe.RecipeAgent", Reaching)
    log = reach_out(task, tmp_path / "run", 0, "landlock", TELL)
    failed = [e for e in log if isinstance(e, JobFailed)]
    state = RunState.of(log)
    slot = state.stages.rounds[0].slots[0]
    context = compose._context(state, BlobStore(tmp_path / "run" / "blobs"))
    told = briefs.session(state, context, slot, 2).prompt

    assert {e.code for e in failed} == {"OUTPUT_REFUSED"}
    assert any("read-in-a-label" in e.reason for e in failed)
    assert "read-in-a-label" not in told
    assert "OUTPUT_REFUSED" in told
