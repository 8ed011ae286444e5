"""What every workspace must do, whichever backend keeps its commits."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from runtime.adapters.git import GitWorkspace
from runtime.errors import WorktreeRefused
from runtime.ports import FrozenFile, Workspace

BACKENDS: dict[str, Callable[[Path], Workspace]] = {"git": GitWorkspace}


@pytest.fixture(params=sorted(BACKENDS))
def make(request: pytest.FixtureRequest) -> Callable[[Path], Workspace]:
    return BACKENDS[request.param]


def write(worktree: Path, **files: str) -> None:
    for name, text in files.items():
        path = worktree / (name.replace("__", "/") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_an_empty_base_gives_an_empty_folder(
    make: Callable[[Path], Workspace], tmp_path: Path
) -> None:
    worktree = make(tmp_path).open("w-1", None)

    assert worktree.is_relative_to(tmp_path)
    assert list(worktree.iterdir()) == []


def test_equal_files_parent_and_message_give_an_equal_commit(
    make: Callable[[Path], Workspace], tmp_path: Path
) -> None:
    frozen = []

    for name in ("one", "two"):
        run = tmp_path / name
        run.mkdir()
        workspace = make(run)
        write(workspace.open(f"w-{name}", None), train="1\n", lib__deep="2\n")
        frozen.append(workspace.freeze(f"w-{name}", "turn 1"))

    assert frozen[0] == frozen[1]
    assert [file.path for file in frozen[0].files] == ["lib/deep.py", "train.py"]


def test_a_message_a_file_or_a_parent_changes_the_commit(
    make: Callable[[Path], Workspace], tmp_path: Path
) -> None:
    workspace = make(tmp_path)
    worktree = workspace.open("w-1", None)
    write(worktree, train="1\n")
    first = workspace.freeze("w-1", "turn 1")
    second = workspace.freeze("w-1", "turn 2")
    write(worktree, train="2\n")
    third = workspace.freeze("w-1", "turn 2")

    assert second.parent == first.commit
    assert second.tree == first.tree != third.tree
    assert len({first.commit, second.commit, third.commit}) == 3


def test_a_frozen_commit_opens_with_its_files_and_modes(
    make: Callable[[Path], Workspace], tmp_path: Path
) -> None:
    workspace = make(tmp_path)
    worktree = workspace.open("w-1", None)
    write(worktree, train="1\n", lib__deep="2\n")
    (worktree / "train.py").chmod(0o755)
    frozen = workspace.freeze("w-1", "turn 1")

    other = workspace.open("w-2", frozen.commit)
    again = workspace.freeze("w-2", "turn 1")

    assert (other / "lib" / "deep.py").read_text() == "2\n"
    assert (other / "train.py").stat().st_mode & 0o777 == 0o755
    assert again == frozen, "an unchanged worktree with the same message is the same commit"


def test_opening_again_throws_away_what_lies_there(
    make: Callable[[Path], Workspace], tmp_path: Path
) -> None:
    workspace = make(tmp_path)
    write(workspace.open("w-1", None), train="1\n")
    frozen = workspace.freeze("w-1", "turn 1")
    write(workspace.open("w-1", frozen.commit), stray="?\n", train="changed\n")

    worktree = workspace.open("w-1", frozen.commit)

    assert [path.name for path in worktree.iterdir()] == ["train.py"]
    assert (worktree / "train.py").read_text() == "1\n"


def test_restoring_in_another_run_makes_the_same_commits(
    make: Callable[[Path], Workspace], tmp_path: Path
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    workspace = make(here)
    worktree = workspace.open("w-1", None)
    write(worktree, train="1\n")
    first = workspace.freeze("w-1", "turn 1")
    write(worktree, predict="2\n")
    second = workspace.freeze("w-1", "turn 2")

    other = make(there)
    other.restore(first)
    other.restore(second)

    assert (other.open("w-9", second.commit) / "predict.py").read_text() == "2\n"


def test_restoring_refuses_what_is_not_the_recorded_commit(
    make: Callable[[Path], Workspace], tmp_path: Path
) -> None:
    workspace = make(tmp_path)
    write(workspace.open("w-1", None), train="1\n")
    frozen = workspace.freeze("w-1", "turn 1")
    other = (FrozenFile(path="train.py", mode="100644", content=b"2\n"),)
    outside = (FrozenFile(path="../train.py", mode="100644", content=b"1\n"),)

    for forged in (
        replace(frozen, files=other),
        replace(frozen, message="turn 2"),
        replace(frozen, files=outside),
        replace(frozen, files=frozen.files * 2),
    ):
        with pytest.raises(WorktreeRefused):
            workspace.restore(forged)


def test_an_unknown_base_is_refused(make: Callable[[Path], Workspace], tmp_path: Path) -> None:
    with pytest.raises(WorktreeRefused, match="missing or damaged"):
        make(tmp_path).open("w-1", "0" * 40)
