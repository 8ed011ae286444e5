"""Every case has one row of finite probabilities, in the contract's classes and their order."""

from amid.documents import Finding
from amid.kinds.classification.checks.evidence import ROUNDING, Answer, answers
from amid.review.checks.evidence import Evidence, finding, number, passed, some
from ledger.events.codes import ReasonCode

ID = "probabilities/1"


def check(evidence: Evidence) -> Finding:
    """Look at numbers as they were written, before any of them is compared with a class.

    Numbers outside 0 to 1 are scores and no probabilities; where a case has exactly one class they
    must add up to one.
    """
    found = [a for a in answers(evidence) if a.status != "missing"]
    order = tuple(sorted(evidence.labels, key=lambda name: evidence.labels[name]))
    tables = {a.fold: a.columns for a in answers(evidence) if a.columns}
    wrong = [fold for fold, columns in sorted(tables.items()) if columns != order]
    broken = [a for a in found if a.status == "corrupt"]
    endless = [a for a in found if a.status == "not-finite"]
    twice = [a for a in found if a.twice]
    outside = [a for a in found if a.status == "ok" and not a.in_range]
    uneven = [] if evidence.several else [a for a in found if a.status == "ok" and _off(a)]

    if wrong:
        says = f"columns of {some(wrong)} are not {', '.join(order)} in this order"
        grounds = [number(fold, ", ".join(tables[fold])) for fold in wrong]
        return finding(ID, "reject", "PRED_LABEL_SET", says, grounds)

    kinds: tuple[tuple[list[Answer], ReasonCode, str], ...] = (
        (broken, "PRED_CORRUPT", "cannot be read"),
        (endless, "PRED_NAN", "hold NaN or infinity"),
        (twice, "CASE_DUPLICATED", "stand in the table twice"),
        (outside, "PRED_LABEL_SET", "hold numbers outside 0 to 1"),
        (uneven, "PRED_LABEL_SET", "do not add up to 1"),
    )
    for rows, code, how in kinds:
        if rows:
            grounds = [number(a.name, a.reason or f"{list(a.values)}") for a in rows]
            says = f"{len(rows)} rows {how}: {some([a.name for a in rows])}"
            return finding(ID, "reject", code, says, grounds)

    return passed(ID, f"{len(found)} rows hold finite probabilities of {', '.join(order)}")


def _off(answer: Answer) -> bool:
    return abs(sum(answer.values) - 1) > ROUNDING
