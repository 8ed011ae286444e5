"""What the report asks of a kind of task: pictures of cases, and figures of its own."""

from typing import Protocol, cast

from amid.report.cases import Cases, Figure
from amid.report.subject import Subject
from amid.tasks import kinds


class ReportPart(Protocol):
    """The room `report`."""

    def cases(self, subject: Subject, *, inside: bool) -> Cases:
        """Return validation cases of the leading attempt with their pictures.

        Args:
            subject: the run.
            inside: whether the page stays in the run folder; a page that leaves it shows images
                only where the contract allows that.
        """

    def figures(self, subject: Subject) -> tuple[Figure, ...]:
        """Return figures about the leading attempt's scores; none while there is none."""


def report_part(kind: str) -> ReportPart:
    """Return what a kind of task shows."""
    return cast(ReportPart, kinds.part(kind, "report"))


__all__ = ["ReportPart", "report_part"]
