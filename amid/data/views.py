"""Lays out data views: the folder that a job may read, and all it may know of the data.

| view            | images                      | labels |
|-----------------|-----------------------------|--------|
| `train/<fold>`  | fit of the fold, inner      | same   |
| `predict/<fold>`| validation of it, inner, test | none |
| `predict/all`   | test                        | none   |

A view holds copies or reflinks, never links, so that nothing leads from it to the data folder or
the vault. Names are aliases; times are fixed; gzip headers say nothing.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from blake3 import blake3

from amid.data import form, gzip_header
from amid.data.vault import AliasedCase, Vault, commitment
from amid.documents import Case, Inventory, Split, View, ViewCase
from amid.errors import DataChanged, from_os_error
from amid.tasks import canonical
from amid.tasks.contract import Contract
from amid.tasks.files import read as read_file

_CLONE = 0x40049409
"""The FICLONE ioctl: share the blocks of another file until one of the two is written."""

_TIME = 315_532_800
"""1980-01-01, the earliest time that every archive format can hold."""


def lay_out(
    *,
    vault: Path,
    inventory: Inventory,
    split: Split,
    contract: Contract,
    view: str,
    into: Path,
    data: Path | None = None,
) -> None:
    """Build the view in the new folder `into`; nothing happens where it is already there.

    Args:
        vault: of the run.
        inventory: what every file was when the run began.
        split: which case stands where.
        contract: which channels a model may read, and the label ids.
        view: its name, see the table above.
        into: the folder to be made.
        data: root of the images, where it is no longer the one that the vault names.

    Raises:
        ValueError: the split has no such view.
        DataChanged: a source file is not what the inventory recorded.
        VaultMissing: the vault is not whole.
        VaultExposed: others could read the vault.
        Failed: the file system refused.
    """
    cases, labels = selection(split, view)
    if (into / "cases.json").exists():
        return

    try:
        into.parent.mkdir(parents=True, exist_ok=True)
        making = Path(tempfile.mkdtemp(prefix=f".{into.name}.", dir=into.parent))
        try:
            builder = _Builder(Vault.open(vault), inventory, contract, making, data)
            tune = tuple(sorted(split.inner)) if labels else ()
            builder.build(view, cases, labels=labels, tune=tune)
            _publish(making, into)
        finally:
            _remove(making)
    except OSError as error:
        raise from_os_error(error, doing=f"laying out the view {view}", place=into) from error


def selection(split: Split, view: str) -> tuple[tuple[str, ...], bool]:
    """Return which cases a view shows, sorted, and whether with their labels.

    Raises:
        ValueError: the split has no such view.
    """
    kind, _, name = view.partition("/")
    if view == "predict/all":
        return tuple(sorted(split.test)), False

    fold = next((fold for fold in split.folds if fold.fold == name), None)
    if fold is None or kind not in ("train", "predict"):
        raise ValueError(f"there is no view {view} of this split")

    if kind == "train":
        return tuple(sorted({*fold.fit, *split.inner})), True

    return tuple(sorted({*fold.validation, *split.inner, *split.test})), False


class _Builder:
    """Fills one temporary folder."""

    def __init__(
        self,
        vault: Vault,
        inventory: Inventory,
        contract: Contract,
        making: Path,
        data: Path | None,
    ) -> None:
        self._vault = vault
        self._contract = contract
        self._making = making
        self._cases = {case.case: case for case in inventory.cases}
        aliases = vault.aliases()
        self._data = data or Path(aliases.data)
        self._aliased = {case.alias: case for case in aliases.cases}

    def build(
        self, view: str, names: tuple[str, ...], *, labels: bool, tune: tuple[str, ...]
    ) -> None:
        """Copy the files of the cases and write `cases.json` last."""
        (self._making / "images").mkdir()
        if labels:
            (self._making / "labels").mkdir()

        shown = tuple(self._case(name, labels=labels) for name in names)
        document = View(
            view=view,
            labels=self._contract.predicted,
            ignore=self._contract.ignore,
            several=self._contract.task.several,
            cases=shown,
            tune=tune,
        )
        (self._making / "cases.json").write_bytes(canonical.to_bytes(document))

    def _case(self, name: str, *, labels: bool) -> ViewCase:
        case, aliased = self._cases[name], self._aliased[name]
        images = dict(self._images(case, aliased))
        label = None

        if labels and case.label_commitment is not None:
            label = f"labels/{name}{case.label_suffix}"
            source = self._vault.label(name, case.label_suffix)
            salt = self._vault.salt(f"label/{name}")
            content = _read(source)
            if commitment(content, salt) != case.label_commitment:
                raise _changed(source)

            _place(source, content, self._making / label, case.label_suffix)

        return ViewCase(case=name, images=images, label=label)

    def _images(self, case: Case, aliased: AliasedCase) -> Iterator[tuple[str, str]]:
        for image in case.images:
            if image.channel not in self._contract.data.inputs:
                continue

            path = f"images/{case.case}_{image.channel}{image.suffix}"
            source = self._data / aliased.images[image.channel]
            content = _read(source)
            if blake3(content).hexdigest() != image.raw:
                raise _changed(source)

            _place(source, content, self._making / path, image.suffix)
            yield image.channel, path


def _read(source: Path) -> bytes:
    try:
        return read_file(source)
    except (FileNotFoundError, NotADirectoryError):
        raise _changed(source) from None


def _changed(source: Path) -> DataChanged:
    return DataChanged(
        f"{source.name} is no longer what it was when the run began",
        where=str(source),
        why="every score of this run rests on the files as they were recorded then",
        do="restore the file, or make a new run with the files as they are now",
    )


def _place(source: Path, content: bytes, target: Path, suffix: str) -> None:
    """Write the checked content under the target's name, sharing blocks where that is possible."""
    meant = form.as_read(content, suffix)
    plain = gzip_header.strip(meant) if suffix == ".nii.gz" else meant

    with target.open("xb") as file:
        if plain != content or not _cloned(source, file.fileno(), content):
            file.write(plain)
        file.flush()
        os.fsync(file.fileno())


def _cloned(source: Path, target: int, content: bytes) -> bool:
    """Share the source's blocks with the open target; say whether it holds the content then."""
    try:
        with source.open("rb") as file:
            fcntl.ioctl(target, _CLONE, file.fileno())
    except OSError:
        return False  # another disk, or a file system that cannot: write a copy

    size = os.fstat(target).st_size
    if size == len(content) and os.pread(target, size, 0) == content:
        return True

    os.ftruncate(target, 0)
    return False


def _publish(making: Path, into: Path) -> None:
    """Fix times and modes, and give the folder its name in one step."""
    for folder, _, files in os.walk(making, topdown=False):
        for name in files:
            path = Path(folder, name)
            path.chmod(0o444)
            os.utime(path, (_TIME, _TIME))
        os.utime(folder, (_TIME, _TIME))
        Path(folder).chmod(0o555)

    try:
        making.rename(into)
    except OSError:
        if not (into / "cases.json").exists():
            raise
        return  # somebody else has built the same view meanwhile

    parent = os.open(into.parent, os.O_RDONLY)
    try:
        os.fsync(parent)
    finally:
        os.close(parent)


def _remove(making: Path) -> None:
    """Delete what is left of a temporary folder, whose parts may be read-only."""
    if not making.exists():
        return

    for folder, _, _ in os.walk(making):
        Path(folder).chmod(0o755)

    shutil.rmtree(making)


__all__ = ["lay_out", "selection"]
