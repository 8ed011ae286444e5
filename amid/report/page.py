"""Puts the sections together and renders the page."""

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from amid.package.build import guard_of, reader_of
from amid.report import attempts, sections
from amid.report.about_data import data
from amid.report.cases import Cases, Figure
from amid.report.kind import report_part
from amid.report.plot import dots
from amid.report.strata import strata
from amid.report.subject import Subject
from amid.report.timeline import raw, timeline
from ledger.blobs import BlobStore
from ledger.reader import read

if TYPE_CHECKING:
    from jinja2 import Template

HERE = Path(__file__).parent


def page(run: Path, *, inside: bool) -> str:
    """Return the page about a run, as of its last event.

    Args:
        run: the run folder.
        inside: whether the page stays in it; see `amid.report.cases`.
    """
    with read(run / "ledger.db") as reader:
        records = tuple(reader.records())

    subject = Subject.of(run, records, reader_of(BlobStore(run / "blobs")), guard_of(run))
    metric, better = attempts.plot_title(subject)
    task = subject.state.task.task
    return _template().render(
        title=f"{task.task if task else 'A run'}: report",
        subtitle=sections.subtitle(subject),
        run=subject.state.task.started.run if subject.state.task.started else "",
        seq=subject.history.head,
        head=records[-1].hash.hex() if records else "",
        ended=_ended(subject),
        style=(HERE / "page.css").read_text("utf-8"),
        data=data(subject),
        integrity=sections.integrity(subject),
        claim=sections.claim(subject),
        findings=sections.findings(subject),
        judged=sections.judged(subject),
        splits=sections.splits(subject),
        plot=dots(attempts.dots_of(subject), metric=metric, better=better),
        board=attempts.board(subject),
        strata=strata(subject),
        lanes=sections.lanes(subject),
        attempts=attempts.details(subject),
        timeline=timeline(subject),
        provenance=sections.provenance(subject),
        cases=_cases(subject, inside=inside),
        figures=_figures(subject),
        raw=raw(subject),
    )


def _cases(subject: Subject, *, inside: bool) -> Cases:
    if subject.contract is None:
        return Cases((), "No pictures: the contract cannot be read.")

    return report_part(subject.contract.task.kind).cases(subject, inside=inside)


def _figures(subject: Subject) -> tuple[Figure, ...]:
    if subject.contract is None:
        return ()

    return report_part(subject.contract.task.kind).figures(subject)


def _ended(subject: Subject) -> str:
    ended = subject.state.task.finished
    return "not ended" if ended is None else f"ended: {ended.outcome}, {ended.because}"


@lru_cache(maxsize=1)
def _template() -> "Template":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html.j2")


__all__ = ["page"]
