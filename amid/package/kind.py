"""What a package asks of a kind of task: which files hold predictions, and what is handed in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, cast

from amid.package.gather import Read
from amid.tasks import kinds
from amid.tasks.contract import Contract
from runtime.ports import OutputFile


@dataclass(frozen=True, slots=True)
class Stored:
    """A file whose bytes are a blob."""

    digest: str


Source = bytes | Stored


class PackagePart(Protocol):
    """The room `package`. Pure, but for reading blobs through what it is given."""

    @property
    def SUFFIXES(self) -> tuple[str, ...]:
        """How files of new images end that the packaged `predict.py` takes."""

    @property
    def ANSWER(self) -> Mapping[str, str]:
        """Where a predict job leaves its answer, for `predict.py`.

        `form` is `file-per-case` with `path` and `name` holding `{case}`, or `table` with `path`
        and `name`: a CSV with the case in its first column.
        """

    def predictions(self, files: Sequence[OutputFile], read: Read) -> Mapping[str, OutputFile]:
        """Return, for each case that a predict job answered, the file that holds the answer."""

    def submission(
        self,
        contract: Contract,
        predictions: Mapping[str, OutputFile],
        cases: Mapping[str, str],
        read: Read,
    ) -> Mapping[str, Source]:
        """Return the files that are handed in, path to content.

        Args:
            contract: says how they are to look.
            predictions: alias of each test case to the file with its answer.
            cases: alias to real id.
            read: returns a blob.

        Raises:
            IncompleteError: a real id is not known, or cannot be part of a file name.
        """


def package_part(kind: str) -> PackagePart:
    """Return what a kind of task says about packages."""
    return cast(PackagePart, kinds.part(kind, "package"))


__all__ = ["PackagePart", "Source", "Stored", "package_part"]
