"""What all commands share: the options `--json` and `-v`, and the two ways of speaking."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from ledger.fence import escaped, escaped_json

Decorated = TypeVar("Decorated", bound=Callable[..., object])


@dataclass(slots=True)
class Session:
    """How this call wants to be answered."""

    as_json: bool = False
    verbose: bool = False


def _see_more(ctx: click.Context, _param: click.Parameter, value: object) -> None:
    if value:
        ctx.ensure_object(Session).verbose = True


class Command(click.Command):
    """A command that also knows `-v`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - click's signature
        super().__init__(*args, **kwargs)
        self.params.append(
            click.Option(
                ["-v", "--verbose"],
                is_flag=True,
                expose_value=False,
                callback=_see_more,
                help="Show tracebacks and progress.",
            )
        )


class Group(click.Group):
    """A group whose commands know `-v` and are listed in the order they were added."""

    command_class = Command

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List commands in the order of work, not of the alphabet."""
        del ctx
        return list(self.commands)


Group.group_class = Group

run_argument = click.argument("run", type=click.Path(path_type=Path), metavar="RUN")
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
data_option = click.option(
    "--data",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    help="Root of the paths in the case table, instead of the task folder.",
)


def say(text: str) -> None:
    """Narrate on standard error."""
    click.echo(escaped(text), err=True)


def tell(text: str) -> None:
    """Answer on standard output; what steers a terminal is escaped, wherever the text is from."""
    click.echo(escaped(text))


def print_object(schema: str, content: Mapping[str, object]) -> None:
    """Print the one JSON object of a `--json` call, its schema first."""
    whole = {"schema": schema, **content}
    text = json.dumps(whole, indent=2, ensure_ascii=False, default=str)
    click.echo(escaped_json(text))
