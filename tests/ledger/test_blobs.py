"""Content-addressed files."""

import os
import random
from pathlib import Path

import pytest
from blake3 import blake3

from ledger.blobs import CHUNK, UNFINISHED, BlobStore, digest_of
from ledger.errors import BadDigest, BlobChanged, BlobMissing, CannotWrite, NotAFile


@pytest.fixture
def store(tmp_path: Path) -> BlobStore:
    return BlobStore(tmp_path / "blobs")


def test_what_is_put_is_read_back_under_its_digest(store: BlobStore) -> None:
    for content in (b"", b"abc", os.urandom(CHUNK + 1)):
        digest = store.put(content)
        assert digest == blake3(content).hexdigest()
        assert store.read(digest) == content
        assert store.has(digest)
        assert store.path(digest).relative_to(store.root).parts == (digest[:2], digest[2:])


def test_a_file_and_its_bytes_are_one_blob(store: BlobStore, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_bytes(os.urandom(3 * CHUNK // 2))
    digest = store.put(source)

    assert store.put(source.read_bytes()) == digest == digest_of(source)
    assert BlobStore(store.root).put(source) == digest
    assert list(store.digests()) == [digest]
    assert source.exists()


def test_digests_are_listed_in_order(store: BlobStore) -> None:
    assert list(store.digests()) == []
    put = {store.put(str(number).encode()) for number in range(50)}
    assert list(store.digests()) == sorted(put)


def test_a_stored_file_is_read_only_and_nothing_else_is_left(store: BlobStore) -> None:
    digest = store.put(b"abc")
    assert store.path(digest).stat().st_mode & 0o777 == 0o444
    assert [path.name for path in store.root.iterdir()] == [digest[:2]]


def test_a_copy_is_a_file_of_its_own(store: BlobStore, tmp_path: Path) -> None:
    digest = store.put(b"abc" * CHUNK)
    target = tmp_path / "copy"
    store.copy_to(digest, target)
    assert target.stat().st_nlink == 1

    target.write_bytes(b"changed")
    assert digest_of(store.path(digest)) == digest

    with pytest.raises(FileExistsError):
        store.copy_to(digest, target)


def test_a_missing_blob_is_named(store: BlobStore, tmp_path: Path) -> None:
    digest = "0" * 64
    assert not store.has(digest)

    with pytest.raises(BlobMissing, match=digest):
        store.read(digest)

    with pytest.raises(BlobMissing, match=digest):
        store.copy_to(digest, tmp_path / "copy")


@pytest.mark.parametrize("digest", ["", "../../etc/passwd", "A" * 64, "0" * 63, "0" * 64 + "\n"])
def test_a_name_that_is_no_digest_reaches_no_file(store: BlobStore, digest: str) -> None:
    with pytest.raises(BadDigest):
        store.path(digest)


def test_changed_bytes_are_refused_by_name(store: BlobStore, tmp_path: Path) -> None:
    dice = random.Random(7)
    blobs = {store.put(dice.randbytes(dice.randint(1, 4000))): 0 for _ in range(20)}
    names = sorted(blobs)

    for number in range(200):
        digest = dice.choice(names)
        path = store.path(digest)
        path.chmod(0o644)
        content = bytearray(path.read_bytes())
        place = dice.randrange(len(content))
        content[place] ^= 1 << dice.randrange(8)
        whole = path.read_bytes()
        path.write_bytes(content)

        with pytest.raises(BlobChanged, match=digest):
            store.read(digest)

        if number % 10 == 0:
            with pytest.raises(BlobChanged, match=digest):
                store.copy_to(digest, tmp_path / "copy")
            assert not (tmp_path / "copy").exists()

        path.write_bytes(whole)


def test_links_folders_and_pipes_do_not_become_blobs(store: BlobStore, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "link").symlink_to(tmp_path / "secret")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")

    for name in ("link", "folder", "pipe", "absent"):
        with pytest.raises(NotAFile, match=name):
            store.put(tmp_path / name)

    assert list(store.digests()) == []


def test_what_a_crash_left_is_swept(store: BlobStore) -> None:
    digest = store.put(b"abc")
    (store.root / f"{UNFINISHED}x").write_bytes(b"half")
    assert store.sweep() == 1
    assert list(store.digests()) == [digest]

    store.set_aside(digest, store.root.parent / "aside")
    assert list(store.digests()) == []
    assert (store.root.parent / "aside" / digest).read_bytes() == b"abc"
    assert store.put(b"abc") == digest
    assert store.has(digest)


def test_a_place_that_takes_no_files_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotWrite, match="file"):
        BlobStore(tmp_path / "file" / "blobs").put(b"abc")
