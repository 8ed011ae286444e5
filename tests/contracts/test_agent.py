"""What every agent must do, whichever backend edits the worktree."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from amid.agents.attempt import read
from amid.agents.recipe import RecipeAgent
from runtime.adapters.git import GitWorkspace
from runtime.ports import Agent, Brief, Reading
from tests.amid.kinds.segmentation.planning.samples import CONTRACT, profile

BACKENDS: dict[str, Callable[[], Agent]] = {"recipe": RecipeAgent}
READING = Reading(contract=CONTRACT, profile=profile().model_dump_json(), lane="{}")
BRIEF = Brief(
    worker="w-intensity-prior-explorer-r1s1",
    role="explorer",
    lane="intensity-prior",
    template="intensity-prior",
    turn=1,
    slot=1,
    units=20,
    past=(),
)


@pytest.fixture(params=sorted(BACKENDS))
def agent(request: pytest.FixtureRequest) -> Agent:
    return BACKENDS[request.param]()


def test_a_turn_leaves_a_worktree_that_becomes_an_attempt(agent: Agent, tmp_path: Path) -> None:
    workspace = GitWorkspace(tmp_path)
    worktree = workspace.open(BRIEF.worker, None)

    turn = asyncio.run(agent.edit(BRIEF, READING, worktree))

    assert turn.failed is None
    assert turn.transcript.decode().strip()
    assert min(turn.tokens, turn.cost_microusd, turn.wall_ms) >= 0
    files = {file.path: file.content for file in workspace.freeze(BRIEF.worker, "turn 1").files}
    manifest = read(files["attempt.toml"])
    assert manifest.lane == BRIEF.lane
    for command in (manifest.train, manifest.predict):
        assert command[1] in files


def test_a_template_that_is_not_there_fails_the_turn_and_changes_nothing(
    agent: Agent, tmp_path: Path
) -> None:
    brief = replace(BRIEF, template="no-such-template")

    turn = asyncio.run(agent.edit(brief, READING, tmp_path))

    assert turn.failed
    assert list(tmp_path.iterdir()) == []


def test_it_has_a_name(agent: Agent) -> None:
    assert agent.name in BACKENDS
