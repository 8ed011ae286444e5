"""Exceptions into words and exit codes: what, where, why it matters, what to do.

An error of this product has an `exit_code`, and may have `where`, `why` and `hint`. Everything else
that reaches this place is either the machine's (no space, no permission) or a defect.
"""

import errno
import textwrap
import traceback
from dataclasses import asdict, dataclass

import click

from amid.cli.base import Session, print_object, say

INTERRUPTED = 130
WRONG_USE = 2
MISSING = 3
FAILED = 5
MOST = 9
"""Lines of an error."""
WIDTH = 100

_MACHINE = {
    errno.ENOSPC: "free some space or choose another place with -o, then run the command again",
    errno.EDQUOT: "the quota is used up: choose another place with -o",
    errno.EACCES: "change the permissions, or choose a place that you may write to",
    errno.EPERM: "change the permissions, or choose a place that you may write to",
    errno.EROFS: "choose a place that is not read-only",
    errno.ENOENT: "check the path",
    errno.ENOTDIR: "check the path",
    errno.EISDIR: "check the path",
    errno.ELOOP: "check the path",
    errno.ENAMETOOLONG: "choose a shorter path",
}


@dataclass(frozen=True, slots=True)
class Told:
    """An error as it is told. Empty parts are left out."""

    exit_code: int
    what: str
    where: str = ""
    why: str = ""
    hint: str = ""
    details: tuple[str, ...] = ()
    """Things of the same kind: each bad file, each candidate. People see the first ones."""

    def lines(self, *, every: bool = False) -> list[str]:
        """Return under ten lines, or as many as there are."""
        lines = textwrap.wrap(
            f"amid: {self.what}", WIDTH, subsequent_indent="  ", break_long_words=False
        )[:5]
        parts = (("where", self.where), ("why", self.why), ("do", self.hint))
        tail = [_named(name, text) for name, text in parts if text]
        room = len(self.details) if every else max(1, MOST - len(lines) - len(tail) - 1)
        room += len(self.details) == room + 1  # it takes the line that would say "1 more"
        lines += [f"  - {_cut(' '.join(detail.split()))}" for detail in self.details[:room]]
        if len(self.details) > room:
            lines.append(f"  … and {len(self.details) - room} more (-v shows them all)")

        return [*lines, *tail]


def _named(name: str, text: str) -> str:
    return _cut(f"  {name + ':':<7}{' '.join(text.split())}")


def _cut(text: str) -> str:
    return text if len(text) <= 2 * WIDTH else text[: 2 * WIDTH - 1] + "…"


def answer_error(error: BaseException, session: Session) -> int:
    """Tell the error on standard error (and as JSON where that was asked for); return the code."""
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else int(error.code is not None)

    if isinstance(error, BrokenPipeError):
        return 0  # who reads us has seen enough, as in `amid tail RUN | head`

    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        say(error.format_message())  # the help itself is the answer; wrapped, nobody could read it
        return WRONG_USE

    told = tell(error)
    for line in told.lines(every=session.verbose):
        say(line)

    if session.verbose and told.exit_code != INTERRUPTED:
        say("".join(traceback.format_exception(error)).rstrip())

    if session.as_json:
        print_object("error/1", asdict(told))

    return told.exit_code


def tell(error: BaseException) -> Told:
    """Return an exception as it is told. Total."""
    code = getattr(error, "exit_code", None)
    match error:
        case click.Abort() | KeyboardInterrupt():
            return Told(INTERRUPTED, "interrupted", hint="amid resume RUN goes on where it stopped")
        case click.UsageError():
            return _usage(error)
        case click.ClickException():
            return Told(error.exit_code, error.format_message())
        case _ if isinstance(code, int):
            return _ours(error, code)
        case ImportError():
            return Told(
                MISSING,
                f"something this command needs cannot be imported: {error}",
                where=error.path or error.name or "",
                hint="run `amid doctor`, or install again with `make install`",
            )
        case OSError() if error.errno in _MACHINE:
            place = error.filename2 or error.filename or ""
            hint = _MACHINE[error.errno]
            return Told(MISSING, error.strerror or str(error), where=str(place), hint=hint)
        case BaseExceptionGroup():  # a failure of ours before anything else, else the first
            return max(map(tell, error.exceptions), key=lambda told: told.exit_code == FAILED)
        case _:
            return _defect(error)


def _usage(error: click.UsageError) -> Told:
    context = error.ctx
    path = context.command_path if context else "amid"
    return Told(WRONG_USE, error.format_message(), where=path, hint=f"{path} --help")


def _ours(error: BaseException, code: int) -> Told:
    def part(*names: str) -> str:
        values = (getattr(error, name, None) for name in names)
        return next((str(value) for value in values if value), "")

    what, *listed = (part("what") or str(error) or type(error).__name__).splitlines()
    return Told(
        code,
        what,
        where=part("where", "path"),
        why=part("why"),
        hint=part("hint", "do"),
        details=(
            *(line.strip().removeprefix("- ") for line in listed),
            *getattr(error, "listed", ()),
            *(_detail(problem) for problem in getattr(error, "problems", ())),
        ),
    )


def _detail(problem: object) -> str:
    if isinstance(problem, str):
        return problem

    parts = (getattr(problem, name, "") for name in ("where", "says", "do"))
    return ": ".join(str(part) for part in parts if part) or str(problem)


def _defect(error: BaseException) -> Told:
    frame = traceback.extract_tb(error.__traceback__)
    where = f"{frame[-1].filename}:{frame[-1].lineno}" if frame else ""
    return Told(
        FAILED,
        f"{type(error).__name__}: {error}",
        where=where,
        why="this is a defect of amid, or of the machine; nothing recorded was lost",
        hint="run it again with -v and report the traceback; amid resume RUN goes on",
    )


class AmidUsageError(Exception):
    """The command was given something it cannot answer for."""

    exit_code = WRONG_USE

    def __init__(
        self,
        what: str,
        *,
        where: str = "",
        hint: str,
        why: str = "",
        problems: tuple[str, ...] = (),
    ) -> None:
        super().__init__(what)
        self.where = where
        self.why = why
        self.hint = hint
        self.problems = problems
