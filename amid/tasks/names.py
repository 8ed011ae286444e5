"""When two names are probably one, and when a name is none: what people and exports make of them.

Pure. A spreadsheet drops leading zeros and adds `.0`, a hospital export pads with blanks, a person
writes `P03` and `p03`, a program writes an empty cell as `nan`.
"""

import re
import unicodedata

_ALIKE = str.maketrans(
    "\u0410\u0412\u0415\u0405\u0406\u0408\u041a\u041c\u041d\u041e\u0420\u0421\u0422"
    "\u0423\u0425\u0430\u0435\u0455\u0456\u0458\u043e\u0440\u0441\u0443\u0445\u0391"
    "\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7"
    "\u03bf",
    "ABESIJKMHOPCTYXaesijopcyxABEZHIKMNOPTYXo",
)
"""Cyrillic and Greek letters to the Latin ones that nobody can tell them from."""

_WHOLE = re.compile(r"\s*(-?)0*([0-9]+)(?:\.0*)?\s*")
"""A whole number, as a table keeps it or as a program that made it a real one."""
_PIECE = re.compile(r"[0-9]+|[^\W\d_]+|[^\s_.\-/\u2010-\u2015]")
"""A number, a word, or one sign that means something; blanks, dashes and dots only separate."""
_NO_VALUE = frozenset(
    ("nan", "nat", "<na>", "#n/a", "#n/a n/a", "n/a", "na", "null", "none", "-nan")
)


def looks(name: str) -> tuple[str, ...]:
    """Return what is left of a name without case, Unicode form, zeros in front and separators."""
    plain = unicodedata.normalize("NFKC", name).translate(_ALIKE).casefold()
    plain = unicodedata.normalize("NFC", plain)
    whole = _WHOLE.fullmatch(plain)
    if whole is not None:
        return (f"{whole[1]}{int(whole[2])}",)

    return tuple(piece.lstrip("0") or piece[:1] for piece in _PIECE.findall(plain))


def as_file(name: str) -> str:
    """Return a name as a file system sees it that ignores case and Unicode form."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", name).casefold())


def no_value(name: str) -> bool:
    """Return whether a cell is what programs write where there is nothing."""
    return name.strip().casefold() in _NO_VALUE


__all__ = ["as_file", "looks", "no_value"]
