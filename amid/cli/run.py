"""Commands that act: start a run, go on with it, show the whole on made-up data."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from amid.cli.base import (
    Command,
    Session,
    data_option,
    json_option,
    print_object,
    run_argument,
    say,
    tell,
)
from amid.cli.errors import FAILED, INTERRUPTED

if TYPE_CHECKING:
    from amid.run.compose import RunAnswer, Until
    from ledger.events.base import Fact
    from ledger.record import Record

CODES = {"package": 0, "stopped": 0, "refused": 1, "aborted": FAILED, "undecided": 6}
"""Outcome of a run to exit code; a run that only paused is judged by whether that was asked for."""

STEPS = ("profile", "plan", "explore", "promote", "end")


@click.command(cls=Command)
@click.argument("task", type=click.Path(path_type=Path))
@click.option(
    "-o", "--out", "folder", type=click.Path(path_type=Path), required=True, metavar="RUN",
    help="Folder of the run; it must not exist.",
)  # fmt: skip
@data_option
@click.option("--seed", type=click.IntRange(min=0, max=2**53 - 1), help="Default: drawn.")
@click.option("--budget", metavar="TIME", help="Such as 10m or 2h; default: the task's.")
@click.option("--agents", default="recipe=2", show_default=True, help="Backends and how many.")
@click.option(
    "--sandbox", type=click.Choice(["landlock", "bubblewrap", "none"]),
    default="landlock", show_default=True,
    help="`bubblewrap` gives each job namespaces of its own as well; `none` lowers the recorded "
    "assurance of every attempt.",
)  # fmt: skip
@click.option(
    "--probe", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
    help="Prices of templates as JSON, instead of timing their steps here.",
)  # fmt: skip
@click.option("--cores", type=click.IntRange(min=1), help="Default: all that this process may use.")
@click.option(
    "--until", type=click.Choice(STEPS), default="end", show_default=True,
    help="Stop after this step; `amid resume` goes on.",
)  # fmt: skip
@json_option
def run(
    *,
    task: Path,
    folder: Path,
    data: Path | None,
    seed: int | None,
    budget: str | None,
    agents: str,
    sandbox: str,
    probe: Path | None,
    cores: int | None,
    until: "Until",
    as_json: bool,
) -> int:
    """Run TASK from its folder to a submission package.

    Every input file is read and checked first; a bad one is an error here, and nothing is left
    behind.
    """
    from amid.run import making

    making.create_run(
        task,
        folder,
        data=data,
        seed=seed,
        budget=budget,
        agents=agents,
        sandbox=sandbox,
        cores=cores,
        probe=probe,
    )
    answer = _go_on(folder, fresh=True, until=until)
    return _finish(folder, answer, until=until, as_json=as_json)


@click.command(cls=Command)
@run_argument
@click.option(
    "--until", type=click.Choice(STEPS), default="end", show_default=True,
    help="Stop after this step.",
)  # fmt: skip
@json_option
def resume(*, run: Path, until: "Until", as_json: bool) -> int:
    """Go on with RUN where it stopped, however it stopped."""
    from amid.cli.folder import check_run

    check_run(run)
    answer = _go_on(run, until=until)
    return _finish(run, answer, until=until, as_json=as_json)


@click.command(cls=Command)
@click.option(
    "-o", "--out", "folder", type=click.Path(path_type=Path), metavar="DIR",
    help="Where to put task and run; it must not exist. Default: a new temporary folder.",
)  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0, max=2**53 - 1), default=0, show_default=True)
@click.option("--tiny", is_flag=True, help="14 volumes of 16³ voxels instead: seconds, no nilearn.")
@json_option
def demo(*, folder: Path | None, seed: int, tiny: bool, as_json: bool) -> int:
    """Run a task made on the spot to a package, in minutes.

    The task is to find grey and white matter in brains of simulated patients, all made from one
    template: no image of a person is used.
    """
    import tempfile

    from amid.cli.errors import AmidUsageError
    from amid.run import making

    if folder is None:
        folder = Path(tempfile.mkdtemp(prefix="amid-demo-"))
    elif folder.exists():
        raise AmidUsageError(
            "the folder for the demo exists", where=str(folder), hint="name another with -o"
        )

    task, place = folder / "task", folder / "run"
    folder.mkdir(parents=True, exist_ok=True)
    _make_task(task, seed, tiny=tiny)
    making.create_run(
        task,
        place,
        data=None,
        seed=seed,
        budget=None,
        agents="recipe=2",
        sandbox="landlock",
        cores=None,
    )
    answer = _go_on(place, fresh=True)
    return _finish(place, answer, until="end", as_json=as_json)


def _make_task(task: Path, seed: int, *, tiny: bool) -> None:
    if tiny:
        from amid.demo.tiny import make as make_tiny

        make_tiny(task)
        say(f"made a task of synthetic volumes in {task}")
        return

    from amid.demo import make

    say("making simulated patients from one brain template")
    make(task, seed)
    say(f"made the task in {task}; its README says how")


TOLD = frozenset(
    {
        "lane.proposed", "stage.entered", "attempt.submitted", "review.verdict_given",
        "null.scored", "lane.promoted", "lane.promotion_refused", "session.failed", "job.failed",
        "test.scored", "budget.exhausted", "package.built", "package.refused", "run.finished",
    }
)  # fmt: skip
"""Events that `run` and `resume` tell on stderr; `tail` shows them all."""


def _narrate(record: "Record", _fact: "Fact") -> None:
    """Tell the events that a person waiting for the run wants to know."""
    from amid.words.sentences import sentence

    if record.type in TOLD:
        say(f"{record.seq:>5}  {sentence(record.type, record.body)}")


def _go_on(run: Path, *, fresh: bool = False, until: "Until" = "end") -> "RunAnswer":
    """Go on with a run and tell of it; with -v also what the loop does."""
    from amid.run import compose

    if click.get_current_context().ensure_object(Session).verbose:
        from runtime import watching

        watching.show()

    if fresh:
        for line in compose.data(run):
            say(f" data  {line}")

    return compose.go_on(run, listen=_narrate, say=say, fresh=fresh, until=until)


def _finish(run: Path, answer: "RunAnswer", *, until: str, as_json: bool) -> int:
    places = {"run": run, "package": answer.package, "report": answer.report}
    if as_json:
        told = {name: str(place) if place else None for name, place in places.items()}
        print_object("run/1", {"outcome": answer.outcome, "because": answer.because, **told})
    else:
        tell(f"{answer.outcome}: {answer.because}")
        for name, place in places.items():
            if place:
                click.echo(f"{name + ':':<9}{place}")

    return CODES.get(answer.outcome, INTERRUPTED if until == "end" else 0)
