"""The kinds of task: one package each, found by its name. See `amid.tasks.kinds`."""
