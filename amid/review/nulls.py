"""Models that do not look at the image, scored first: `python -I -m amid.review.nulls`.

Each learns from the labels of a fold's fit cases only and predicts that fold's validation cases.
An attempt that is not above all of them has learned nothing from the image. Which there are is the
kind of task's to say. Job folder in, out/nulls.json out.
"""

import sys
from pathlib import Path

from amid.review.kind import review_part
from amid.review.measure.inputs import Inputs, InputWrong, dumped, read_inputs, write_json


def score_nulls(inputs: Inputs) -> list[dict[str, object]]:
    """Score every null model over the validation cases of all folds."""
    return [
        {
            "null": null,
            "score": dumped(table.score(inputs.rules.primary)),
            "per_case": dumped(table.document()),
        }
        for null, table in review_part(inputs.kind).nulls(inputs)
    ]


def main() -> int:
    """Run in the current folder; an unusable input is one sentence on stderr and exit code 5."""
    try:
        write_json(Path("out/nulls.json"), score_nulls(read_inputs(Path("job.json"))))
    except InputWrong as wrong:
        sys.stderr.write(f"nulls: {wrong}\n")
        return 5

    return 0


if __name__ == "__main__":
    sys.exit(main())
