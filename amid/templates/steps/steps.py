"""Trains a network in counted steps: the part that networks of every kind share.

With one seed, one number of threads and one kind of CPU, the same weights come out to the bit.
"""

import math
import os
from collections.abc import Callable, Iterator
from pathlib import Path

# before torch is loaded: threads that wait sleep, where spinning would take a busy machine's cores
# from the threads that are waited for (a step took a third of the time beside other programs)
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

import torch
from torch import Tensor, nn

STEPS = int(os.environ.get("AMID_STEPS") or 0)
STOP_AT = os.environ.get("AMID_STOP_AT", "")
ASK = Path("ask/stop")
"""Made by the runtime in the job's folder when the time for a training is over."""
THREADS = int(os.environ.get("AMID_THREADS") or 1)
CHECKPOINTS = 10
"""A training may end early only at one of so many moments, so that it can be repeated."""
WARM_UP = 0.05
"""Share of the steps over which the learning rate rises."""
MEMORY = 0.99
"""Of the running mean of the weights, which is what is kept and used."""
STEEPEST = 5.0
"""Longer gradients are cut to this length."""


def settle(seed: int) -> torch.device:
    """Seed and bind everything that could make two runs differ, and choose the device."""
    torch.set_num_threads(THREADS)
    torch.set_num_interop_threads(1)
    torch.manual_seed(seed)
    gpu = torch.cuda.is_available()
    # some operations have no repeatable form on a GPU: there, they warn
    torch.use_deterministic_algorithms(mode=True, warn_only=gpu)
    torch.backends.cudnn.benchmark = False

    return torch.device("cuda" if gpu else "cpu")


def checkpoints(done: int, steps: int) -> Iterator[int]:
    """Yield the numbers of the checkpoints that lie right after `done` of `steps` steps."""
    for number in range(1, CHECKPOINTS + 1):
        if round(number * steps / CHECKPOINTS) == done:
            yield number


def asked_to_stop(number: int) -> bool:
    """Say whether the training is to end at this checkpoint: by a file now, or by what was said."""
    return str(number) == STOP_AT or ASK.exists()


class Learner:
    """A network on its way through a fixed number of steps."""

    def __init__(
        self,
        net: nn.Module,
        steps: int,
        rate: float,
        loss: Callable[[Tensor, Tensor], Tensor],
        decay: float = 1e-2,
    ) -> None:
        """Take a network and what is to become small; `decay` pulls weights towards zero."""
        self._net = net.train()
        self._steps = steps
        self._rate = rate
        self._loss = loss
        self._done = 0
        self._optimizer = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=decay)
        self._kept = {name: part.detach().clone() for name, part in net.state_dict().items()}

    def step(self, images: Tensor, labels: Tensor) -> float:
        """Learn from one batch; return its loss."""
        for group in self._optimizer.param_groups:
            group["lr"] = self._rate * pace(self._done, self._steps)

        wrong = self._loss(self._net(images), labels)
        self._optimizer.zero_grad(set_to_none=True)
        wrong.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self._net.parameters(), STEEPEST)
        self._optimizer.step()
        self._done += 1
        self._keep()

        return float(wrong.detach())

    def weights(self) -> dict[str, Tensor]:
        """Return the running mean of the weights."""
        return {name: part.cpu().contiguous() for name, part in self._kept.items()}

    def _keep(self) -> None:
        """Move the mean towards the weights, faster at first."""
        part = 1 - min(MEMORY, (1 + self._done) / (10 + self._done))

        with torch.no_grad():
            for name, now in self._net.state_dict().items():
                if now.is_floating_point():
                    self._kept[name].lerp_(now, part)
                else:
                    self._kept[name].copy_(now)


def pace(done: int, steps: int) -> float:
    """Return the share of the learning rate at a step: up in a line, then down as a cosine."""
    rise = max(1, round(WARM_UP * steps))

    if done < rise:
        return (done + 1) / rise

    return 0.5 * (1 + math.cos(math.pi * (done - rise) / max(1, steps - rise)))
