"""Reads a plain folder of images and masks whose names match."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from amid.run.draft import source
from amid.run.draft.source import FoundCase, Source, stem

_MASK = frozenset(
    "label labels labelstr labelsts mask masks msk seg segs segmentation segmentations annotation "
    "annotations gt groundtruth truth roi".split()
)
_NOTHING = frozenset(("derivatives", "rawdata", "anat"))
_IMAGE = frozenset("image images img imgs imagestr imagests scan scans volume volumes data".split())
_TEST = frozenset("test testing imagests labelsts".split())
_TRAIN = frozenset("train training imagestr labelstr".split())
_CUT = re.compile(r"[_\-. ]+")
_WORD = re.compile(r"[^A-Za-z0-9]+")


@dataclass(frozen=True, slots=True)
class _File:
    path: str
    folders: tuple[str, ...]
    """Names of the folders that say nothing of image, mask, training or test."""
    tokens: tuple[str, ...]
    """Parts of the name that say nothing of image or mask."""
    whole: str
    """The name without its suffix."""
    mask: bool
    test: bool

    @property
    def name(self) -> str:
        """The case as it is called: the file's own name where all of it says who it is."""
        plain = "_".join(self.tokens)
        own = self.whole if _CUT.sub("_", self.whole) == plain else plain
        return "_".join(part for part in (*self.folders, own) if part)

    @property
    def key(self) -> str:
        """What the files of one case have in common."""
        return "/".join((*self.folders, "_".join(self.tokens)))


def read(root: Path) -> Source:
    """Read a folder.

    Raises:
        DataMissing: there are no volumes in it, or none of them is the mask of another.
    """
    files = [_file(path.relative_to(root)) for path in source.volumes(root)]
    if not files:
        raise source.unreadable(root, "there are no volumes in this folder", "name another folder")

    masks = {file.key: file for file in files if file.mask}
    twin = next((file for file in files if file.mask and masks[file.key] is not file), None)
    if twin is not None:
        both = f"{twin.path} and {masks[twin.key].path}"
        raise source.unreadable(
            root, f"one image has several masks: {both}", "merge them into one file of numbers"
        )

    images = [file for file in files if not file.mask]
    if not masks or not images:
        what = f"none of the {len(files)} volumes is known as a {'mask' if images else 'image'}"
        raise source.unreadable(
            root, what, "put images and masks into folders `images` and `masks`, with equal names"
        )

    by_case, loose = _matched(images, masks)
    if not by_case:
        raise source.unreadable(
            root,
            f"no name of the {len(images)} images matches one of the {len(masks)} masks "
            f"({images[0].path}, {next(iter(masks.values())).path})",
            "give image and mask of a case the same name",
        )

    return _source(root, by_case, masks, loose)


def _file(path: Path) -> _File:
    folders = path.parts[:-1]
    words = [_WORD.sub("", part).casefold() for part in folders]
    tokens = [token for token in _CUT.split(stem(path.name)) if token]
    low = all_words = [token.casefold() for token in tokens]
    telling = _MASK | _IMAGE | _TEST | _TRAIN | _NOTHING
    said = next((place for place, word in enumerate(low) if word in _MASK and place), len(low))
    tokens, low = tokens[:said], low[:said]  # `p01_seg-manual` is the mask of `p01`
    kept = tuple(t for t, word in zip(tokens, low, strict=True) if word not in _MASK | _IMAGE)
    return _File(
        path=path.as_posix(),
        folders=tuple(f for f, word in zip(folders, words, strict=True) if word not in telling),
        tokens=kept,
        whole=stem(path.name),
        mask=any(word in _MASK for word in (*words, *all_words)),
        test=any(word in _TEST for word in words),
    )


def _matched(
    images: Iterable[_File], masks: Mapping[str, _File]
) -> tuple[dict[str, dict[str, _File]], list[_File]]:
    """Return the images of each mask by channel, and those that no mask belongs to."""
    found: dict[str, dict[str, _File]] = {}
    loose: list[_File] = []
    for image in images:
        key = next((begun for begun in _beginnings(image.key) if begun in masks), None)
        if key is None:
            loose.append(image)
            continue

        rest = image.key[len(key) :].strip("_/")
        found.setdefault(key, {})[_WORD.sub("-", rest).strip("-") or "image"] = image

    return found, loose


def _beginnings(key: str) -> Iterator[str]:
    """Yield a name and what it begins with, longest first: `p1/t1`, `p1/`; `p1_t1`, `p1`."""
    yield key
    for place in range(len(key) - 1, 0, -1):
        if key[place - 1] == "/":
            yield key[:place]
        elif key[place] == "_":
            yield key[:place]


def _source(
    root: Path,
    by_case: Mapping[str, Mapping[str, _File]],
    masks: Mapping[str, _File],
    loose: list[_File],
) -> Source:
    channels = sorted(set().union(*by_case.values()))
    short = [key for key in by_case if len(by_case[key]) < len(channels)]
    if len(short) == len(by_case):
        what = f"no case has an image of each of {', '.join(channels)}"
        raise source.unreadable(root, what, "give the files of one case the same beginning")

    tests = [file for file in loose if file.test] if len(channels) == 1 else []
    cases = [
        FoundCase(
            masks[key].name, {c: by_case[key][c].path for c in channels}, masks[key].path,
            masks[key].test,
        )
        for key in sorted(by_case) if key not in short
    ]  # fmt: skip
    cases += [FoundCase(f.name, {channels[0]: f.path}, None, test=True) for f in tests]
    alone = sorted(set(masks) - set(by_case))
    remarks = [
        f"{_many(what, noun)} left out, such as {what[0]}"
        for what, noun in (
            ([file.path for file in loose if file not in tests], "image without a mask"),
            ([masks[key].path for key in alone], "mask without an image"),
            ([masks[key].path for key in short], "case that lacks a channel"),
        )
        if what
    ]
    return Source(
        root=root,
        convention="a folder of images and masks with matching names",
        name=root.resolve().name,
        cases=tuple(cases),
        remarks=tuple(remarks),
    )


def _many(what: list[str], noun: str) -> str:
    if len(what) == 1:
        return f"1 {noun} is"

    first, _, rest = noun.partition(" ")
    return f"{len(what)} {first}s {rest.replace('lacks', 'lack')} are"


__all__ = ["read"]
