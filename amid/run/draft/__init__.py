"""Draft a task from a folder of images: `task.toml`, case table, and what was guessed."""

from amid.run.draft.draft import Draft, draft

__all__ = ["Draft", "draft"]
