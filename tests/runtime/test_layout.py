"""Inputs are laid out by copy, each at one place, and never outside `in/`."""

from pathlib import Path
from typing import Any

import pytest

from ledger.events.job import Input
from runtime.layout import Laid, lay_out_inputs, plan, read_manifest, write_manifest
from runtime.ports import OutputFile
from tests.runtime.test_jobspec import request

MODEL = OutputFile(path="model.npz", digest="a" * 64, bytes=3)
MASK = OutputFile(path="predictions/c-0001.nii.gz", digest="b" * 64, bytes=3)
OUTPUTS = {"1" * 64: (MODEL,), "2" * 64: (MASK, MODEL)}


def listed(given: Input) -> tuple[OutputFile, ...]:
    """Stand in for the manifest blobs."""
    return OUTPUTS[given.digest]


def laid(**changes: Any) -> tuple[Laid, ...]:  # noqa: ANN401 - any field of the event
    """Plan a job with some fields changed."""
    return plan(request(**changes), code={"train.py": "c" * 64}, outputs=listed)


def test_code_and_model_have_their_places() -> None:
    """A predict job finds the commit and the train job's outputs."""
    inputs = (
        Input(kind="code", name="a-1", digest="d" * 64),
        Input(kind="outputs", name="model", digest="1" * 64),
        Input(kind="view", name="predict/f1", digest="e" * 64),
    )
    assert laid(kind="predict", inputs=inputs) == (
        Laid("code/train.py", "c" * 64),
        Laid("model/model.npz", "a" * 64),
    )


def test_the_decoder_gets_predictions_only() -> None:
    """Whatever else a hostile job left behind stays out of the decoder's sandbox."""
    inputs = (Input(kind="outputs", name="predictions/f1", digest="2" * 64),)
    assert laid(kind="decode", inputs=inputs) == (Laid("predictions/f1/c-0001.nii.gz", "b" * 64),)


def test_two_inputs_cannot_claim_one_path() -> None:
    """A layout that depended on order would not be reproducible."""
    inputs = (
        Input(kind="blob", name="x", digest="1" * 64),
        Input(kind="blob", name="x", digest="2" * 64),
    )
    with pytest.raises(ValueError, match="two inputs"):
        laid(inputs=inputs)


def test_an_input_cannot_leave_its_folder() -> None:
    """A name with `..` is refused before anything is written."""
    with pytest.raises(ValueError, match="laid at"):
        laid(inputs=(Input(kind="blob", name="../x", digest="1" * 64),))


def write_digest(digest: str, path: Path) -> None:
    """Stand in for the blob store: a blob's bytes are its digest."""
    path.write_text(digest)


def test_files_are_copied_to_where_the_plan_says(tmp_path: Path) -> None:
    """The copy function is told a digest and a path whose folder exists."""
    lay_out_inputs(
        request(inputs=(Input(kind="blob", name="deep/x", digest="1" * 64),)),
        tmp_path / "job",
        code={},
        outputs=listed,
        copy=write_digest,
    )
    assert (tmp_path / "job/in/deep/x").read_text() == "1" * 64
    assert (tmp_path / "job/tmp").is_dir()


def test_a_manifest_reads_back() -> None:
    """Rows are sorted by path."""
    assert read_manifest(write_manifest((MASK, MODEL))) == (MODEL, MASK)


@pytest.mark.parametrize("content", [b"{", b"[1]", b"{}x", b'[{"path":"a"}]'])
def test_bytes_that_are_no_manifest_are_named(content: bytes) -> None:
    """The reader says what it expected."""
    with pytest.raises(ValueError, match="not a manifest"):
        read_manifest(content)


def test_a_manifest_cannot_name_a_path_outside() -> None:
    """Checked on reading, so that no user of it can forget."""
    with pytest.raises(ValueError, match="leaves"):
        read_manifest(b'[{"path":"../x","digest":"","bytes":0}]')
