"""From files to evidence: the reading side of the reviewer. What it finds is judged in `checks`."""
