"""The command that says what is here and what is missing."""

import click

from amid.cli.base import Command, json_option, print_object
from amid.cli.errors import MISSING


@click.command(cls=Command)
@json_option
def doctor(*, as_json: bool) -> int:
    """Say what is here, what is missing, and how to get it."""
    from dataclasses import asdict

    from amid.run.doctor import examine

    items = examine()
    ok = not any(item.needed and item.state == "missing" for item in items)
    if as_json:
        print_object("doctor/1", {"ok": ok, "items": [asdict(item) for item in items]})
    else:
        for item in items:
            click.echo(f"{item.state:<8} {item.name:<14} {item.says}")
            if item.hint:
                click.echo(f"{'':<24}do: {item.hint}")

    return 0 if ok else MISSING
