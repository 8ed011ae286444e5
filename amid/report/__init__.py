"""One static page about a run: no script, nothing loaded, the same bytes for the same events."""

from pathlib import Path


def write(run: Path, to: Path) -> None:
    """Write the report of `run`, as of its last event, to the file `to`.

    A page inside the run folder shows images; one that leaves it does so only where the contract
    says `images_may_be_shared = true`.

    Raises:
        ledger.errors.LedgerError: the ledger cannot be read.
    """
    from amid.report.page import page

    inside = to.resolve().is_relative_to(run.resolve())
    part = to.with_name(f".{to.name}.part")
    part.write_text(page(run, inside=inside), "utf-8")
    part.replace(to)


__all__ = ["write"]
