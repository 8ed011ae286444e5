"""Re-decide: put the recorded outcomes through today's deciders and compare what they decide."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

from ledger.events.base import Fact
from ledger.events.job import JobLost
from ledger.events.run import RunPaused, RunResumed, WriterAcquired
from ledger.events.union import dump
from ledger.events.work import SessionLost
from projections.run import RunState
from replay.story import Story
from runtime.decide import DECISIONS, Context, decide

_INTERRUPTION = (WriterAcquired, RunResumed, RunPaused, JobLost, SessionLost)
"""Events of a process coming and going; they may stand between an outcome and its decisions."""


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first place where today's deciders part from the record."""

    seq: int
    """Sequence number of the recorded event, or of the end of the log plus one."""
    decider: str
    says: str


@dataclass(frozen=True, slots=True)
class Redecided:
    """The answer of `amid replay RUN`."""

    events: int
    decisions: int
    outcomes: int
    divergence: Divergence | None

    @property
    def ok(self) -> bool:
        """True when every recorded decision was decided again."""
        return self.divergence is None

    @property
    def says(self) -> str:
        """The answer in one line."""
        if self.divergence is None:
            return (
                f"no divergence: {self.decisions} decisions were decided again"
                f" from {self.outcomes} outcomes"
            )

        return f"diverges at event {self.divergence.seq}, decider {self.divergence.decider}"

    @property
    def problems(self) -> tuple[str, ...]:
        """What differs, in words."""
        return () if self.divergence is None else (self.divergence.says,)

    def to_json(self) -> Mapping[str, object]:
        """Return the answer in plain JSON types."""
        return asdict(self)


@dataclass(slots=True)
class _Replay:
    """A walk along the log: the state so far and the batch today's deciders want next."""

    context: Context
    state: RunState
    story: Story = field(default_factory=Story)
    decider: str = ""
    wanted: tuple[Fact, ...] = ()
    decisions: int = 0

    def ask(self) -> None:
        """Let the deciders speak, unless their last batch is not used up."""
        started = self.state.task.split is not None

        if not self.wanted and started and self.state.task.finished is None:
            self.decider, self.wanted = decide(self.state, self.context)

    def take(self, event: Fact) -> str:
        """Take in the next recorded event; return what is wrong with it, or nothing."""
        if faults := self.story.take(event):
            return f"{event.type} does not follow: {faults[0]}"

        self.ask()

        if self.wanted and event == self.wanted[0]:
            self.wanted = self.wanted[1:]
            self.decisions += 1
        elif event.type in DECISIONS:
            return self._differs(event)
        elif isinstance(event, _INTERRUPTION):
            self.wanted = ()
        elif self.wanted:
            return f"today {self.wanted[0].type} is decided before {event.type} comes in"

        self.state.apply(event)
        return ""

    def _differs(self, event: Fact) -> str:
        if not self.wanted:
            return f"{event.type} is recorded, today nothing is decided here"

        today = self.wanted[0]

        if today.type != event.type:
            return f"{event.type} is recorded, today {today.type} is decided"

        was, now = dump(event), dump(today)
        parts = [k for k in sorted(was) if was[k] != now.get(k)]
        shown = "; ".join(f"{k}: recorded {was[k]!r}, today {now.get(k)!r}" for k in parts[:3])
        return f"{event.type} differs in {shown}"


def redecide(events: Sequence[Fact], context: Context) -> Redecided:
    """Decide a recorded run again, from its outcomes alone.

    Args:
        events: The whole log in order.
        context: Policy, domain and blobs to decide with.
    """
    walk = _Replay(context, RunState())

    for seq, event in enumerate(events, start=1):
        wrong = walk.take(event)

        if wrong:
            name = walk.decider or "none"
            return _answer(events, walk, Divergence(seq, name, wrong))

    return _answer(events, walk, None)


def _answer(events: Sequence[Fact], walk: _Replay, divergence: Divergence | None) -> Redecided:
    return Redecided(
        events=len(events),
        decisions=walk.decisions,
        outcomes=len(events) - walk.decisions,
        divergence=divergence,
    )


__all__ = ["DECISIONS", "Divergence", "Redecided", "redecide"]
