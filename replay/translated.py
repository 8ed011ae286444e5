"""Reads the outputs of trusted jobs again: the facts recorded of them must be what they say."""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from blake3 import blake3

from ledger.blobs import BlobStore
from ledger.errors import LedgerError
from ledger.events.base import Fact
from ledger.events.job import AccessRecorded, JobFinished, JobKind
from ledger.events.stored import fit
from runtime.jobspec import is_inside
from runtime.layout import read_manifest
from runtime.ports import PutBlob

TRUSTED = ("null", "probe", "review", "test", "package")
"""Kinds of jobs whose outputs the domain turns into facts."""


class Domain(Protocol):
    """What this needs of `runtime.ports.Domain`."""

    def outcomes(self, kind: JobKind, subject: str, out: Path, put: PutBlob) -> Sequence[Fact]:
        """Return the facts in the output folder of a trusted job."""


@dataclass(slots=True)
class Translated:
    """Remembers the facts just before a job ended, and compares them with its outputs."""

    blobs: BlobStore
    domain: Domain
    recent: list[Fact] = field(default_factory=list)
    """Events since the last one that ended something."""

    def take(self, fact: Fact, about: tuple[str, str] | None) -> Iterator[str]:
        """Take in the next event; yield what a job's outputs do not bear out.

        Args:
            fact: The event.
            about: Kind and subject of the job that it ends, as far as it ends one.
        """
        if not isinstance(fact, JobFinished):
            self.recent.append(fact)
            del self.recent[:-_LONGEST]
            return

        recent, self.recent = self.recent, []

        if about is not None and about[0] in TRUSTED:
            yield from self._compare(fact, about, recent)

    def _compare(
        self, ended: JobFinished, about: tuple[str, str], recent: Sequence[Fact]
    ) -> Iterator[str]:
        kind, subject = about

        try:
            with tempfile.TemporaryDirectory(prefix="amid-outputs-") as place:
                self._lay_out(ended.outputs, Path(place))
                told = self.domain.outcomes(kind, subject, Path(place), _digest)  # type: ignore[arg-type]
        except (LedgerError, OSError, ValueError, KeyError, TypeError) as error:
            yield f"the outputs of its {kind} job cannot be read: {error}"
            return

        said = [fit(fact) for fact in told]
        recorded = [fact for fact in recent if not isinstance(fact, AccessRecorded)]

        if said and recorded[-len(said) :] != said:
            yield f"the outputs of the {kind} job of {subject} do not say what was recorded of them"

    def _lay_out(self, manifest: str, place: Path) -> None:
        for file in read_manifest(self.blobs.read(manifest)):
            if is_inside(file.path):
                target = place / file.path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.symlink_to(self.blobs.path(file.digest).absolute())


_LONGEST = 1000
"""More facts than the outputs of one job give."""


def _digest(content: bytes | Path) -> str:
    return blake3(content if isinstance(content, bytes) else content.read_bytes()).hexdigest()


__all__ = ["TRUSTED", "Translated"]
