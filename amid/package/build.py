"""Builds a package in a folder: reads the run's events and blobs, writes files, decides nothing."""

import hashlib
import os
import pwd
import socket
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

import orjson
from blake3 import blake3

from amid.data.vault import Aliases
from amid.package import card as model_card
from amid.package.gather import IncompleteError, Read, gather
from amid.package.kind import Source, Stored, package_part
from amid.package.payload import payload
from amid.package.private import Private
from amid.package.provenance import provenance
from ledger.blobs import BlobStore
from ledger.chain import Walk
from ledger.errors import LedgerError
from ledger.events.review import ReviewResolved
from ledger.reader import read
from replay.history import History
from runtime.layout import write_manifest
from runtime.ports import OutputFile


def build(run: Path, attempt: str, until: int, out: Path) -> tuple[str, ...]:
    """Write a package of `attempt` into `out`, from events up to number `until`.

    Writes `refused.json` and nothing else when evidence is missing.

    Returns:
        What is missing; empty when the package was built.
    """
    out.mkdir(parents=True, exist_ok=True)
    try:
        content = _content(run, attempt, until)
    except IncompleteError as problem:
        missing = sorted(set(problem.missing))
        (out / "refused.json").write_bytes(orjson.dumps({"missing": missing}) + b"\n")
        return tuple(missing)

    for path, data in content.items():
        target = out / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)

    return ()


def _content(run: Path, attempt: str, until: int) -> dict[str, bytes]:
    """Return every file of the package, its lists last."""
    with read(run / "ledger.db") as reader:
        records = tuple(record for record in reader.records() if record.seq <= until)

    if not records or records[-1].seq != until:
        raise IncompleteError([f"events up to number {until}"])

    walk = Walk()
    faults = [fault for record in records for fault in walk.step(record)[1]]
    if faults:
        raise IncompleteError([f"an unbroken chain at event {faults[0].seq}"])

    load = reader_of(BlobStore(run / "blobs"))
    evidence = gather(History.of(records), attempt, load, _answered)
    card = model_card.write(evidence)
    aliases = _aliases(run)
    private = _private(run, aliases, evidence.history)

    payload_files = _loaded(
        payload(evidence, card, {case.alias: case.case for case in aliases.cases}, load), load
    )
    told = provenance(evidence, card, records, private)
    _refuse_private(payload_files, told, private)

    content = {f"payload/{path}": data for path, data in payload_files.items()}
    content |= {f"provenance/{path}": data for path, data in told.items()}
    content["verify.py"] = files("amid.package").joinpath("verify.py").read_bytes()
    content["manifest.json"] = manifest_of(payload_files)
    content["SHA256SUMS"] = sums_of(content)
    return content


def _answered(kind: str, files: tuple[OutputFile, ...], load: Read) -> Mapping[str, OutputFile]:
    return package_part(kind).predictions(files, load)


def manifest_of(content: Mapping[str, bytes]) -> bytes:
    """Return the manifest of files: path, BLAKE3 and size, sorted by path, canonical JSON."""
    return write_manifest(
        [OutputFile(path, blake3(data).hexdigest(), len(data)) for path, data in content.items()]
    )


def sums_of(content: Mapping[str, bytes]) -> bytes:
    """Return SHA256SUMS as `sha256sum -c` reads it."""
    lines = [f"{hashlib.sha256(content[path]).hexdigest()}  {path}\n" for path in sorted(content)]
    return "".join(lines).encode()


def reader_of(store: BlobStore) -> Read:
    """Return a function that reads a blob and raises KeyError where it cannot be trusted."""

    def load(digest: str) -> bytes:
        try:
            return store.read(digest)
        except LedgerError as problem:
            raise KeyError(digest) from problem

    return load


def _loaded(sources: Mapping[str, Source], load: Read) -> dict[str, bytes]:
    content: dict[str, bytes] = {}
    missing: list[str] = []
    for path, source in sorted(sources.items()):
        try:
            content[path] = load(source.digest) if isinstance(source, Stored) else source
        except KeyError as problem:
            missing.append(f"blob {problem.args[0]}")

    if missing:
        raise IncompleteError(missing)

    return content


def _aliases(run: Path) -> Aliases:
    try:
        return Aliases.model_validate_json((run / "vault/aliases.json").read_bytes())
    except (OSError, ValueError) as problem:
        raise IncompleteError(["vault/aliases.json, the table of real ids"]) from problem


def guard_of(run: Path) -> Private:
    """Return what keeps private words and places out of a text about a run.

    Without its vault nobody knows the real names, and none of them is in the record.
    """
    with read(run / "ledger.db") as reader:
        history = History.of(reader.records())

    try:
        aliases = _aliases(run)
    except IncompleteError:
        aliases = Aliases(data="", cases=())

    return _private(run, aliases, history)


def _private(run: Path, aliases: Aliases, history: History) -> Private:
    try:
        user = [pwd.getpwuid(os.getuid()).pw_name]
    except KeyError:  # a container's user without an entry has no name to leak
        user = []

    persons = [fact.person for _, fact in history.all(ReviewResolved)]
    names = [name for case in aliases.cases for name in (case.case, case.group_id, case.patient)]
    words = (*names, *persons, *user, socket.gethostname())
    return Private.of(words, (str(run), str(run.resolve()), aliases.data))


def _refuse_private(
    payload_files: Mapping[str, bytes], told: Mapping[str, bytes], private: Private
) -> None:
    """Refuse a package in which a private word or place stands where it may not.

    Label maps and index carry real test ids by contract. Outputs and code of jobs never saw a
    real id, but may have written down where they ran.
    """
    jobs = ("code/", "weights/")
    ours = ("scores/validation.json", "environment.json", "predict.json", "MODEL_CARD.md")
    found = [f"payload/{p}" for p in ours if private.in_text(payload_files[p].decode())]
    found += [
        f"payload/{path}"
        for path, data in payload_files.items()
        if path.startswith(jobs) and private.in_bytes(data)
    ]
    found += [f"provenance/{path}" for path, data in told.items() if private.in_text(data.decode())]
    if found:
        raise IncompleteError([f"{path} without names or places of this machine" for path in found])


__all__ = ["build", "guard_of", "manifest_of", "reader_of", "sums_of"]
