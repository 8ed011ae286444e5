"""A small data set and attempts' code for a made-up run: bright balls in noise.

The attempts' code reads and writes NIfTI-1 by itself, so that a whole run takes about a second.
"""

import gzip
import random
import struct
from pathlib import Path

import orjson
from blake3 import blake3

from amid.documents import Case, Geometry, ImageFile, Inventory

SIZE = 12
CASES = 12
SUFFIX = ".nii.gz"

NIFTI = """
import gzip, json, os, struct


def load(path):
    data = gzip.decompress(open(path, "rb").read())
    kind = struct.unpack_from("<h", data, 70)[0]
    body = data[352:]
    return data[:352], list(body if kind == 2 else struct.unpack(f"<{len(body) // 2}h", body))


def save(path, header, voxels):
    head = bytearray(header)
    struct.pack_into("<hh", head, 70, 2, 8)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    open(path, "wb").write(gzip.compress(bytes(head) + bytes(voxels), mtime=0))


def cases():
    root = os.environ["AMID_DATA"]
    for case in json.load(open(f"{root}/cases.json"))["cases"]:
        label = case["label"] and f"{root}/{case['label']}"
        yield case["case"], f"{root}/{case['images']['image']}", label
"""

TRAIN = """
import json, os
from nifti import cases, load

low, high = [], []
for _, image, label in cases():
    for value, inside in zip(load(image)[1], load(label)[1]):
        (high if inside else low).append(value)
middle = (sum(low) / len(low) + sum(high) / len(high)) / 2 + SHIFT
model = {"threshold": int(middle), "seed": int(os.environ["AMID_SEED"])}
json.dump(model, open("out/model.json", "w"), sort_keys=True)
"""

PREDICT = """
import json
from nifti import cases, load, save

threshold = json.load(open("in/model/model.json"))["threshold"]
for case, image, _ in cases():
    header, voxels = load(image)
    save(f"out/predictions/{case}.nii.gz", header, [int(v > threshold) for v in voxels])
"""

AVERAGE = """
import glob, json, os
from nifti import cases, load, save

fold = json.load(open(os.environ["AMID_JOB"]))["fold"]
folds = "*" if fold == "all" else fold

for case, image, _ in cases():
    found = glob.glob(f"in/members/*/{folds}/predictions/{case}.nii.gz")
    votes = [load(path)[1] for path in sorted(found)]
    if votes:
        mean = [int(2 * sum(column) > len(votes)) for column in zip(*votes)]
        save(f"out/predictions/{case}.nii.gz", load(image)[0], mean)
"""


def code_of(attempt: str) -> dict[str, bytes]:
    """Return the files of an attempt's commit."""
    if "finalizer" in attempt:
        return {"predict.py": AVERAGE.encode(), "nifti.py": NIFTI.encode()}

    shift = "300" if "crude" in attempt else "0"
    return {
        "train.py": TRAIN.replace("SHIFT", shift).encode(),
        "predict.py": PREDICT.encode(),
        "nifti.py": NIFTI.encode(),
        "attempt.toml": b'lane = "threshold"\n',
    }


PROFILE = {
    "cases": 12,
    "groups": 6,
    "test": 4,
    "dimensions": 3,
    "modality": ["MR"],
    "size_median": [12, 12, 12],
    "spacing_median": [1.0, 1.0, 2.0],
    "anisotropy": 2.0,
    "voxels_median": 1728,
    "foreground_fraction": {"ball": 0.06},
    "components_median": {"ball": 1.0},
    "intensity": {"p01": -100.0, "p50": 210.0, "p99": 950.0, "mean": 230.0, "sd": 180.0},
    "groups_with_several_cases": 6,
    "findings": [],
}
"""The profile of the made-up data."""


def inventory(data: Path) -> Inventory:
    """Return what every file is."""
    grid = Geometry(
        size=(SIZE, SIZE, SIZE),
        spacing=(1.0, 1.0, 2.0),
        origin=(0.0, 0.0, 0.0),
        direction=(-1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 1.0),
        pixel="16-bit signed integer",
    )
    cases = []
    for number in range(1, CASES + 1):
        raw = blake3((data / f"images/{real(number)}{SUFFIX}").read_bytes()).hexdigest()
        image = ImageFile(
            channel="image",
            raw=raw,
            decoded=raw,
            canonical=raw,
            header=raw,
            geometry=grid,
            suffix=SUFFIX,
        )
        case = Case(
            case=alias(number),
            group=group(number),
            split="train" if number < 9 else "test",
            attributes={"site": site(number)},
            images=(image,),
            label="present",
            label_suffix=SUFFIX,
            label_commitment=None,
        )
        cases.append(case)

    return Inventory(cases=tuple(cases))


def alias(number: int) -> str:
    """Return the alias of a case."""
    return f"c-{number:04d}"


def real(number: int) -> str:
    """Return the real id of a case, which only the submission may show."""
    return f"subject_{number:03d}x"


def patient(number: int) -> str:
    """Return the patient of a case: two cases each."""
    return f"Mustermann-{(number + 1) // 2}"


def group(number: int) -> str:
    """Return the alias of the group of a case."""
    return f"g-{(number + 1) // 2:04d}"


def site(number: int) -> str:
    """Return where a patient was seen: two places in turn."""
    return ("north", "south")[(number - 1) // 2 % 2]


def write_data(data: Path) -> None:
    """Write images and labels of all cases, and nothing that depends on the moment."""
    for number in range(1, CASES + 1):
        draw = random.Random(number)
        image, label = _voxels(draw)
        _save(data / f"images/{real(number)}{SUFFIX}", 4, struct.pack(f"<{len(image)}h", *image))
        _save(data / f"labels/{real(number)}{SUFFIX}", 2, bytes(label))


def write_vault(vault: Path, data: Path) -> None:
    """Write the alias table and copies of all labels."""
    (vault / "labels").mkdir(parents=True)
    rows = []
    for number in range(1, CASES + 1):
        name = f"{real(number)}{SUFFIX}"
        copy = vault / f"labels/{alias(number)}{SUFFIX}"
        copy.write_bytes((data / "labels" / name).read_bytes())
        row = {
            "alias": alias(number),
            "case": real(number),
            "group": group(number),
            "group_id": patient(number),
            "patient": patient(number),
            "images": {"image": f"images/{name}"},
            "label": f"labels/{name}",
        }
        rows.append(row)

    content = {"data": str(data), "cases": rows}
    (vault / "aliases.json").write_bytes(orjson.dumps(content, option=orjson.OPT_SORT_KEYS))


def _voxels(draw: random.Random) -> tuple[list[int], list[int]]:
    middle = [draw.randint(4, 7) for _ in range(3)]
    radius = draw.uniform(2.4, 3.6)
    image, label = [], []
    for index in range(SIZE**3):
        place = (index % SIZE, index // SIZE % SIZE, index // SIZE**2)
        inside = sum((a - b) ** 2 for a, b in zip(place, middle, strict=True)) < radius**2
        label.append(int(inside))
        image.append(int(draw.gauss(700 if inside else 200, 130)))

    return image, label


def _save(path: Path, kind: int, body: bytes) -> None:
    """Write NIfTI-1 with voxels of 1 x 1 x 2 mm."""
    head = bytearray(352)
    struct.pack_into("<i", head, 0, 348)
    struct.pack_into("<8h", head, 40, 3, SIZE, SIZE, SIZE, 1, 1, 1, 1)
    struct.pack_into("<hh", head, 70, kind, 8 if kind == 2 else 16)
    struct.pack_into("<8f", head, 76, 1, 1, 1, 2, 0, 0, 0, 0)
    struct.pack_into("<f", head, 108, 352)
    struct.pack_into("<f", head, 112, 1)
    struct.pack_into("<hh", head, 252, 1, 0)
    head[344:348] = b"n+1\0"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(bytes(head) + body, mtime=0))
