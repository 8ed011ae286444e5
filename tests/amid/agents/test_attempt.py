"""Reading attempt.toml: what is kept, and what each mistake is told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amid.agents.attempt import read
from runtime.errors import AttemptRefused

GOOD = """\
lane = "intensity-prior"
description = "intensity-prior: w_like=1"
train = ["python", "train.py"]
predict = ["python", "lib/predict.py", "--fast"]
members = []

[params]
w_like = 1.0

[[claims]]
metric = "dice"
value = 0.85
"""


def test_a_whole_file_is_read() -> None:
    manifest = read(GOOD.encode())

    assert manifest.lane == "intensity-prior"
    assert manifest.train == ("python", "train.py")
    assert manifest.predict == ("python", "lib/predict.py", "--fast")
    assert manifest.members == ()
    assert manifest.claims == (("dice", "0.85"),)


def test_train_members_params_and_claims_may_be_left_out() -> None:
    manifest = read(b'lane = "x"\ndescription = "d"\npredict = ["python", "p.py"]\n')

    assert (manifest.train, manifest.members, manifest.claims) == ((), (), ())


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("predict =", "predikt =", "did you mean 'predict'"),
        ("predict =", "zzz =", "use one of lane, description"),
        ('"lib/predict.py"', '"/bin/x.py"', "predict names '/bin/x.py'"),
        ('"lib/predict.py"', '"../x.py"', "inside the tree"),
        ('"lib/predict.py"', '"-c"', "inside the tree"),
        ('"lib/predict.py"', '"run.sh"', "inside the tree"),
        ('["python", "train.py"]', '["sh", "train.py"]', 'train must start with "python"'),
        ('["python", "train.py"]', '"python train.py"', "train must be a list of words"),
        ('["python", "train.py"]', '["python"]', "train must start"),
        ('["python", "lib/predict.py", "--fast"]', "[]", "predict must start"),
        ('lane = "intensity-prior"', 'lane = "Not A Lane"', "lane must name the lane"),
        ('lane = "intensity-prior"', "", "lane must name the lane"),
        ('description = "intensity-prior: w_like=1"', 'description = ""', "description must"),
        ("w_like=1", "w_like=1\\n", "description must be one line"),
        ("w_like=1", "x" * 500, "at most 400"),
        ("w_like=1", "e\u0301", "loose accents"),
        ("w_like=1", "e\\u0301", "loose accents"),
        ('"--fast"', '"e\u0301"', "loose accents"),
        ("members = []", 'members = ["../x"]', "not an attempt id"),
        ("members = []", 'members = ["a-b-r1s1t1", "a-b-r1s1t1"]', "names an attempt twice"),
        ("members = []", 'members = ["a-b-r1s1t1"]', r"train must be \[\]"),
        ("value = 0.85", "value = nan", "claim a finite number"),
        ("value = 0.85", 'value = "good"', "not a number"),
        ("value = 0.85", "value = true", "needs a number"),
        ("value = 0.85", "valu = 1", "did you mean 'value'"),
        ('metric = "dice"', "metric = 1", "needs the name of a metric"),
        ("value = 0.85", f"value = {'9' * 400}", "not a number"),
        ("value = 0.85", f"value = {'9' * 5000}", "cannot be read"),
        ("value = 0.85", f"value = {'[' * 6000}{']' * 6000}", "cannot be read"),
        ('metric = "dice"', f'metric = "{"d" * 101}"', "more than 100 characters"),
        ("value = 0.85", "value = 1" + '\n[[claims]]\nmetric = "a"\nvalue = 1' * 33, "at most 32"),
        ('"--fast"', f'"{"x" * 8200}"', "at most 8192 bytes"),
        ("[params]", "[params", "not TOML"),
        ("[params]\nw_like = 1.0", 'params = "x"', r"must be a table \[params\]"),
    ],
)
def test_each_mistake_is_named(old: str, new: str, says: str) -> None:
    assert old in GOOD

    with pytest.raises(AttemptRefused, match=says):
        read(GOOD.replace(old, new).encode())


def test_other_bytes_are_refused() -> None:
    with pytest.raises(AttemptRefused, match=r"byte 0 is no UTF-8"):
        read(b"\xff\xfe")


@given(st.binary(max_size=200))
def test_nothing_but_a_refusal_comes_out_of_any_bytes(content: bytes) -> None:
    with pytest.raises(AttemptRefused):
        read(content)
