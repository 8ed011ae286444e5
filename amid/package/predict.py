# ruff: noqa: T201, UP006, UP035 - prints its answer, and runs on older Pythons
"""Run the frozen code of this package again on a folder of images.

    python predict.py IMAGES OUT

IMAGES holds one file per case, named `<case>` with one of the suffixes of predict.json; with
several channels one file per case and channel, `<case>_<channel>`. OUT must not exist; it gets the
answers under the names of the cases: a file for each, or one table. predict.json lists the steps:
each model of each member, then their average. Every step is a process of the Python that runs this
file, in a folder of its own, with the words and environment that the recorded job had.

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

Json = Dict[str, Any]


class WrongUse(Exception):
    """The folder of images cannot be used as it is."""


def cases_in(images: Path, channels: List[str], suffixes: List[str]) -> Dict[str, Dict[str, Path]]:
    """Return the file of every channel of every case."""
    cases: Dict[str, Dict[str, Path]] = {}
    for file in sorted(images.iterdir()):
        suffix = next((s for s in suffixes if file.name.endswith(s)), None)
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
        raise WrongUse(f"no images ({', '.join(suffixes)}) in {images}")
    return cases


def lay_out_view(cases: Dict[str, Dict[str, Path]], view: Path, plan: Json) -> Dict[str, str]:
    """Copy the images to where the code looks for them; return alias to case."""
    (view / "images").mkdir(parents=True)
    names, rows = {}, []
    for number, (case, files) in enumerate(sorted(cases.items()), start=1):
        alias = f"c-{number:04d}"
        names[alias] = case
        images = {}
        for channel, file in files.items():
            suffix = next(s for s in plan["suffixes"] if file.name.endswith(s))
            images[channel] = f"images/{alias}_{channel}{suffix}"
            shutil.copyfile(file, view / images[channel])
        rows.append({"case": alias, "images": images, "label": None})
    content = {
        "view": "predict/all",
        "labels": plan["labels"],
        "several": plan["several"],
        "cases": rows,
    }
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


def hand_over(made: Path, out: Path, answer: Dict[str, str], names: Dict[str, str]) -> None:
    """Copy what the last step left under the names of the cases."""
    if answer["form"] == "table":
        head, *rows = (made / answer["path"]).read_text("utf-8").splitlines()
        cells = [row.split(",", 1) for row in rows]
        lines = [head, *sorted(f"{names[case]},{rest}" for case, rest in cells)]
        (out / answer["name"]).write_text("\n".join(lines) + "\n", "utf-8")
        return
    for alias, case in names.items():
        source = made / answer["path"].replace("{case}", alias)
        shutil.copyfile(source, out / answer["name"].replace("{case}", case))


def predict(package: Path, images: Path, out: Path) -> int:
    """Carry out every step and hand over what the last one left; return how many cases."""
    plan: Json = json.loads((package / "predict.json").read_text("utf-8"))
    cases = cases_in(images, plan["channels"], plan["suffixes"])
    with tempfile.TemporaryDirectory() as place:
        work = Path(place)
        names = lay_out_view(cases, work / "view", plan)
        done: Dict[str, Path] = {}
        for step in plan["steps"]:
            print(f"step {len(done) + 1} of {len(plan['steps'])}: {step['name']}", file=sys.stderr)
            last = work / step["name"].replace("/", "-")
            run_step(package, last, step, done)
            done[step["name"]] = last / "out"
        out.mkdir(parents=True)
        hand_over(last / "out", out, plan["answer"], names)
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
    print(f"{count} cases in {words[1]}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
