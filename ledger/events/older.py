"""What older versions of events lack, and what stands for it: one step per version, for ever."""

from ledger.upcast import Body, upcasts


@upcasts("job.failed", 1)
def job_failed_1(body: Body) -> Body:
    """Version 1 had no code: why it failed stands in the reason alone."""
    return {**body, "code": None}
