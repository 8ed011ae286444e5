"""Commands that look back on a run and prove something about it. None of them changes the run."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, Protocol

import click

from amid.cli.base import Command, data_option, json_option, print_object, run_argument, say, tell

Verdict = Literal["yes", "no", "undecided"]
CODES: Mapping[Verdict, int] = {"yes": 0, "no": 1, "undecided": 6}


class Answer(Protocol):
    """What every level of replay answers with."""

    @property
    def ok(self) -> bool:
        """Whether the answer is yes."""

    def to_json(self) -> Mapping[str, object]:
        """The whole answer in plain JSON types."""


@click.command(cls=Command)
@run_argument
@click.option(
    "--head", metavar="SEQ:HASH",
    help="A head of this run that was kept elsewhere: the ledger must hold exactly that event.",
)  # fmt: skip
@json_option
def verify(*, run: Path, head: str | None, as_json: bool) -> int:
    """Check that RUN is whole and unaltered.

    Reads every event and every blob, folds the events, reads again what the reviewer's jobs left
    and rules again over the recorded findings; then it looks at package, vault and repo.git.
    Needs no network and changes nothing in the folder.
    """
    from amid.cli.folder import check_run

    check_run(run)
    from amid.run import compose

    return _tell(
        "verify/1",
        compose.verify(run, head=head),
        yes="the run is whole, and nothing that was read is altered",
        no="the run is not as it was written",
        as_json=as_json,
    )


@click.command(cls=Command)
@run_argument
@click.option(
    "--reproduce", metavar="ATTEMPT|all",
    help="Execute the frozen commits again and compare every output byte.",
)  # fmt: skip
@data_option
@click.option(
    "--seed", type=click.IntRange(min=0, max=2**53 - 1),
    help="With --reproduce: another seed than the recorded one, to see what depends on it.",
)  # fmt: skip
@click.option(
    "-o", "--out", "into", type=click.Path(path_type=Path), metavar="DIR",
    help="With --reproduce: keep the new outputs here. Default: a temporary folder.",
)  # fmt: skip
@json_option
def replay(
    *,
    run: Path,
    reproduce: str | None,
    data: Path | None,
    seed: int | None,
    into: Path | None,
    as_json: bool,
) -> int:
    """Decide again, or work again, and compare with RUN.

    Sends the recorded outcomes through today's deciders and names the first decision that differs.
    With --reproduce the recorded work itself is executed again and compared byte for byte.
    """
    from amid.cli.folder import check_apart, check_run

    if reproduce is None and not (data is None and seed is None and into is None):
        raise click.UsageError("--data, --seed and -o go with --reproduce ATTEMPT or all")

    check_run(run)
    if into is not None:
        check_apart(run, into)

    from amid.run import compose

    if reproduce is not None:
        answer = compose.reproduce(run, reproduce, data=data, seed=seed, into=into, say=say)
        return _tell(
            "reproduce/1",
            answer,
            yes="every byte came out the same",
            no="not everything came out the same",
            undecided="this machine was too slow to execute everything again",
            verdict=answer.verdict,
            as_json=as_json,
        )

    return _tell(
        "replay/1",
        compose.redecide(run),
        yes="today's deciders take the recorded decisions",
        no="today's deciders part from the record",
        as_json=as_json,
    )


@click.command(cls=Command)
@run_argument
@click.option(
    "-o", "--out", "into", type=click.Path(path_type=Path), required=True, metavar="DIR",
    help="Folder to rebuild into; it must not exist.",
)  # fmt: skip
@json_option
def rebuild(*, run: Path, into: Path, as_json: bool) -> int:
    """Make the results again from ledger and blobs.

    Commits, predictions and the package come out byte for byte; nothing is executed and no other
    file of RUN is read.
    """
    from amid.cli.folder import check_apart, check_run

    check_run(run)
    check_apart(run, into)
    from replay.rebuild import rebuild as make_again

    return _tell(
        "rebuild/1",
        make_again(run, into),
        yes="everything that was recorded came out as recorded",
        no="not everything that was recorded came out",
        as_json=as_json,
    )


@click.command(cls=Command)
@run_argument
@click.option(
    "-o", "--out", "file", type=click.Path(path_type=Path, dir_okay=False), required=True,
    metavar="FILE.html", help="Where to write the page.",
)  # fmt: skip
@json_option
def report(*, run: Path, file: Path, as_json: bool) -> int:
    """Write one static HTML page about RUN.

    It holds no script and loads nothing; it says how far the run was when it was written.
    """
    from amid.cli.folder import check_apart, check_run

    check_run(run)
    check_apart(run, file, but="report.html")
    from amid import report as reports

    reports.write(run, file)
    if as_json:
        print_object("report/1", {"report": str(file)})
    else:
        click.echo(str(file))

    return 0


def _tell(
    schema: str,
    answer: Answer,
    *,
    yes: str,
    no: str,
    as_json: bool,
    undecided: str = "",
    verdict: Verdict | None = None,
) -> int:
    """Print an answer and return its exit code."""
    short: Verdict = verdict or ("yes" if answer.ok else "no")
    content = {k: v for k, v in answer.to_json().items() if k not in ("schema", "ok")}
    if as_json:
        print_object(schema, {"ok": answer.ok, **content})
    else:
        from amid.words.tables import text_of

        says = {"yes": yes, "no": no, "undecided": undecided}
        click.echo(f"{short}: {says[short]}")
        tell("\n".join(text_of(content)))

    return CODES[short]
