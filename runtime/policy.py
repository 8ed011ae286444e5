"""The thresholds that deciders go by. A run records the ones it was started with."""

from dataclasses import dataclass, fields
from typing import Self, cast

from ledger.events.job import Limits
from projections.task import TaskState
from runtime.ports import Sandbox


@dataclass(frozen=True, slots=True)
class Policy:
    """Every number a decider reads that is not in the task contract."""

    share_explore: int = 50
    """Percent of the units for stage 1."""
    share_exploit: int = 35
    share_finalize: int = 15
    explorer_turns: int = 2
    optimizer_turns: int = 2
    challenger_turns: int = 1
    repair_turns: int = 1
    finalizer_turns: int = 2
    min_accepted: int = 1
    """Accepted attempts that cover a lane."""
    promote_most: int = 2
    members_most: int = 3
    """Candidates the finalizer averages."""
    losses_most: int = 3
    """Times a job may be lost by its own end before it is given up, in one go of the run."""
    workers: int = 2
    """Workers in one round."""
    agent: str = "recipe"
    sandbox: Sandbox = "landlock"
    job_wall_s: int = 3600
    job_memory_mib: int = 8192
    job_output_mib: int = 2048
    job_processes: int = 64
    predict_base_mib: int = 256
    """What a predict or decode job may keep on disk besides what its images account for."""
    predict_voxel_bytes: int = 64
    """Bytes for each voxel of the task's images: a few classes' scores beside the answer."""

    def predicted_mib(self, voxels: int) -> int:
        """Return what a predict or decode job may keep on disk, by the voxels of the images."""
        if not voxels:
            return self.job_output_mib

        return self.predict_base_mib + (voxels * self.predict_voxel_bytes >> 20)

    def limits(
        self, *, threads: int = 1, wall_s: int | None = None, output_mib: int | None = None
    ) -> Limits:
        """Return the limits of one job; CPU time covers what follows a stop at a checkpoint."""
        wall = self.job_wall_s if wall_s is None else wall_s
        return Limits(
            wall_s=wall,
            cpu_s=self.job_wall_s * max(1, threads),
            memory_mib=self.job_memory_mib,
            output_mib=self.job_output_mib if output_mib is None else output_mib,
            processes=self.job_processes,
        )

    def to_settings(self) -> dict[str, str]:
        """Return every threshold as text, named `policy.<field>`."""
        return {f"policy.{f.name}": str(getattr(self, f.name)) for f in fields(self)}

    @classmethod
    def recorded(cls, task: TaskState) -> Self:
        """Return the policy a run was started with; defaults where it recorded none."""
        default = cls()
        given: dict[str, object] = {}

        for f in fields(cls):
            was = getattr(default, f.name)
            text = task.setting(f"policy.{f.name}", str(was))
            given[f.name] = int(text) if isinstance(was, int) else text

        return cls(**cast("dict[str, int]", given))  # type: ignore[arg-type]
