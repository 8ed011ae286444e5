"""The section about the data: what they are, and what is notable about them and their division."""

from amid.report.sections import Line
from amid.report.subject import Subject
from ledger.events.data import DataProfiled, SplitFrozen


def data(subject: Subject) -> tuple[Line, ...]:
    """Return what the data are, and what is notable about them and their division."""
    profiled = subject.history.last(DataProfiled)
    if profiled is None:
        return (Line("?", "no profile", "the data are not profiled yet"),)

    number, fact = profiled
    findings = () if subject.profile is None else subject.profile.findings
    lines = [Line("i", "profile", subject.shown(s), (number,)) for s in fact.says
             if s not in findings]  # fmt: skip
    lines += [Line("!", "notable", subject.shown(s), (number,)) for s in findings]
    frozen = subject.history.last(SplitFrozen)
    if frozen is not None:
        says = frozen[1].findings
        lines += [Line("!", "division", subject.shown(s), (frozen[0],)) for s in says]

    return tuple(lines)


__all__ = ["data"]
