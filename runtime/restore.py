"""Makes commits of a run again from the blobs of their files."""

from collections.abc import Callable

from ledger.events.work import CommitFrozen
from runtime.ports import Frozen, FrozenFile, Workspace

Read = Callable[[str], bytes]
"""Returns a blob's bytes, checked; raises where it is missing or changed."""


def restore(commit: CommitFrozen, workspace: Workspace, read: Read) -> None:
    """Make a recorded commit again, so that a worktree can start from it.

    Raises:
        ledger.errors.BlobMissing: a file of it is in no blob any more.
        ledger.errors.BlobChanged: a file of it is not what was recorded.
        runtime.errors.WorktreeRefused: these files do not give that commit.
    """
    files = tuple(
        FrozenFile(path=file.path, mode=file.mode, content=read(file.digest))
        for file in commit.files
    )
    workspace.restore(
        Frozen(
            commit=commit.commit,
            tree=commit.tree,
            parent=commit.parent,
            message=commit.message,
            files=files,
        )
    )


__all__ = ["restore"]
