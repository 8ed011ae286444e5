"""Errors of the runtime (this part's copy until the shared module is merged)."""


class RuntimeRefusal(Exception):
    """Something was refused."""

    exit_code = 5


class WorktreeRefused(RuntimeRefusal):
    """A worktree holds something that cannot become a commit."""


class AttemptRefused(RuntimeRefusal):
    """An attempt.toml cannot be used."""
