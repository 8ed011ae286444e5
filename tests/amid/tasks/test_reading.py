"""`task.toml`: what is right is read whole; what is wrong is named, with what was meant."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import BaseModel

from amid.demo import tiny
from amid.errors import AmidError, ContractWrong, NotSupported, PathWrong, TaskMissing
from amid.tasks.contract import Contract, seconds
from amid.tasks.reading import load, require_supported
from tests.amid.sample import ROOT

GOLDEN = sorted((ROOT / "tests" / "golden" / "errors" / "task").glob("*.txt"))

MINIMAL = """\
[task]
id = "knee"
kind = "segmentation"
[labels]
background = 0
bone = 1
[metric]
primary = "dice"
direction = "maximize"
"""


def written(folder: Path, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "task.toml").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda path: path.stem)
def test_says_exactly_what_is_wrong(
    golden: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = golden.read_text(encoding="utf-8")
    toml, _, rest = text.removeprefix("=== task.toml\n").partition("=== error, exit ")
    code, _, message = rest.partition("\n")
    written(tmp_path / "knee", toml)
    monkeypatch.chdir(tmp_path)

    with pytest.raises(AmidError) as caught:
        load(Path("knee"))

    assert f"{caught.value}\n" == message
    assert caught.value.exit_code == int(code) == 2
    assert len(message.splitlines()) < 10


def test_every_field_has_a_golden_error() -> None:
    told = {path.stem.split("-")[0] for path in GOLDEN}
    fields = {
        f"{section}.{name}"
        for section, field in Contract.model_fields.items()
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel)
        for name in field.annotation.model_fields
    }

    assert fields <= told
    assert "labels" in told


def test_fills_in_every_default(tmp_path: Path) -> None:
    contract = load(written(tmp_path, MINIMAL))

    assert contract.data.inputs == ("image",)
    assert contract.validation.scheme == "auto"
    assert contract.validation.looks == 12
    assert contract.budget.wall_seconds == 600
    assert contract.sharing.agent_sees == "phantom"
    assert contract.foreground == {"bone": 1}


def test_the_blob_reads_back_and_does_not_depend_on_the_order_of_keys(tmp_path: Path) -> None:
    one = load(written(tmp_path / "a", MINIMAL))
    sections = MINIMAL.split("[")[1:]
    other = load(written(tmp_path / "b", "".join(f"[{part}" for part in reversed(sections))))

    assert one.to_bytes() == other.to_bytes()
    assert Contract.from_bytes(one.to_bytes()) == one


def test_reads_the_tasks_it_ships(tmp_path: Path) -> None:
    small = load(tiny.make(tmp_path / "tiny"))
    real = load(ROOT / "examples" / "hippocampus")

    assert small.foreground == {"left": 1, "right": 2}
    assert real.metric.also == ("hd95", "nsd@1mm")
    assert real.budget.wall_seconds == 900
    assert real.sharing.images_may_be_shared


@pytest.mark.parametrize(
    "metric", ["nsd@1mm", "nsd@0.5mm", "nsd@2.25mm", "hd95.surfel", "hd95", "dice"]
)
def test_knows_the_metrics_of_a_segmentation(tmp_path: Path, metric: str) -> None:
    text = MINIMAL.replace('primary = "dice"', f'primary = "dice"\nalso = ["{metric}"]')

    assert load(written(tmp_path, text)).metric.also == (metric,)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("[metric]", "[budget]\ncpu_hours = inf\n[metric]", "budget.cpu_hours = inf"),
        ("[metric]", "[budget]\nusd = nan\n[metric]", "budget.usd = nan"),
        ("[metric]", '[budget]\nwall = "99999999999d"\n[metric]', "more than 3650d"),
        ("[metric]", '[data]\ncases = "cases.csv\\u0000"\n[metric]', "a relative path"),
        ("[metric]", '[data]\ncases = "."\n[metric]', "a relative path"),
        ("[metric]", '[submission]\nindex = "predictions"\n[metric]', "folder of the predictions"),
        ("[metric]", '[submission]\npath = "{case}.png"\n[metric]', "written as .nii.gz"),
        ("[metric]", '[submission]\ncolumns = {case="a", path="a"}\n[metric]', "its own name"),
        ("[metric]", '[metric]\nalso = ["hd95", "hd95"]', "each metric is named once"),
        ("[metric]", f"[metric]\nalso = {'[' * 6000}{']' * 6000}", "cannot be read"),
        ("[metric]", f"[budget]\ntokens = {'9' * 5000}\n[metric]", "cannot be read"),
    ],
)
def test_refuses_what_would_fail_later(tmp_path: Path, old: str, new: str, says: str) -> None:
    with pytest.raises(ContractWrong, match=re.escape(says)):
        load(written(tmp_path, MINIMAL.replace(old, new, 1)))


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir], ids=["a pipe", "a folder"])
def test_only_a_regular_file_is_read(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "task.toml")

    with pytest.raises(PathWrong):
        load(tmp_path)


@pytest.mark.parametrize(
    ("text", "expected"), [("45s", 45), ("10m", 600), ("1h30m", 5400), ("2d", 172_800)]
)
def test_reads_durations(text: str, expected: int) -> None:
    assert seconds(text) == expected


@pytest.mark.parametrize("text", ["", "0m", "10", "m10", "10m ", "1.5h", "-3m"])
def test_refuses_other_durations(text: str) -> None:
    with pytest.raises(ValueError, match="like 45s"):
        seconds(text)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (('kind = "segmentation"', 'kind = "detection"'), 'task.kind = "detection"'),
        (('kind = "segmentation"', 'kind = "segmentation"\ndimensions = 2'), "dimensions = 2"),
    ],
)
def test_other_kinds_parse_and_are_not_yet_supported(
    tmp_path: Path, change: tuple[str, str], says: str
) -> None:
    text = MINIMAL.replace(*change)
    contract = load(written(tmp_path, text))

    with pytest.raises(NotSupported, match="not yet supported") as caught:
        require_supported(contract)

    assert says in caught.value.what
    assert caught.value.exit_code == 3


def test_a_folder_without_task_is_missing(tmp_path: Path) -> None:
    with pytest.raises(TaskMissing) as caught:
        load(tmp_path / "nowhere")

    assert caught.value.exit_code == 3


def test_refuses_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    (tmp_path / "task.toml").write_bytes(b'[task]\nid = "\xff"\n')

    with pytest.raises(ContractWrong, match="not UTF-8 at byte 13"):
        load(tmp_path)


def test_one_reading_names_the_mistakes_that_others_would_hide(tmp_path: Path) -> None:
    text = """\
[task]
id = "knee"
kind = "segmentation"
[labels]
background = 1
bone = 2
[metric]
primary = "dice"
direction = "minimize"
also = ["auc"]
[validation]
scheme = "column"
looks = "many"
fraction = nan
[budget]
wal = "10m"
[submission]
index = "predictions"
"""

    with pytest.raises(ContractWrong) as caught:
        load(written(tmp_path, text))

    keys = [line.split()[0].rstrip(":") for line in caught.value.listed]
    assert sorted(keys) == [
        "budget.wal", "labels", "metric.also", "metric.direction", "submission",
        "validation", "validation.fraction", "validation.looks",
    ]  # fmt: skip
    assert caught.value.what == "task.toml has 8 mistakes"
    assert "… and 4 more" in str(caught.value)


def test_what_is_wrong_is_told_once(tmp_path: Path) -> None:
    text = MINIMAL.replace('kind = "segmentation"', 'kind = "segmentatoin"')
    text = text.replace('primary = "dice"', "primary = 3").replace("bone = 1", 'bone = "x"')

    with pytest.raises(ContractWrong) as caught:
        load(written(tmp_path, text))

    assert [line.split()[0] for line in caught.value.listed] == [
        "task.kind", "labels.bone", "metric.primary",
    ]  # fmt: skip
