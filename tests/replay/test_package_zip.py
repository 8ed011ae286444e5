"""The zip of a package depends on its files alone."""

import io
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay.package import unzip, zip_bytes

NAMES = st.from_regex(r"\A[a-z]{1,3}(/[a-z]{1,3})?\Z")
FILES = st.dictionaries(NAMES, st.binary(max_size=64), max_size=6)


@given(FILES)
def test_order_of_arrival_changes_nothing(files: dict[str, bytes]) -> None:
    """Reversed insertion gives the same archive, and the files come back."""
    backwards = dict(reversed(list(files.items())))
    assert zip_bytes(files, folder="p") == zip_bytes(backwards, folder="p")
    assert unzip(zip_bytes(files, folder="p")) == files


def test_nothing_of_the_moment_is_in_it() -> None:
    """Time, mode and system are constants; contents are stored as they are."""
    content = zip_bytes({"b": b"2", "a": b"1"}, folder="p")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = archive.infolist()

    assert [entry.filename for entry in entries] == ["p/a", "p/b"]
    assert {entry.date_time for entry in entries} == {(1980, 1, 1, 0, 0, 0)}
    assert {entry.external_attr >> 16 for entry in entries} == {0o100644}
    assert {entry.compress_type for entry in entries} == {zipfile.ZIP_STORED}


@pytest.mark.parametrize("name", ["../x", "/x", "a/../../x", "a\\b"])
def test_a_name_that_leaves_the_folder_is_refused(name: str) -> None:
    """On packing and on unpacking."""
    with pytest.raises(ValueError, match="leaves"):
        zip_bytes({name: b""}, folder="p")


def test_names_that_collide_on_some_systems_are_refused() -> None:
    """A package must unpack the same everywhere."""
    with pytest.raises(ValueError, match="both"):
        zip_bytes({"A": b"", "a": b""}, folder="p")
