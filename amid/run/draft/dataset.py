"""Reads folders that carry a `dataset.json`: nnU-Net version 1 and 2, and the Decathlon's."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from amid.run.draft import source
from amid.run.draft.source import FoundCase, Source, stem

_CHANNEL = re.compile(r"(.+)_([0-9]{4})")
_NAME = re.compile(r"[^A-Za-z0-9]+")

Json = dict[str, Any]


def read(file: Path) -> Source:
    """Read the folder of a `dataset.json`.

    Raises:
        DataMissing: the file cannot be understood, or names no case.
        DataProblems: files that it names are not there.
    """
    root = file.parent
    told = _parse(file)
    try:
        return _understood(root, told)
    except (KeyError, TypeError, ValueError) as error:
        what = f"dataset.json is not as nnU-Net or the Decathlon write it: {error!r}"
        raise source.unreadable(file, what, "correct it, or name a folder without it") from None


def _understood(root: Path, told: Json) -> Source:
    modality = told.get("channel_names") or told.get("modality") or {}
    names = [str(modality[key]) for key in sorted(modality, key=_number)]
    second = "channel_names" in told
    pairs = list(_version_2(root, told) if second else _version_1(root, told))
    if not any(not test for _, _, _, test in pairs):
        raise source.unreadable(root, "dataset.json names no training case", "check imagesTr")

    count = max(len(paths) for _, paths, _, _ in pairs)
    source.require(_missing(root, pairs, count), root)
    channels = _channels(names, count)
    labels, remarks = _labels(told.get("labels") or {})
    if len(names) > len(channels):
        says = f"dataset.json names {len(names)} channels, cases have {len(channels)} files: "
        remarks += (f"{says}a file of several channels must be cut into one file per channel",)

    return Source(
        root=root,
        convention="nnU-Net dataset.json, version 2" if second else _first_kind(pairs),
        name=str(told.get("name") or root.name),
        cases=tuple(
            FoundCase(case, dict(zip(channels, paths, strict=True)), label, test)
            for case, paths, label, test in pairs
        ),
        labels=labels,
        modality=tuple(dict.fromkeys(names)),
        remarks=remarks,
    )


Pair = tuple[str, tuple[str, ...], str | None, bool]
"""Case, paths of its channels, label, and whether it is a test case."""


def _missing(root: Path, pairs: list[Pair], count: int) -> Iterator[tuple[str, str]]:
    """Yield file and case of everything that is named, or that other cases have."""
    for case, paths, label, _ in pairs:
        for path in (*paths, *((label,) if label else ())):
            if not (root / path).is_file():
                yield path, case

        for number in range(len(paths), count):
            yield f"channel {number:04d} beside {paths[0]}", case


def _parse(file: Path) -> Json:
    try:
        told = json.loads(file.read_text("utf-8-sig"))
    except (OSError, ValueError) as error:
        what = f"dataset.json cannot be read: {error}"
        raise source.unreadable(file, what, "repair it") from None

    if not isinstance(told, dict) or not isinstance(told.get("labels"), dict):
        raise source.unreadable(file, "dataset.json has no section labels", "name its labels there")

    return told


def _first_kind(pairs: list[Pair]) -> str:
    suffixed = any(_CHANNEL.fullmatch(stem(Path(paths[0]).name)) for _, paths, _, _ in pairs)
    return "nnU-Net dataset.json, version 1" if suffixed else "Decathlon dataset.json"


def _version_1(root: Path, told: Json) -> Iterator[Pair]:
    """Yield the listed cases; nnU-Net writes files with a channel's number at the end."""
    for entry in told.get("training") or []:
        label = _plain(entry["label"])
        yield stem(Path(label).name), _files(root, _plain(entry["image"])), label, False

    for entry in told.get("test") or []:
        image = _plain(entry["image"] if isinstance(entry, dict) else entry)
        case = stem(Path(image).name)
        yield case, _files(root, image), _hidden(root, case, image), True


def _version_2(root: Path, told: Json) -> Iterator[Pair]:
    """Yield the cases that `dataset` lists, or else those whose files are in the folders."""
    listed = told.get("dataset")
    if isinstance(listed, dict):
        for case, entry in sorted(listed.items()):
            images = tuple(_plain(image) for image in entry["images"])
            yield str(case), images, _plain(entry["label"]), False
    else:
        for case, paths in _by_case(root, "imagesTr").items():
            ending = str(told.get("file_ending") or Path(paths[0]).name[len(case) + 5 :])
            yield case, paths, f"labelsTr/{case}{ending}", False

    for case, paths in _by_case(root, "imagesTs").items():
        yield case, paths, _hidden(root, case, paths[0]), True


def _by_case(root: Path, folder: str) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for path in source.volumes(root / folder) if (root / folder).is_dir() else ():
        match = _CHANNEL.fullmatch(stem(path.name))
        if match:
            found.setdefault(match[1], []).append(path.relative_to(root).as_posix())

    return {case: tuple(sorted(paths)) for case, paths in sorted(found.items())}


def _files(root: Path, image: str) -> tuple[str, ...]:
    """Return the file that is named, or its channels where those are what lies there."""
    if (root / image).is_file():
        return (image,)

    folder, name = Path(image).parent, Path(image).name
    suffix = name[len(stem(name)) :]
    numbered = sorted(
        path.relative_to(root).as_posix()
        for path in (root / folder).glob(f"{_escaped(stem(name))}_????{suffix}")
        if _CHANNEL.fullmatch(stem(path.name))
    )
    return tuple(numbered) or (image,)


def _escaped(text: str) -> str:
    return re.sub(r"([*?[])", r"[\1]", text)


def _hidden(root: Path, case: str, image: str) -> str | None:
    """Return the label of a test case, where the folder `labelsTs` is there."""
    suffix = Path(image).name[len(stem(Path(image).name)) :]
    path = f"labelsTs/{case}{suffix}"
    return path if (root / path).is_file() else None


def _labels(told: Json) -> tuple[dict[str, int], tuple[str, ...]]:
    """Return name to number, and a remark where regions were taken apart."""
    first = all(str(key).isdecimal() for key in told)
    pairs = [(str(v), k) if first else (str(k), v) for k, v in told.items()]
    plain = {name: int(number) for name, number in pairs if not isinstance(number, list)}
    regions = {name: number for name, number in pairs if isinstance(number, list)}
    for number in sorted({int(n) for numbers in regions.values() for n in numbers}):
        plain.setdefault(f"label {number}", number)

    joined = ", ".join(regions)
    says = f"the regions {joined} are unions of labels: each number is a label of its own here"
    return _tidy(plain), (says,) if regions else ()


def _tidy(plain: Mapping[str, int]) -> dict[str, int]:
    labels: dict[str, int] = {}
    for name, number in sorted(plain.items(), key=lambda pair: pair[1]):
        kept = re.sub(r"[^A-Za-z0-9 _-]+", "-", name).strip(" -_") or f"label {number}"
        kept = "background" if number == 0 else kept
        labels[kept if kept not in labels else f"{kept} {number}"] = number

    return labels


def _channels(names: list[str], count: int) -> tuple[str, ...]:
    if count == 1:
        return ("image",)

    tidy = [_NAME.sub("-", name).strip("-") for name in names[:count]]
    tidy += [f"channel{number}" for number in range(len(tidy), count)]
    return tuple(
        name if name and name not in tidy[:place] else f"channel{place}"
        for place, name in enumerate(tidy)
    )


def _plain(path: str) -> str:
    while path.startswith("./"):
        path = path[2:]

    return path


def _number(key: str) -> tuple[int, str]:
    return (int(key), "") if key.isdecimal() else (1 << 30, key)


__all__ = ["read"]
