"""Checks what lies beside ledger and blobs in a run: vault, repo.git and package.

Package and repository can be made again from ledger and blobs, the vault cannot. What is missing is
said, what is other than recorded is a problem.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import orjson

from amid.data.vault import Vault, commitment
from amid.errors import VaultExposed, VaultMissing
from amid.package.publish import ARCHIVE, FOLDER
from ledger.blobs import BlobStore, digest_of
from ledger.errors import LedgerError
from ledger.events.base import Fact
from ledger.events.data import DataSealed
from ledger.events.run import RunFinished
from ledger.events.work import CommitFrozen, PackageBuilt
from replay.package import unzip
from runtime.layout import read_manifest

SomeFact = TypeVar("SomeFact", bound=Fact)
Add = Callable[[str, str, str], None]
"""Notes a problem: code, where, says."""


def check(run: Path, facts: Sequence[Fact], add: Add) -> Iterator[str]:
    """Check what lies beside the ledger; yield what is not there to be checked.

    Args:
        run: The folder of the run.
        facts: Its events, or at least those that tell of vault, commits and package.
        add: Notes a problem.
    """
    blobs = BlobStore(run / "blobs")
    yield from _vault(run / "vault", _of(facts, DataSealed), blobs, add)
    yield from _repository(run / "repo.git", _of(facts, CommitFrozen), add)
    ended = _of(facts, RunFinished)
    built = _of(facts, PackageBuilt)

    if built and ended and ended[-1].outcome == "package":
        yield from _package(run, built[-1], blobs, add)


def _of(facts: Sequence[Fact], kind: type[SomeFact]) -> list[SomeFact]:
    return [fact for fact in facts if isinstance(fact, kind)]


def _vault(path: Path, sealed: Sequence[DataSealed], blobs: BlobStore, add: Add) -> Iterator[str]:
    """Open every commitment to a hidden label."""
    if not sealed:
        return

    try:
        commitments: Mapping[str, str] = orjson.loads(blobs.read(sealed[-1].commitments))
        vault = Vault.open(path)
    except VaultMissing as problem:
        yield f"whether the hidden labels are the recorded ones: {problem.what}"
        return
    except VaultExposed as problem:
        add("VAULT_EXPOSED", "vault", f"{problem.what}; {problem.why}")
        return
    except (LedgerError, ValueError) as problem:
        yield f"whether the hidden labels are the recorded ones: {problem}"
        return

    for item, recorded in sorted(commitments.items()):
        says = _label(vault, item, recorded)
        if says:
            add("VAULT_DIFFERS", f"vault {item}", says)


def _label(vault: Vault, item: str, recorded: str) -> str:
    found = sorted((vault.path / "labels").glob(f"{item.removeprefix('label/')}.*"))

    if len(found) != 1:
        return f"{len(found)} files have its name"

    if commitment(found[0].read_bytes(), vault.salt(item)) != recorded:
        return "its bytes are not what was committed to"

    return ""


def _repository(path: Path, commits: Sequence[CommitFrozen], add: Add) -> Iterator[str]:
    """Read every frozen commit out of the repository and compare its files."""
    from runtime.adapters.git_objects import Objects
    from runtime.errors import WorktreeRefused

    if not commits:
        return

    if not path.is_dir():
        yield "whether repo.git holds the frozen commits: it is not there; `amid resume` makes it"
        return

    objects = Objects(path / "objects")

    for commit in commits:
        try:
            found = objects.read_commit(commit.commit)
        except (WorktreeRefused, ValueError, KeyError) as problem:
            says = str(problem).splitlines()[0]
            add("REPOSITORY_DIFFERS", f"repo.git commit {commit.commit[:12]}", says)
            continue

        if (found.tree, len(found.files)) != (commit.tree, len(commit.files)):
            says = f"it holds tree {found.tree}, recorded is {commit.tree}"
            add("REPOSITORY_DIFFERS", f"repo.git commit {commit.commit[:12]}", says)


def _package(run: Path, built: PackageBuilt, blobs: BlobStore, add: Add) -> Iterator[str]:
    """Compare the payload in the folder and in the zip with the manifest that was recorded."""
    try:
        recorded = {file.path: file.digest for file in read_manifest(blobs.read(built.manifest))}
    except (LedgerError, ValueError) as problem:
        yield f"whether the package is the recorded one: {problem}"
        return

    if (run / FOLDER).is_dir():
        payload = run / FOLDER / "payload"
        files = {
            path.relative_to(payload).as_posix(): digest_of(path)
            for path in sorted(payload.rglob("*"))
            if path.is_file() and not path.is_symlink()
        }
        _compare(FOLDER, files, recorded, add)
        yield from _own_verifier(run / FOLDER, add)
    else:
        yield f"{FOLDER}/: it is not there; `amid rebuild` makes its payload again"

    if (run / ARCHIVE).is_file():
        _compare(ARCHIVE, _in_zip(run / ARCHIVE, add), recorded, add)
    else:
        yield f"{ARCHIVE}: it is not there"


def _in_zip(path: Path, add: Add) -> dict[str, str]:
    import zipfile

    from blake3 import blake3

    try:
        files = unzip(path.read_bytes())
    except (ValueError, zipfile.BadZipFile) as problem:
        add("PACKAGE_DIFFERS", path.name, f"it cannot be read: {problem}")
        return {}

    return {
        name.removeprefix("payload/"): blake3(data).hexdigest()
        for name, data in files.items()
        if name.startswith("payload/")
    }


def _own_verifier(folder: Path, add: Add) -> Iterator[str]:
    """Ask what a stranger would ask: the package's own check, run by this program's copy of it."""
    from blake3 import blake3

    from amid.package.verify import Package

    found = Package(folder, lambda data: blake3(data).hexdigest())
    for problem in found.problems:
        add("PACKAGE_DIFFERS", FOLDER, problem)

    yield from (f"the package: {what}" for what in found.undecided)


def _compare(where: str, found: Mapping[str, str], recorded: Mapping[str, str], add: Add) -> None:
    for path in sorted({*found, *recorded}):
        if found.get(path) != recorded.get(path):
            how = "missing" if path not in found else "added" if path not in recorded else "altered"
            add("PACKAGE_DIFFERS", f"{where} payload/{path}", f"it is {how}")


__all__ = ["check"]
