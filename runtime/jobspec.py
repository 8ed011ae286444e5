"""How a recorded request becomes a job: its key, its command line and its environment.

The loop and `replay.reproduce` build jobs here and nowhere else, so that a job that is executed
again sees the same words. Pure: paths are only named, nothing is read or written.
"""

import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from blake3 import blake3

from ledger.canonical import document
from ledger.events.job import JobRequested
from ledger.events.key import key_of
from ledger.events.work import TreeFile
from runtime.ports import JobSpec

CODE_KINDS = frozenset({"train", "predict"})
"""Kinds whose command runs an attempt's own code, laid out under `in/code/`."""

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "BLIS_NUM_THREADS",
    "ITK_GLOBAL_DEFAULT_NUMBER_OF_THREADS",
)
"""Variables by which numeric libraries learn how many threads to start."""


def code_digest(files: tuple[TreeFile, ...]) -> str:
    """Return the digest by which a job names the files of a frozen commit."""
    listing = [file.model_dump(mode="json") for file in sorted(files, key=lambda x: x.path)]
    return blake3(document(listing)).hexdigest()


def argv_of(request: JobRequested) -> tuple[str, ...]:
    """Return the words that start the job, relative to its folder.

    An attempt's `python train.py` runs from `in/code/` with the script's folder importable, no
    user site and no byte code written. Isolation comes from the environment, which is made here
    from nothing: `-E` would also switch off `PYTHONHASHSEED`, which a reproduction needs.

    Raises:
        ValueError: the command does not start with `python` and a script inside the commit.
    """
    if request.kind not in CODE_KINDS:
        return request.command

    if len(request.command) < 2 or request.command[0] != "python":
        raise ValueError(
            f"the {request.kind} command of {request.subject} is {list(request.command)}: "
            'it must be ["python", SCRIPT, ...] with SCRIPT in the commit'
        )

    script = request.command[1]
    if script.startswith("-") or not is_inside(script):
        raise ValueError(
            f"the {request.kind} command of {request.subject} runs {script!r}: "
            "name a script inside the commit, without options for python"
        )

    return ("python", "-s", "-B", f"in/code/{script}", *request.command[2:])


def environment_of(
    request: JobRequested, *, data: str | None, stop_at: int | None = None
) -> dict[str, str]:
    """Return the whole environment of a job; nothing of the host's is added to it."""
    threads = str(request.threads)
    environment = {
        "AMID_DATA": data or "",
        "AMID_OUT": "out",
        "AMID_MODEL": "in/model",
        "AMID_SEED": str(request.seed),
        "AMID_THREADS": threads,
        "AMID_JOB": "job.json",
        "AMID_STEPS": str(request.steps),
        "AMID_STOP_AT": "" if stop_at is None else str(stop_at),
        "OMP_WAIT_POLICY": "PASSIVE",
        "PYTHONHASHSEED": "0",
        "HOME": "tmp",
        "TMPDIR": "tmp",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
    }
    return environment | dict.fromkeys(THREAD_VARIABLES, threads)


def spec(
    request: JobRequested,
    *,
    key: str,
    folder: Path,
    reads: tuple[Path, ...],
    roots: Mapping[str, Path],
    data: str | None,
    stop_at: int | None = None,
    patience_s: int | None = None,
    private: Mapping[str, str] | None = None,
) -> JobSpec:
    """Return the job that carries out a request in `folder`.

    Args:
        request: The recorded request.
        key: Its key, see `key_of`.
        folder: The job's folder; also its working directory.
        reads: What the sandbox may read besides the interpreter and `folder`.
        roots: Names for places in the access record.
        data: Path of the data view relative to `folder`, or None when the job reads none.
        stop_at: Checkpoint at which the recorded job was stopped by its wall limit.
        patience_s: Seconds allowed instead of the recorded ones, see `JobSpec`.
        private: Absolute paths for trusted jobs; dropped for every other job.
    """
    trusted = request.sandbox == "trusted"
    return JobSpec(
        key=key,
        epoch=request.epoch,
        kind=request.kind,
        subject=request.subject,
        fold=request.fold,
        argv=argv_of(request),
        environment=environment_of(request, data=data, stop_at=stop_at),
        folder=folder,
        reads=reads,
        roots=roots,
        limits=request.limits,
        sandbox=request.sandbox,
        threads=request.threads,
        seed=request.seed,
        private=dict(private or {}) if trusted else {},
        patience_s=patience_s,
    )


def view_folder(view: str, split: str) -> str:
    """Return where a data view lies, relative to the run folder."""
    return f"views/{re.sub('/', '-', view)}-{split[:12]}"


def view_from_job(view: str, split: str) -> str:
    """Return the path of a data view as a job in `jobs/<key>/` sees it."""
    return f"../../{view_folder(view, split)}"


def is_inside(path: str) -> bool:
    """Say whether a recorded path stays below the folder it is relative to."""
    parts = PurePosixPath(path).parts
    return bool(parts) and not path.startswith("/") and ".." not in parts and "\0" not in path


__all__ = [
    "CODE_KINDS",
    "THREAD_VARIABLES",
    "argv_of",
    "code_digest",
    "environment_of",
    "is_inside",
    "key_of",
    "spec",
    "view_folder",
    "view_from_job",
]
