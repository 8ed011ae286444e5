"""What every decider is given besides the state."""

from collections.abc import Callable
from dataclasses import dataclass

from ledger.events.base import Fact
from projections.run import RunState
from runtime.policy import Policy
from runtime.ports import Domain


@dataclass(frozen=True, slots=True)
class Context:
    """The policy in force, the domain's pure functions, and blobs by their digest."""

    policy: Policy
    domain: Domain
    read: Callable[[str], bytes]
    """Content-addressed, so it gives the same answer for ever."""


Decider = Callable[[RunState, Context], tuple[Fact, ...]]
