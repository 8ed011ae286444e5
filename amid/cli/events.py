"""Commands about the catalogue of events, for auditors and for readers in other languages."""

import click

from amid.cli.base import Command, Group, json_option, print_object


@click.group(cls=Group)
def events() -> None:
    """Say which events there are and what they hold."""


@events.command("list", cls=Command)
@json_option
def list_events(*, as_json: bool) -> int:
    """List every event type with what it says."""
    from amid.cli.catalogue import entries

    if as_json:
        listed = [{"type": e.type, "v": e.v, "says": e.says} for e in entries()]
        print_object("events/1", {"events": listed})
    else:
        for entry in entries():
            click.echo(f"{entry.type:<28} v{entry.v}  {entry.says}")

    return 0


@events.command("schema", cls=Command)
@click.argument("type_name", metavar="[TYPE]", required=False)
def schema(*, type_name: str | None) -> int:
    """Print the JSON Schema of stored event bodies, of all or of one type."""
    from amid.cli.catalogue import entries
    from amid.cli.errors import AmidUsageError

    bodies = {e.type: {"v": e.v, "body": e.schema} for e in entries()}
    if type_name is not None and type_name not in bodies:
        raise AmidUsageError(
            f"there is no event type {type_name!r}", hint="amid events list names them all"
        )

    chosen = bodies if type_name is None else {type_name: bodies[type_name]}
    print_object("events-schema/1", {"events": chosen})
    return 0
