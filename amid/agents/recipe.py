"""The built-in agent: no model, only rules. It writes a template, reads verdicts, mends and varies.

It goes through the same port, worktrees and events as every other backend.
"""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from amid.agents import ensemble, search
from amid.agents.faults import plant
from amid.agents.repair import Rule, answer
from amid.agents.writing import Attempt, manifest, write
from amid.planning.kind import PlanningPart, planning_part
from amid.planning.template import Template, Value
from amid.tasks.kinds import contract_part
from runtime.ports import Brief, Reading, Turn


class RecipeAgent:
    """Implements `runtime.ports.Agent`."""

    def __init__(self, *, fault: str | None = None) -> None:
        """Make an agent.

        Args:
            fault: name of a deliberate mistake in first attempts; for tests of the repair loop.
        """
        self._fault = fault

    @property
    def name(self) -> str:
        """The backend's name."""
        return "recipe"

    async def edit(self, brief: Brief, reading: Reading, worktree: Path) -> Turn:
        """Write code and `attempt.toml` into the worktree for one turn.

        The turn is failed, and the worktree as it was, where no rule leads to a new attempt.
        """
        began = time.perf_counter_ns()
        log = [f"{brief.worker}: {brief.role} on lane {brief.lane}, turn {brief.turn}"]

        try:
            plan = _plan(brief, reading, worktree)
            log += plan.because
            changed = self._hand_in(plan, brief, worktree)
        except _NothingToDo as stop:
            return _turn([*log, f"nothing handed in: {stop}"], began, failed=str(stop))

        return _turn([*log, f"attempt: {plan.attempt.description}", *changed], began)

    def _hand_in(self, plan: "_Plan", brief: Brief, worktree: Path) -> tuple[str, ...]:
        files = plan.attempt.template.files()

        if self._fault is not None and not brief.past:
            files = plant(self._fault, files)

        files["attempt.toml"] = manifest(plan.attempt)

        return write(worktree, files)


@dataclass(frozen=True, slots=True)
class _Plan:
    attempt: Attempt
    because: tuple[str, ...]


class _NothingToDo(Exception):
    """No rule leads to a new attempt; the text says why."""


def _plan(brief: Brief, reading: Reading, worktree: Path) -> _Plan:
    asked = planning_part(_kind(reading))
    template = asked.TEMPLATES.get(brief.template)

    if template is None:
        known = ", ".join(sorted(asked.TEMPLATES))
        raise _NothingToDo(f"there is no template {brief.template!r} to write; known: {known}")

    if brief.role == "finalizer":
        return _finalize(brief, reading, asked, template)

    start = _starts(asked, reading, template)
    last = brief.past[-1] if brief.past else None

    if last is not None and last.verdict == "reject":
        return _repair(brief, reading, template, start, worktree)

    if brief.longer and len(brief.past) == 1 and last is not None:
        params = search.recall(template, last.description) or start
        return _chosen(brief, template, params, (f"{last.attempt} again, in more steps",))

    if last is None and brief.role not in ("challenger", "optimizer"):
        return _chosen(brief, template, start, ("first attempt: the template's own parameters",))

    return _vary(brief, reading, template, start, ())


def _chosen(
    brief: Brief,
    template: Template,
    params: Mapping[str, Value],
    because: tuple[str, ...],
) -> _Plan:
    description = search.describe(template.name, params)

    return _Plan(Attempt(brief.lane, description, template, params), because)


def _repair(
    brief: Brief, reading: Reading, template: Template, start: search.Choice, worktree: Path
) -> _Plan:
    """Mend code first and keep the parameters; vary only what no code explains."""
    last = brief.past[-1]
    rules = answer(last.codes)
    because = tuple(f"{code}: {rule.because}" for code, rule in rules)
    stopped = [code for code, rule in rules if rule.remedy == "stop"]

    if stopped or not rules:
        codes = ", ".join(stopped) or "no reason code"
        raise _NothingToDo(f"{last.attempt} was rejected with {codes}: no rule mends that")

    params = search.recall(template, last.description) or start
    mended = _chosen(brief, template, params, because)
    named = _files(rules)
    files = {**template.files(), "attempt.toml": manifest(mended.attempt)}

    if _differs(worktree, files, named):
        return mended

    if any(rule.remedy == "vary" for _, rule in rules):
        return _vary(brief, reading, template, start, because)

    raise _NothingToDo(f"{', '.join(named)} already does what the verdict asks for")


def _files(rules: Sequence[tuple[str, Rule]]) -> tuple[str, ...]:
    """Return the files that the rules rewrite."""
    named = [name for _, rule in rules for name in rule.files]

    return tuple(dict.fromkeys(named))


def _vary(
    brief: Brief,
    reading: Reading,
    template: Template,
    start: search.Choice,
    because: tuple[str, ...],
) -> _Plan:
    maximize = _metric(reading).get("direction") != "minimize"
    best = search.best_of(template, brief.past, maximize=maximize)
    centre = None if best is None else search.recall(template, best.description)
    tried = [search.recall(template, one.description) for one in brief.past]
    # the defaults of a lane are what its first explorer handed in
    tried.append(dict(start))

    for params in search.nearby(template, centre or start, brief.slot):
        if params not in tried:
            around = "the template's parameters" if best is None else best.attempt
            return _chosen(brief, template, params, (*because, f"a step away from {around}"))

    raise _NothingToDo("every combination of parameters near the best attempt was tried")


def _finalize(brief: Brief, reading: Reading, asked: PlanningPart, template: Template) -> _Plan:
    own = [one for one in brief.past if one.attempt.startswith(f"a-{brief.worker[2:]}t")]
    members = [one for one in brief.past if one.verdict == "accept" and one not in own]

    if not members:
        raise _NothingToDo("there is no accepted attempt to average")

    metric = str(_metric(reading).get("primary", ""))
    share = contract_part(_kind(reading)).is_share(metric)
    shares, rule = ensemble.weights(members, bounded=share)

    if own:
        shares, rule = {max(shares, key=lambda name: shares[name]): 1.0}, "the best member alone"

    description = ensemble.describe(template.name, shares)

    if description in [one.description for one in own]:
        raise _NothingToDo("the average and the best member alone were both handed in")

    start = _starts(asked, reading, template)
    attempt = Attempt(brief.lane, description, template, start, shares)

    return _Plan(attempt, (f"weights: {rule}",))


def _starts(asked: PlanningPart, reading: Reading, template: Template) -> dict[str, Value]:
    return asked.starts(template, asked.parse(reading.profile.encode()))


def _kind(reading: Reading) -> str:
    return str(json.loads(reading.contract)["task"]["kind"])


def _metric(reading: Reading) -> Mapping[str, object]:
    metric = json.loads(reading.contract).get("metric", {})

    return metric if isinstance(metric, dict) else {}


def _differs(worktree: Path, files: Mapping[str, str], names: Sequence[str]) -> bool:
    for name in names:
        path = worktree / name

        if name in files and (not path.is_file() or path.read_bytes() != files[name].encode()):
            return True

    return False


def _turn(log: Sequence[str], began: int, failed: str | None = None) -> Turn:
    return Turn(
        transcript=("\n".join(log) + "\n").encode(),
        tokens=0,
        cost_microusd=0,
        wall_ms=(time.perf_counter_ns() - began) // 1_000_000,
        failed=failed,
    )


__all__ = ["RecipeAgent"]
