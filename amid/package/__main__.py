"""The package job: `python -I -m amid.package` in a job's folder, with `job.json` beside `out/`."""

import json
import sys
from pathlib import Path

from amid.package.build import build


def main() -> int:
    """Read job.json and build; a refusal is an answer, so the job still ends well."""
    job = json.loads(Path("job.json").read_text("utf-8"))
    private = job["private"]
    attempt = private.get("subject") or job["subject"]
    missing = build(Path(private["run"]), attempt, int(private["until"]), Path("out"))
    for line in missing:
        print(f"missing: {line}", file=sys.stderr)  # noqa: T201 - goes to the job's log

    return 0


if __name__ == "__main__":
    sys.exit(main())
