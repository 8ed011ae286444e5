# ruff: noqa: T201, UP006, UP035 - prints its answer, and runs on older Pythons
"""Run the frozen code of this package again on a folder of images.

    python predict.py IMAGES OUT

IMAGES holds one file per case, `<case>.nii.gz` (also .nii, .mha, .nrrd); with several channels one
file per case and channel, `<case>_<channel>.nii.gz`. OUT must not exist; it gets `<case>.nii.gz`,
a label map on the grid of the image. predict.json lists the steps: each model of each member, then
their average. Every step is a process of the Python that runs this file, in a folder of its own,
with the words and environment that the recorded job had.

The steps run the package's code WITHOUT a sandbox: read `code/` first, or use a machine for it.
Needs the packages of environment.json and, for this file itself, the standard library only.
Exit codes: 0 done, 2 wrong use, 5 a step failed.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Dict, List

SUFFIXES = (".nii.gz", ".nii", ".mha", ".nrrd")
Json = Dict[str, Any]


class WrongUse(Exception):
    """The folder of images cannot be used as it is."""


def cases_in(images: Path, channels: List[str]) -> Dict[str, Dict[str, Path]]:
    """Return the file of every channel of every case."""
    cases: Dict[str, Dict[str, Path]] = {}
    for file in sorted(images.iterdir()):
        suffix = next((s for s in SUFFIXES if file.name.endswith(s)), None)
        if suffix is None:
            continue
        case, channel = file.name[: -len(suffix)], channels[0]
        if len(channels) > 1:
            case, _, channel = case.rpartition("_")
        if case and channel in channels:
            cases.setdefault(case, {})[channel] = file
    for case, files in cases.items():
        for channel in channels:
            if channel not in files:
                raise WrongUse(f"case {case} has no file {case}_{channel} in {images}")
    if not cases:
        raise WrongUse(f"no images ({', '.join(SUFFIXES)}) in {images}")
    return cases


def lay_out_view(cases: Dict[str, Dict[str, Path]], view: Path, labels: Json) -> Dict[str, str]:
    """Copy the images to where the code looks for them; return alias to case."""
    (view / "images").mkdir(parents=True)
    names, rows = {}, []
    for number, (case, files) in enumerate(sorted(cases.items()), start=1):
        alias = f"c-{number:04d}"
        names[alias] = case
        images = {}
        for channel, file in files.items():
            suffix = next(s for s in SUFFIXES if file.name.endswith(s))
            images[channel] = f"images/{alias}_{channel}{suffix}"
            shutil.copyfile(file, view / images[channel])
        rows.append({"case": alias, "images": images, "label": None})
    content = {"view": "predict/all", "labels": labels, "cases": rows}
    (view / "cases.json").write_text(json.dumps(content, sort_keys=True), "utf-8")
    return names


def run_step(package: Path, folder: Path, step: Json, done: Dict[str, Path]) -> None:
    """Run one recorded job on the new images; its outputs are in `out` below its folder."""
    for name in ("out", "tmp"):
        (folder / name).mkdir(parents=True)
    shutil.copytree(package / "code" / step["attempt"], folder / "in" / "code")
    for name, source in step["inputs"].items():
        given = done[source["step"]] if "step" in source else package / str(source["weights"])
        if (given / "WITHHELD.txt").is_file():
            raise WrongUse(f"{name} of {step['attempt']} is withheld: it holds images")
        if given.is_dir():
            shutil.copytree(given, folder / "in" / name)
        else:  # a model without files
            (folder / "in" / name).mkdir(parents=True)
    job = {"schema": "job/1", "kind": "predict", "subject": step["attempt"], "fold": step["fold"]}
    (folder / "job.json").write_text(json.dumps(job, sort_keys=True), "utf-8")
    script, *rest = step["command"][1:]
    words = [sys.executable, "-s", "-B", "in/code/" + script, *rest]
    environment = dict(step["environment"])
    for name in ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH"):
        if name in os.environ:
            environment[name] = os.environ[name]
    subprocess.run(words, cwd=folder, env=environment, check=True)


def predict(package: Path, images: Path, out: Path) -> int:
    """Carry out every step and copy the last one's label maps; return how many there are."""
    plan: Json = json.loads((package / "predict.json").read_text("utf-8"))
    cases = cases_in(images, plan["channels"])
    with tempfile.TemporaryDirectory() as place:
        work = Path(place)
        names = lay_out_view(cases, work / "view", plan["labels"])
        done: Dict[str, Path] = {}
        for step in plan["steps"]:
            print(f"step {len(done) + 1} of {len(plan['steps'])}: {step['name']}", file=sys.stderr)
            last = work / step["name"].replace("/", "-")
            run_step(package, last, step, done)
            done[step["name"]] = last / "out"
        out.mkdir(parents=True)
        for alias, case in names.items():
            shutil.copyfile(last / "out/predictions" / f"{alias}.nii.gz", out / f"{case}.nii.gz")
    return len(names)


def main(words: List[str]) -> int:
    """Read the command line and say what was done."""
    if len(words) != 2:
        print("usage: python predict.py IMAGES OUT (a folder; a new one)", file=sys.stderr)
        return 2
    try:
        if not Path(words[0]).is_dir():
            raise WrongUse(f"there is no folder {words[0]}")
        if Path(words[1]).exists():
            raise WrongUse(f"{words[1]} exists: name a folder that does not")
        count = predict(Path(__file__).resolve().parent, Path(words[0]), Path(words[1]))
    except WrongUse as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 2
    except (subprocess.CalledProcessError, OSError) as problem:
        print(f"error: a step failed: {problem}", file=sys.stderr)
        return 5
    print(f"{count} label maps in {words[1]}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
