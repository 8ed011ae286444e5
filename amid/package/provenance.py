"""The files under `provenance/`: the events and what follows from them. Pure.

They tell how this one run came about, so they differ between two runs that decided alike.
"""

from collections.abc import Sequence
from typing import Any

import orjson

from amid.package.card import Card, unchecked
from amid.package.gather import Evidence
from amid.package.private import Private
from ledger.record import Record

README = """\
What lies here
==============

payload/      the submission: index and label maps, code, weights, scores, environment.
              A run of the same task, seed and code elsewhere gives these bytes again.
provenance/   how this one run came to it. NOT byte-identical elsewhere: it holds run id, times,
              event numbers and hashes.
verify.py     python verify.py checks all of it with the standard library alone.
SHA256SUMS    sha256sum -c SHA256SUMS does the first part of that.

events.jsonl      every event, one a line: all columns, hashes as hex, the body as its stored text.
                  A body that names a patient, a host, a user or a place is withheld (null); its
                  hash is kept, so the chain still holds.
claims.json       each claim of payload/MODEL_CARD.md with the events that bear it.
verdicts.json     every verdict with its findings and scores.
split.json        who stood where, by alias.
assurance.json    marks, how the winning attempt was executed, and what was not checked.
environment.json  the machine, without its name.
head.json         run id, number and hash of the last event in events.jsonl.
"""

SAYS = "One party holds key, data and machine; no mark has its evidence in hand."

ORDER = ("sealed", "confined", "unrecorded", "none")
"""Assurance levels, best first."""


def provenance(
    evidence: Evidence, card: Card, records: Sequence[Record], private: Private
) -> dict[str, bytes]:
    """Return every file under `provenance/`, path to bytes."""
    run = str(orjson.loads(records[0].body)["run"])
    hashes = {record.seq: record.hash.hex() for record in records}
    last = records[-1]
    return {
        "events.jsonl": b"".join(_line(record, private) for record in records),
        "head.json": _json({"run": run, "seq": last.seq, "hash": last.hash.hex()}),
        "claims.json": _json(_claims(card, hashes)),
        "verdicts.json": _json(_verdicts(records)),
        "split.json": _json(_split(evidence, records)),
        "assurance.json": _json(_assurance(evidence, records)),
        "environment.json": _json(_environment(evidence, records)),
        "README.txt": README.encode(),
    }


def _line(record: Record, private: Private) -> bytes:
    """Return one event with its body as stored text, or without it where it is private."""
    body = record.body.decode()
    row = {
        "seq": record.seq,
        "term": record.term,
        "at_us": record.at_us,
        "cmd": record.cmd,
        "type": record.type,
        "v": record.v,
        "prev": record.prev.hex(),
        "body_hash": record.body_hash.hex(),
        "hash": record.hash.hex(),
        "body": None if private.in_text(body) else body,
    }
    return orjson.dumps(row, option=orjson.OPT_SORT_KEYS) + b"\n"


def _claims(card: Card, hashes: dict[int, str]) -> dict[str, object]:
    return {
        "schema": "claims/1",
        "claims": {
            claim.name: {
                "says": claim.says,
                "events": [{"seq": seq, "hash": hashes[seq]} for seq in claim.events],
            }
            for claim in card.claims
        },
    }


def _bodies(records: Sequence[Record], kind: str) -> list[tuple[int, dict[str, Any]]]:
    """Return number and stored body of the events of a type; `verify.py` derives the same."""
    return [(r.seq, orjson.loads(r.body)) for r in records if r.type == kind]


def _verdicts(records: Sequence[Record]) -> dict[str, object]:
    """Return every verdict of the run, refusals included, with what it rests on."""
    findings: dict[str, list[object]] = {}
    for number, found in _bodies(records, "review.check_found"):
        findings.setdefault(found.pop("attempt"), []).append({"event": number, **found})

    scores = {body["attempt"]: body["scores"] for _, body in _bodies(records, "review.measured")}
    rows = [
        {
            "event": number,
            **body,
            "scores": scores.get(body["attempt"], []),
            "findings": findings.get(body["attempt"], []),
        }
        for number, body in _bodies(records, "review.verdict_given")
    ]
    resolved = [
        # who settled a flag is a person's name: it stays in the run
        {"event": number, **{name: value for name, value in body.items() if name != "person"}}
        for number, body in _bodies(records, "review.resolved")
    ]
    return {"schema": "verdicts/1", "verdicts": rows, "resolved": resolved}


def _split(evidence: Evidence, records: Sequence[Record]) -> dict[str, object]:
    number, frozen = _bodies(records, "split.frozen")[-1]
    return {
        "schema": "split/1",
        "event": number,
        "seed": frozen["seed"],
        "digest": frozen["split"],
        "findings": frozen["findings"],
        "split": evidence.split.model_dump(mode="json"),
    }


def _assurance(evidence: Evidence, records: Sequence[Record]) -> dict[str, object]:
    executed = {
        body["attempt"]: body["assurance"]
        for _, body in _bodies(records, "attempt.executed")
        if body["attempt"] in evidence.code
    }
    whys = {(fact.check, " ".join(fact.says.split())) for fact in unchecked(evidence)}
    return {
        "schema": "assurance/1",
        "marks": [],
        "standing": "self-attested",
        "says": SAYS,
        # as weak as the weakest attempt whose predictions are in it
        "assurance": max(executed.values(), key=ORDER.index),
        "attempts": executed,
        "unchecked": [{"check": check, "why": why} for check, why in sorted(whys)],
    }


def _environment(evidence: Evidence, records: Sequence[Record]) -> dict[str, object]:
    _, captured = _bodies(records, "environment.captured")[-1]
    return {
        "schema": "environment/1",
        **captured,
        "packages": orjson.loads(evidence.packages),
    }


def _json(value: object) -> bytes:
    text: bytes = orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_INDENT_2)
    return text + b"\n"


__all__ = ["ORDER", "README", "provenance"]
