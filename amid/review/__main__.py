"""The scorer: `python -I -m amid.review` in a job folder, with the vault, without hostile files.

Reads the decoder's arrays under in/decoded, the hidden labels and the run's documents; writes
out/findings.json, out/measured.json, out/case-scores.json and out/inner-scores.json. It never
imports or runs the attempt's code.
"""

import sys
from pathlib import Path

from amid.review.checks import run_checks
from amid.review.measure.attempt import measure
from amid.review.measure.inputs import InputWrong, dumped, read_inputs, write_json


def review(job: Path, decoded: Path, out: Path) -> None:
    """Measure, check and write what was found."""
    inputs = read_inputs(job)
    found = measure(inputs, decoded)
    write_json(out / "case-scores.json", dumped(found.validation))
    write_json(out / "inner-scores.json", dumped(found.inner))
    write_json(out / "measured.json", dumped(found.measured))
    findings = run_checks(inputs.kind, found.evidence)
    write_json(out / "findings.json", [dumped(one) for one in findings])


def main() -> int:
    """Run in the current folder; an unusable input is one sentence on stderr and exit code 5."""
    try:
        review(Path("job.json"), Path("in/decoded"), Path("out"))
    except InputWrong as wrong:
        sys.stderr.write(f"review: {wrong}\n")
        return 5

    return 0


if __name__ == "__main__":
    sys.exit(main())
