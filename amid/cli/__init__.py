"""The `amid` command: parse, call one function, render its answer, exit by the table.

    0  yes, or done                        4    another writer holds the run
    1  the answer is no                    5    the work failed
    2  wrong use                           6    undecided: a flag waits for evidence or a person
    3  something needed is missing         130  interrupted; the run can be resumed

Nothing heavy is imported here or by a command's module: each command imports what it needs when it
is called, so that `amid --help` and `amid verify` load no network library.
"""

import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

import click

from amid.cli import doctor, events, init, look, prove, run, straighten
from amid.cli.base import Group, Session
from amid.cli.errors import answer_error


@click.group(
    cls=Group,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="amid-runtime", prog_name="amid", message="%(prog)s %(version)s")
def cli() -> None:
    """Let agents develop medical-imaging models, and keep evidence that anybody can check.

    Results go to standard output, narration to standard error; `--json` prints one object.
    """


for _command in (
    init.init,
    run.run,
    run.resume,
    run.demo,
    look.status,
    look.tail,
    look.show,
    prove.verify,
    prove.replay,
    prove.rebuild,
    prove.report,
    straighten.straighten,
    doctor.doctor,
    events.events,
):
    cli.add_command(_command)


def call(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code."""
    session = Session(as_json="--json" in arguments)
    try:
        code = cli.main(args=list(arguments), prog_name="amid", standalone_mode=False, obj=session)
    # The last stop before the shell: whatever comes up here must become words and an exit code.
    except BaseException as error:  # noqa: BLE001, RUF100
        return answer_error(error, session)

    return code if isinstance(code, int) else 0


def main() -> NoReturn:
    """Run the command line of this process. Being told to end is an interruption like ^C."""
    signal.signal(signal.SIGTERM, _interrupt)
    sys.exit(call(sys.argv[1:]))


def _interrupt(_number: int, _frame: object) -> None:
    """Take the way of ^C, also in a process that a shell started in the background, deaf to it."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)

    signal.raise_signal(signal.SIGINT)


__all__ = ["call", "cli", "main"]
