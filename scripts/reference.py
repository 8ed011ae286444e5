"""Writes docs/reference from the program: `python -m scripts.reference`, or `make docs`.

A test demands that the pages are current, so a command, an event or an error cannot be added
without its page. The pages on checks, metrics and the ledger's format are written by hand.
"""

import importlib
import inspect
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import click

from amid.cli import cli
from amid.cli.catalogue import families

FOLDER = Path(__file__).parents[1] / "docs" / "reference"
HEAD = "<!-- Written by scripts/reference.py (`make docs`); do not edit. -->\n\n"
ERRORS = ("ledger.errors", "runtime.errors", "amid.errors", "amid.cli.errors", "amid.cli.find")
"""Modules that define errors with an exit code."""


def cli_page() -> str:
    """Return the page of commands: the words of `--help`."""
    parts = [
        "# Command line\n",
        "Results go to standard output, narration and progress to standard error. `--json` prints",
        'exactly one object with a `"schema"` key. `-v` shows tracebacks.\n',
        "| exit code | means |\n|---|---|",
        "| 0 | yes, or done |",
        "| 1 | the answer is no: problems, a rejection, a divergence |",
        "| 2 | wrong use |",
        "| 3 | something needed is missing |",
        "| 4 | another writer holds the run |",
        "| 5 | the work failed |",
        "| 6 | undecided: a flag waits for evidence or a person |",
        "| 130 | interrupted; the run can be resumed |\n",
    ]
    for path, command in _commands(cli, "amid"):
        context = click.Context(
            command, info_name=path, terminal_width=96, help_option_names=["-h", "--help"]
        )
        text = command.get_help(context).rstrip()

        parts.append(f"## {path}\n\n```text\n{text}\n```\n")

    return "\n".join(parts)


def _commands(group: click.Group, path: str) -> Iterator[tuple[str, click.Command]]:
    yield path, group
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from _commands(command, f"{path} {name}")
        else:
            yield f"{path} {name}", command


def events_page() -> str:
    """Return the page of events, by family."""
    parts = [
        "# Events\n",
        "Every fact of a run is one of these. The names are contracts: a type is never renamed,",
        "and a changed shape is a new version. `amid events schema` prints the JSON Schema of the",
        "stored bodies. A body is canonical JSON without floats: real numbers are shortest decimal",
        "strings, durations are milliseconds, money is millionths of a dollar.\n",
    ]
    for family, entries in families():
        parts.append(f"## {family}\n\n| event | v | says | fields |\n|---|---|---|---|")
        for entry in entries:
            fields = ", ".join(f"`{name}`" for name in entry.fields)
            parts.append(f"| `{entry.type}` | {entry.v} | {_cell(entry.says)} | {fields} |")

        parts.append("")

    return "\n".join(parts)


def errors_page() -> str:
    """Return the page of errors with their exit codes."""
    parts = [
        "# Errors\n",
        "Every error says what happened, where, why it matters and what to do, in under ten lines",
        "(`-v` shows all, with the traceback). Its class has the exit code.\n",
        "| error | exit code | means |\n|---|---|---|",
    ]
    rows = sorted({row for name in ERRORS for row in _errors(name)})
    parts += [f"| `{name}` | {code} | {_cell(says)} |" for name, code, says in rows]
    return "\n".join(parts) + "\n"


def _errors(module_name: str) -> Iterator[tuple[str, int, str]]:
    for name, cls in vars(importlib.import_module(module_name)).items():
        if isinstance(cls, type) and issubclass(cls, Exception) and hasattr(cls, "exit_code"):
            says = (inspect.getdoc(cls) or "").split("\n\n")[0]
            yield name, cls.exit_code, says


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


PAGES: Mapping[str, Callable[[], str]] = {
    "cli.md": cli_page,
    "errors.md": errors_page,
    "events.md": events_page,
}


def page(name: str) -> str:
    """Return a whole page of the reference."""
    return HEAD + PAGES[name]()


def main() -> None:
    """Write all pages."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in PAGES:
        (FOLDER / name).write_text(page(name))


if __name__ == "__main__":
    main()
