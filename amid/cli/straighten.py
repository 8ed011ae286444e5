"""The command that repairs where a NIfTI file says that it lies."""

from pathlib import Path

import click

from amid.cli.base import Command, json_option, print_object


@click.command(cls=Command)
@click.argument("image", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option(
    "-o", "--out", "new", type=click.Path(path_type=Path), required=True, metavar="NEW",
    help="The file to be written; it must not exist.",
)  # fmt: skip
@click.option(
    "--form", "which", type=click.Choice(["sform", "qform"]), metavar="FORM",
    help="Which of two positions counts, sform or qform, where IMAGE gives both and they differ.",
)  # fmt: skip
@json_option
def straighten(*, image: Path, new: Path, which: str | None, as_json: bool) -> int:
    """Write a NIfTI IMAGE anew, its one position at right angles.

    The position stands in qform and sform alike, the voxels stay as they are, and how far the
    corners of the grid move is said.
    """
    from amid.data import form
    from amid.data.space import TOLERANCE

    if new.exists():
        raise _wrong("the file to be written exists", new, "name another with -o")

    content = image.read_bytes()
    header = form.header_of(content)
    if header is None or len(header.dims) < 3:
        raise _wrong("this is no NIfTI file of a volume", image, "convert it first")

    forms = {"sform": header.sform, "qform": header.qform}
    given = {name: rows for name, rows in forms.items() if rows is not None}
    if which is None and len(given) == 2:
        gap = form.apart(given["sform"], given["qform"], header.dims)
        if gap > TOLERANCE * form.smallest_step(given["sform"]):
            what = f"qform and sform lie {gap:.2f} mm apart"
            raise _wrong(what, image, "say which one counts with --form")

    rows = given.get(which or next(iter(given), ""))
    if rows is None:
        raise _wrong(f"the file gives no {which or 'position'}", image, "take it from its source")

    found = form.straight(rows, header.dims)
    new.write_bytes(form.rewritten(content, header, found.rows, both=True))
    moved = {"degrees": found.degrees, "mm": found.mm, "voxels": found.voxels}
    if as_json:
        print_object("straighten/1", {"written": str(new), **moved})
    else:
        click.echo(
            f"{new}: axes were {found.degrees:.3f}° from right angles; corners moved by up to "
            f"{found.mm:.3f} mm ({found.voxels:.3f} voxels)"
        )

    return 0


def _wrong(what: str, where: Path, hint: str) -> Exception:
    from amid.cli.errors import AmidUsageError

    return AmidUsageError(what, where=str(where), hint=hint)
