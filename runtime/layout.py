"""How the inputs of a job are laid out under `in/` before it starts.

`plan` is pure: it says which blob goes where. `lay_out_inputs` carries it out through a given
copy function, so the loop copies from the blob store and a reproduction from what it just made.
Data views are not laid out here: a job reads them in place, by a relative path.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from ledger.events.job import Input, JobRequested
from runtime.jobspec import is_inside
from runtime.ports import OutputFile


@dataclass(frozen=True, slots=True)
class Laid:
    """One file below `in/`: where it goes and the digest of its bytes."""

    path: str
    digest: str


def read_manifest(content: bytes) -> tuple[OutputFile, ...]:
    """Return the files that a manifest blob lists.

    Raises:
        ValueError: the content is not a manifest, or a path leaves its folder.
    """
    try:
        files = tuple(
            OutputFile(path=str(row["path"]), digest=str(row["digest"]), bytes=int(row["bytes"]))
            for row in orjson.loads(content)
        )
    except (orjson.JSONDecodeError, KeyError, TypeError) as problem:
        raise ValueError(f"not a manifest of [path, digest, bytes] rows: {problem}") from problem

    for file in files:
        if not is_inside(file.path):
            raise ValueError(f"a manifest names {file.path!r}, which leaves its folder")

    return files


def write_manifest(files: Sequence[OutputFile]) -> bytes:
    """Return the canonical bytes of a manifest, sorted by path."""
    rows = [
        {"path": file.path, "digest": file.digest, "bytes": file.bytes}
        for file in sorted(files, key=lambda x: x.path)
    ]
    return orjson.dumps(rows, option=orjson.OPT_SORT_KEYS)


def plan(
    request: JobRequested,
    *,
    code: Mapping[str, str],
    outputs: Callable[[Input], Sequence[OutputFile]],
) -> tuple[Laid, ...]:
    """Return every file below `in/` of a job, sorted by path.

    Args:
        request: The job.
        code: Files of the commit the job runs, path to digest.
        outputs: The files behind an input of kind `outputs`: what its manifest blob lists.

    Raises:
        ValueError: two inputs claim one path, or a path leaves `in/`.
    """
    laid: dict[str, str] = {}
    for given in request.inputs:
        for file in _files(request, given, code, outputs):
            if not is_inside(file.path):
                raise ValueError(f"input {given.name!r} would be laid at {file.path!r}")

            if laid.setdefault(file.path, file.digest) != file.digest:
                raise ValueError(f"two inputs of {request.subject} claim in/{file.path}")

    return tuple(Laid(path, digest) for path, digest in sorted(laid.items()))


def lay_out_inputs(
    request: JobRequested,
    folder: Path,
    *,
    code: Mapping[str, str],
    outputs: Callable[[Input], Sequence[OutputFile]],
    copy: Callable[[str, Path], None],
) -> None:
    """Lay `in/` and `tmp/` of a job out in `folder`, which is made where it is missing."""
    (folder / "in").mkdir(parents=True, exist_ok=True)
    (folder / "tmp").mkdir(exist_ok=True)

    for file in plan(request, code=code, outputs=outputs):
        target = folder / "in" / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        copy(file.digest, target)


def _files(
    request: JobRequested,
    given: Input,
    code: Mapping[str, str],
    outputs: Callable[[Input], Sequence[OutputFile]],
) -> list[Laid]:
    match given.kind:
        case "view":
            return []
        case "code":
            return [Laid(f"code/{path}", digest) for path, digest in code.items()]
        case "blob":
            return [Laid(given.name, given.digest)]
        case "outputs":
            return [
                Laid(f"{given.name}/{path}", file.digest)
                for file in outputs(given)
                if (path := _shown(request, file.path)) is not None
            ]


def _shown(request: JobRequested, path: str) -> str | None:
    """Return where an output lies below its input's name; None when the job must not have it.

    The decoder gets the hostile `predictions/` of each fold and nothing else of the job.
    """
    if request.kind != "decode":
        return path

    prefix = "predictions/"
    return path.removeprefix(prefix) if path.startswith(prefix) else None


__all__ = ["Laid", "lay_out_inputs", "plan", "read_manifest", "write_manifest"]
