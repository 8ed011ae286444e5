"""The task as its owner wrote it: contract (`task.toml`) and case table."""
