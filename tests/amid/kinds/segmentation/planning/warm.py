"""Runs job folders one after the other, each in its own process, with the imports paid once.

`python warm.py FILE`: FILE holds [{"folder", "script", "env"}] as JSON. The exit status and what a
job said go to its folder.
"""

import json
import os
import runpy
import sys
import traceback
from pathlib import Path

import monai.networks.nets  # noqa: F401 - what is loaded here is not loaded by every job
import SimpleITK  # noqa: F401


def run(folder: Path, script: str, env: dict[str, str]) -> int:
    """Become a job; return its exit status."""
    os.chdir(folder)
    os.environ.update(env)
    said = Path("said.txt").open("w", encoding="utf-8")
    sys.stdout = sys.stderr = said
    sys.path.insert(0, str(folder / "in" / "code"))
    try:
        runpy.run_path(f"in/code/{script}", run_name="__main__")
    except SystemExit as end:
        print(end, file=said)
        return 1 if isinstance(end.code, str) else int(end.code or 0)
    except BaseException:
        traceback.print_exc(file=said)
        return 1
    finally:
        said.flush()

    return 0


def main(file: str) -> None:
    """Run every job of the file."""
    for job in json.loads(Path(file).read_text()):
        folder = Path(job["folder"])
        child = os.fork()
        if child == 0:
            os._exit(run(folder, job["script"], job["env"]))

        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        (folder / "status").write_text(str(status))


if __name__ == "__main__":
    main(sys.argv[1])
