"""One line for each event: what `amid tail` says. Total over the catalogue and beyond it.

A sentence is a template over the fields of the event's body. Digests are cut to twelve characters,
tuples are joined, nested parts are told by `_part`.
"""

import json
from collections.abc import Mapping
from string import Formatter
from typing import Any

from amid.words.scores import bracketed
from amid.words.tables import shortened

SENTENCES: Mapping[str, str] = {
    "access.recorded": "job {key}: {opened} opened, {denied_total} denied ({recorder}): {denied}",
    "attempt.executed": "{attempt} is {outcome} [{assurance}] {reason}",
    "attempt.submitted": "{attempt}: {description} (lane {lane}, commit {commit}, {units} units)",
    "attempt.voided": "{attempt} does not count any more: {because}",
    "budget.exhausted": "{stage} has nothing left to spend: {because}",
    "budget.spent": "{units} units booked on {subject} in {stage}",
    "commit.frozen": "{worker} turn {turn}: commit {commit}: {message}",
    "data.profiled": "{says}",
    "data.sealed": "{labels} labels in the vault: {says}",
    "environment.captured": "python {python}, {cores} cores of {cpu}, {os}; sandboxes {sandboxes}",
    "job.failed": "job {key} epoch {epoch} failed: {reason} [{assurance}]",
    "job.finished": "job {key} epoch {epoch} finished, outputs {outputs} [{assurance}] {resources}",
    "job.given_up": "job {key} epoch {epoch} was given up: {because}",
    "job.lost": "job {key} epoch {epoch} was lost ({cause}): {because}",
    "job.requested": "{kind} of {subject}, fold {fold}, epoch {epoch}, sandbox {sandbox}",
    "job.result_ignored": "job {key} epoch {epoch} came too late: {because}",
    "lane.covered": "lane {lane} is covered with {accepted} accepted: {reason}",
    "lane.downranked": "lane {lane} is ranked down: {reason}",
    "lane.promoted": "lane {lane} goes on with {attempt}: {reason}",
    "lane.promotion_refused": "lane {lane} does not go on: {reason}",
    "lane.proposed": "lane {lane} ({family}, {kind}) by {by}: {hypothesis}",
    "lane.ranked": "lane {lane} is number {rank}: {reasons}",
    "note.left": "{worker} left notes after turn {turn}: {note}",
    "null.scored": "null model {null}: {score}",
    "package.built": "package of {attempt}: {files} files, manifest {manifest}",
    "package.refused": "no package; missing: {missing}",
    "probe.measured": "template {template}: {ms_per_step} ms a step and {fixed_ms} ms",
    "resource.probed": "{kind} {resource} {version}: available {available}, {because}",
    "review.check_found": "{attempt}: {check} says {outcome} [{code}]: {says}",
    "review.feedback_released": "look {n} at validation, {attempt}: {says}",
    "review.measured": "{attempt}: {scores}; inner {inner}; nulls beaten {nulls_beaten}",
    "review.requested": "{attempt} goes to the reviewer",
    "review.resolved": "{person} settled {attempt}: {decision}, because {because}",
    "review.verdict_given": "{attempt}: {verdict} ({codes}) [{assurance}]",
    "run.aborted": "the run cannot go on: {because}",
    "run.finished": "the run is over: {outcome}, {because}",
    "run.paused": "the run was asked to stop: {because}",
    "run.resumed": "a new process goes on after event {after_seq}",
    "run.seed_drawn": "seed {seed} ({origin})",
    "run.started": "run {run} of task {task}",
    "session.failed": "{worker} turn {turn} epoch {epoch} failed: {reason}",
    "session.lost": "{worker} turn {turn} epoch {epoch} was lost: {because}",
    "session.requested": "{worker} is asked for turn {turn} ({agent}, epoch {epoch})",
    "session.turn_finished": "{worker} handed in turn {turn}: {tokens} tokens, {wall_ms} ms",
    "split.frozen": "{scheme} of {groups} groups: {folds}; inner {inner}; test {test} ({findings})",
    "split.suspected_link": "{first} and {second} may belong together: {evidence}",
    "stage.ended": "stage {stage} is over: {because}",
    "stage.entered": "stage {stage} begins with {units} units",
    "stage.round_opened": "{stage} round {round}: {slots}",
    "task.agreed": "task {task} ({kind}): {direction} {metric}, {units} units, {looks} looks",
    "task.inventory_taken": "{cases} cases in {groups} groups: {images} images, {labels} labels",
    "test.scored": "test of {attempt}: {scores}",
    "worker.retired": "{worker} retires: {because}",
    "worker.spawned": "{worker} ({agent}, {role}) starts on lane {lane}",
    "worker.state_entered": "{worker} is in {state}: {because}",
    "writer.acquired": "process {pid} writes from here (term {term})",
}
"""Stored name of an event to its sentence."""


def fields_of(body: bytes) -> dict[str, Any]:
    """Return the fields of a stored body. Total: what was altered is shown as it stands."""
    try:
        found = json.loads(body)
    except ValueError:
        found = None

    return found if isinstance(found, dict) else {"unreadable": body[:200].hex()}


def sentence(type_name: str, body: bytes) -> str:
    """Return one line for a stored event. Total: an unknown event is told by its fields."""
    fields = fields_of(body)
    template = SENTENCES.get(type_name)
    if template is None:
        return _line(_part(fields))

    try:
        return _line(Formatter().vformat(template, (), _Words(fields)))
    except KeyError as missing:  # an older or newer version of the event has other fields
        return _line(f"{_part(fields)} (no {missing} here)")


class _Words(dict[str, str]):
    """Values of an event's fields as they stand in a sentence."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        super().__init__({name: _words(value) for name, value in fields.items()})


def _words(value: object) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case [{"metric": _, "status": str(status)}, *_]:
            first, *rest = (_words(item) for item in value)
            return "; ".join((first + bracketed(status if _whole(status) else ""), *rest))
        case list():
            return "; ".join(_words(item) for item in value) or "none"
        case dict():
            return _part(value)
        case str() if len(value) >= 40 and set(value) <= set("0123456789abcdef"):
            return value[:12]
        case _:
            return str(value)


def _part(fields: Mapping[str, Any]) -> str:
    """Tell a nested part; scores and folds are frequent enough to have words of their own."""
    match fields:
        case {"metric": metric, "value": value, "low": low, "high": high, "status": status}:
            interval = f" [{_real(low)}, {_real(high)}]" if low is not None else ""
            but = "" if _whole(status) else f" ({status})"
            return f"{metric} {_real(value)}{interval}{but}"
        case {"fold": fold, "fit": fit, "validation": validation}:
            return f"{fold} fit {fit}, validation {validation}"
        case {"op": op, "path": path, "result": result}:
            return f"{op} {path} {result}"
        case {"worker": worker, "lane": lane, "role": role}:
            return f"{worker} ({role} on {lane})"
        case {"wall_ms": wall, "cpu_ms": cpu, "max_rss_kib": rss}:
            return f"{wall} ms, {cpu} ms CPU, {rss // 1024} MiB"
        case _:
            return ", ".join(f"{name}={_words(value)}" for name, value in fields.items())


def _whole(status: str) -> bool:
    return status.startswith("ok")


def _real(text: str | None) -> str:
    return "undefined" if text is None else f"{float(text):.4g}"


def _line(text: str) -> str:
    text = shortened(" ".join(text.split()))
    return text if len(text) <= 200 else text[:199] + "…"


__all__ = ["SENTENCES", "sentence"]
