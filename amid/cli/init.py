"""The command that drafts a task from a folder of images."""

from pathlib import Path

import click

from amid.cli.base import Command, json_option, print_object


@click.command(cls=Command)
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@click.option(
    "--from", "place", type=click.Path(path_type=Path, exists=True), required=True,
    metavar="SOURCE", help="A folder of images and masks, or the dataset.json in it.",
)  # fmt: skip
@json_option
def init(*, folder: Path, place: Path, as_json: bool) -> int:
    """Draft a task in DIR from a folder of images.

    SOURCE is an nnU-Net folder (dataset.json of version 1 or 2), one of the Medical Segmentation
    Decathlon, or any folder of images and masks whose names match. What was guessed is said, and
    what only you can know.
    """
    from amid.run.draft import draft

    made = draft(folder, place)
    go_on = f"amid run {folder} --data {made.data} -o RUN"
    if as_json:
        lists = {"guessed": dict(made.guessed), "remarks": made.remarks, "check": made.check}
        print_object(
            "init/1",
            {"task": str(folder), "data": str(made.data), "read_as": made.convention, **lists,
             "next": go_on},
        )  # fmt: skip
        return 0

    click.echo(f"wrote {folder / 'task.toml'} and {folder / 'cases.csv'} from {made.convention}")
    click.echo("guessed:")
    for what, says in made.guessed.items():
        click.echo(f"  {what + ':':<10} {says}")

    for title, lines in (("note:", made.remarks), ("check:", made.check)):
        if lines:
            click.echo(title)
        for line in lines:
            click.echo(f"  - {line}")

    click.echo(f"next:  {go_on}")
    return 0
