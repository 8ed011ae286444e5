"""What older versions of events lack, and what stands for it: one step per version, for ever."""

from ledger.canonical import Json
from ledger.upcast import Body, upcasts


@upcasts("job.failed", 1)
def job_failed_1(body: Body) -> Body:
    """Version 1 had no code: why it failed stands in the reason alone."""
    return {**body, "code": None}


@upcasts("attempt.executed", 1)
def attempt_executed_1(body: Body) -> Body:
    """Version 1 had no code either."""
    return {**body, "code": None}


@upcasts("job.finished", 1)
def job_finished_1(body: Body) -> Body:
    """Version 1 wrote `bitwise` for every job, whatever it had run on: that says nothing."""
    return {**body, "reproduction": None}


@upcasts("job.lost", 1)
def job_lost_1(body: Body) -> Body:
    """Version 1 was written where the job was to be asked for again, however often."""
    return {**body, "cause": "interrupted"}


@upcasts("run.started", 1)
def run_started_1(body: Body) -> Body:
    """Version 1 said of a program without a checkout that nothing in it was changed."""
    return {**body, "code": _code_1(body.get("code"))}


@upcasts("run.resumed", 1)
def run_resumed_1(body: Body) -> Body:
    """Version 1 named the list of packages without keeping it."""
    code = _code_1(body.get("code"))
    return {**body, "code": {**code, "lock": None} if isinstance(code, dict) else code}


@upcasts("run.finished", 1)
def run_finished_1(body: Body) -> Body:
    """Version 1 called a run refused also where only a flag stood in the way."""
    return body


@upcasts("stage.round_opened", 1)
def round_opened_1(body: Body) -> Body:
    """Version 1 knew no training that was longer than its lane's."""
    slots = body.get("slots")
    if not isinstance(slots, list):
        return body

    return {**body, "slots": [{"steps": 0, "units": 0, **s} for s in slots if isinstance(s, dict)]}


@upcasts("task.inventory_taken", 1)
def inventory_taken_1(body: Body) -> Body:
    """Version 1 did not count voxels; 0 leaves the limits that follow from them as they were."""
    return {**body, "voxels": 0}


def _code_1(code: Json) -> Json:
    if isinstance(code, dict) and code.get("commit") is None:
        return {**code, "dirty": None}

    return code
