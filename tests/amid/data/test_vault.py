"""The vault: salted commitments, and no reader but the owner."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amid.data.vault import Aliases, Vault, commitment
from amid.errors import VaultExposed, VaultMissing

EMPTY = Aliases(data="/data", cases=())


def sealed(path: Path, secret: bytes | None = None) -> Vault:
    vault = Vault.create(path, secret)
    vault.put_label("c-0001", ".mha", b"label")
    vault.commit("label/c-0001", b"label")
    vault.seal(EMPTY)
    return vault


def test_only_the_owner_reads_it(tmp_path: Path) -> None:
    vault = sealed(tmp_path / "vault")

    modes = {path.stat().st_mode & 0o777 for path in (vault.path, *vault.path.rglob("*"))}

    assert modes == {0o700, 0o600}


def test_reads_back_what_was_sealed(tmp_path: Path) -> None:
    before = sealed(tmp_path / "vault")
    after = Vault.open(tmp_path / "vault")

    assert after.aliases() == EMPTY
    assert after.label("c-0001", ".mha").read_bytes() == b"label"
    assert after.salt("label/c-0001") == before.salt("label/c-0001")


def test_a_revealed_salt_opens_one_commitment(tmp_path: Path) -> None:
    vault = sealed(tmp_path / "vault")
    held = vault.commit("label/c-0001", b"label")

    assert commitment(b"label", vault.salt("label/c-0001")) == held
    assert commitment(b"label", vault.salt("label/c-0002")) != held
    assert vault.salt("label/c-0001").hex() in (vault.path / "salts.json").read_text()


def test_two_runs_commit_differently_to_the_same_label(tmp_path: Path) -> None:
    one, two = sealed(tmp_path / "one"), sealed(tmp_path / "two")

    assert one.commit("a", b"label") != two.commit("a", b"label")


@given(st.text(max_size=20), st.text(max_size=20))
def test_each_item_has_its_own_salt(one: str, two: str) -> None:
    vault = Vault(Path("nowhere"), bytes(32))

    assert (vault.salt(one) == vault.salt(two)) == (one == two)


@pytest.mark.parametrize("name", [".", "secret", "salts.json", "aliases.json", "labels"])
def test_refuses_a_vault_that_others_could_read(tmp_path: Path, name: str) -> None:
    vault = sealed(tmp_path / "vault")
    path = vault.path / name
    path.chmod(path.stat().st_mode | 0o040)

    with pytest.raises(VaultExposed, match="has mode") as caught:
        Vault.open(vault.path)

    assert caught.value.exit_code == 1


def test_refuses_a_link(tmp_path: Path) -> None:
    vault = sealed(tmp_path / "vault")
    (vault.path / "secret").rename(tmp_path / "secret")
    (vault.path / "secret").symlink_to(tmp_path / "secret")

    with pytest.raises(VaultExposed, match="is a link"):
        Vault.open(vault.path)


@pytest.mark.parametrize("name", [".", "secret", "salts.json", "aliases.json"])
def test_a_vault_that_is_not_whole_is_missing(tmp_path: Path, name: str) -> None:
    vault = sealed(tmp_path / "vault")
    (vault.path / name).resolve().rename(tmp_path / "gone")

    with pytest.raises(VaultMissing) as caught:
        Vault.open(vault.path)

    assert caught.value.exit_code == 3


def test_a_damaged_alias_table_is_said(tmp_path: Path) -> None:
    vault = sealed(tmp_path / "vault")
    (vault.path / "aliases.json").write_bytes(b"{}")

    with pytest.raises(VaultMissing, match="is damaged"):
        vault.aliases()


def test_never_writes_over_an_item(tmp_path: Path) -> None:
    vault = sealed(tmp_path / "vault")

    with pytest.raises(FileExistsError):
        vault.put_label("c-0001", ".mha", b"other")
    with pytest.raises(FileExistsError):
        Vault.create(vault.path)
