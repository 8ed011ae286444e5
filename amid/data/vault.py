"""The vault of a run: hidden labels, real ids and the salts of every commitment.

    vault/            0700
      secret          32 random bytes, from which every salt follows
      salts.json      {item: salt}, so that `amid reveal` can open one commitment at a time
      aliases.json    real ids and paths behind the aliases
      labels/         byte copies of all labels, named by alias

A digest of something with few possible values (a label, a patient key) can be guessed back, so
only commitments stand in events: BLAKE3 of the content keyed with the item's own salt.
"""

import os
import secrets
import stat
from pathlib import Path

import orjson
from blake3 import blake3
from pydantic import ValidationError

from amid.errors import VaultExposed, VaultMissing
from amid.tasks import canonical
from ledger.events.base import Part

_FOLDER, _FILE = 0o700, 0o600


class AliasedCase(Part):
    """What one alias stands for."""

    alias: str
    case: str
    group: str
    """Alias of the group."""
    group_id: str
    patient: str
    images: dict[str, str]
    """Channel to path relative to the data root."""
    label: str | None


class Aliases(Part):
    """`aliases.json`: the one place that joins aliases with real ids and paths."""

    data: str
    """Absolute path of the data root when the run was made."""
    cases: tuple[AliasedCase, ...]


class Vault:
    """An open vault. Items are named like paths: `label/c-0001`."""

    def __init__(self, path: Path, secret: bytes) -> None:
        self.path = path
        self._secret = secret
        self._salts: dict[str, str] = {}

    @classmethod
    def create(cls, path: Path, secret: bytes | None = None) -> "Vault":
        """Make an empty vault; without a given secret it is drawn from the system.

        Raises:
            FileExistsError: something is already there.
        """
        path.mkdir(mode=_FOLDER, parents=False)
        path.chmod(_FOLDER)
        (path / "labels").mkdir(mode=_FOLDER)
        vault = cls(path, secret if secret is not None else secrets.token_bytes(32))
        vault._put("secret", vault._secret)
        return vault

    @classmethod
    def open(cls, path: Path) -> "Vault":
        """Open a vault that nobody else can read.

        Raises:
            VaultMissing: it is not there, or not whole.
            VaultExposed: its permissions let others in.
        """
        _refuse_exposed(path, path)
        for name in ("secret", "salts.json", "aliases.json", "labels"):
            _refuse_exposed(path, path / name)

        return cls(path, (path / "secret").read_bytes())

    def salt(self, item: str) -> bytes:
        """Return the item's salt: it follows from the secret and opens this one item only."""
        return blake3(item.encode(), key=self._secret).digest()

    def commit(self, item: str, content: bytes) -> str:
        """Return the commitment to an item's content, and keep its salt for `seal`."""
        salt = self.salt(item)
        self._salts[item] = salt.hex()
        return commitment(content, salt)

    def put_label(self, alias: str, suffix: str, content: bytes) -> Path:
        """Store the bytes of a case's label and return the file."""
        return self._put(f"labels/{alias}{suffix}", content)

    def label(self, alias: str, suffix: str) -> Path:
        """Return where a case's label lies."""
        return self.path / "labels" / f"{alias}{suffix}"

    def seal(self, aliases: Aliases) -> None:
        """Write the alias table and the salts; the vault is whole after this."""
        self._put("aliases.json", canonical.to_bytes(aliases))
        self._put("salts.json", orjson.dumps(self._salts, option=orjson.OPT_SORT_KEYS))
        for folder in (self.path / "labels", self.path):
            _sync(folder)

    def aliases(self) -> Aliases:
        """Read the alias table.

        Raises:
            VaultMissing: the table is damaged.
        """
        try:
            return Aliases.model_validate_json((self.path / "aliases.json").read_bytes())
        except ValidationError as error:
            raise _missing(self.path / "aliases.json", f"is damaged: {error.title}") from error

    def _put(self, name: str, content: bytes) -> Path:
        path = self.path / name
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _FILE)
        with os.fdopen(handle, "wb") as file:
            os.fchmod(file.fileno(), _FILE)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())

        return path


def commitment(content: bytes, salt: bytes) -> str:
    """Return BLAKE3 of the content keyed with a salt, as events hold it."""
    return blake3(content, key=salt).hexdigest()


def _refuse_exposed(vault: Path, path: Path) -> None:
    try:
        mode = path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        raise _missing(path, "is not there") from None

    if stat.S_ISLNK(mode) or stat.S_IMODE(mode) & 0o077:
        how = "is a link" if stat.S_ISLNK(mode) else f"has mode {stat.S_IMODE(mode):04o}"
        raise VaultExposed(
            f"{path.name} of the vault {how}",
            where=str(path),
            why="whoever reads the vault knows the hidden labels, and no score would mean anything",
            do=f"find out who could have read it; then chmod -R go= {vault}",
        )


def _missing(path: Path, how: str) -> VaultMissing:
    return VaultMissing(
        f"{path.name} of the vault {how}",
        where=str(path),
        why="without the vault nothing can be scored, and commitments cannot be opened",
        do="restore the vault of this run from a copy, or make the run again",
    )


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


__all__ = ["AliasedCase", "Aliases", "Vault", "commitment"]
