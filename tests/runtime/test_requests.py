"""How large the outputs of a job may be follows from the images it answers for."""

from random import Random

import pytest

from ledger.events.job import JobRequested
from runtime.policy import Policy
from tests.runtime.pure import Pure
from tests.runtime.world import World


def test_predict_and_decode_jobs_may_keep_what_their_images_account_for() -> None:
    """Given a run over 4 Mi voxels, then a prediction may take 64 bytes for each, and a base."""
    played = Pure(World()).play(Random(1))
    asked = [event for event in played.log if isinstance(event, JobRequested)]
    limits = {kind: {r.limits.output_mib for r in asked if r.kind == kind} for kind in KINDS}

    assert limits == {"train": {2048}, "predict": {512}, "decode": {512}}
    decode = next(request for request in asked if request.kind == "decode")
    assert decode.inputs[-1].name == "inventory.json"


KINDS = ("train", "predict", "decode")


@pytest.mark.parametrize(
    ("voxels", "most"), [(0, 2048), (1, 256), (1 << 20, 320), (1 << 32, 262400)]
)
def test_the_limit_by_voxels(voxels: int, most: int) -> None:
    """Given a run of an earlier version, which counted none, then the limit is as it was."""
    assert Policy().predicted_mib(voxels) == most
