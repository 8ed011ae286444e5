"""From files to evidence: the reviewer's reading side. What it finds is judged in amid.checks."""
