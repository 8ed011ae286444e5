"""Scores the hidden test set, once: `python -I -m amid.review.final` in a job folder.

Reads the decoder's arrays of the final attempt's test predictions under in/decoded/all and writes
out/test.json. No check is run here: the final attempt has its verdict already.
"""

import sys
from pathlib import Path

from amid.review.measure.attempt import score_test
from amid.review.measure.inputs import InputWrong, dumped, read_inputs, write_json


def score(job: Path, decoded: Path, out: Path) -> None:
    """Score and write."""
    scores, per_case = score_test(read_inputs(job), decoded)
    told = {"scores": [dumped(one) for one in scores], "per_case": dumped(per_case)}
    write_json(out / "test.json", told)


def main() -> int:
    """Run in the current folder; an unusable input is one sentence on stderr and exit code 5."""
    try:
        score(Path("job.json"), Path("in/decoded"), Path("out"))
    except InputWrong as wrong:
        sys.stderr.write(f"test: {wrong}\n")
        return 5

    return 0


if __name__ == "__main__":
    sys.exit(main())
