"""Stripping a gzip header keeps the content and the stream, and nothing else."""

import gzip
import io
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amid.data.gzip_header import PLAIN, strip

name = st.text(
    st.characters(min_codepoint=33, max_codepoint=126, exclude_characters="/"), max_size=20
)


@given(st.binary(max_size=2000), name, st.integers(0, 2**31), st.integers(0, 9))
def test_content_stays_and_names_go(content: bytes, name: str, when: int, level: int) -> None:
    out = io.BytesIO()
    with gzip.GzipFile(name, "wb", level, out, when) as file:
        file.write(content)

    plain = strip(out.getvalue())

    assert gzip.decompress(plain) == content
    assert plain.startswith(PLAIN)
    assert plain == strip(gzip.compress(content, level, mtime=0))
    assert strip(plain) == plain


def member(flags: int, fields: bytes, content: bytes) -> bytes:
    body = gzip.compress(content, mtime=0)[10:]
    return b"\x1f\x8b\x08" + bytes([flags]) + b"\x01\x02\x03\x04\x02\x03" + fields + body


def test_every_optional_field_goes_in_every_member() -> None:
    extra = b"\x04\x00abcd"
    header = b"\x1f\x8b\x08\x1e\x01\x02\x03\x04\x02\x03" + extra + b"name\0" + b"comment\0"
    check = (zlib.crc32(header) & 0xFFFF).to_bytes(2, "little")
    first = header + check + gzip.compress(b"one", mtime=0)[10:]
    packed = first + member(8, b"second\0", b"two") + b"\0\0\0"

    plain = strip(packed)

    assert gzip.decompress(plain) == b"onetwo"
    assert b"name" not in plain
    assert b"second" not in plain


@pytest.mark.parametrize("cut", [1, 5, 12, -1])
def test_what_is_not_whole_is_refused(cut: int) -> None:
    with pytest.raises(ValueError, match="gzip"):
        strip(gzip.compress(b"content" * 9)[:cut])
