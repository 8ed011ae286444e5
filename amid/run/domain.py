"""Medicine as the runtime sees it: the `Domain` port over this package."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from amid.agents import attempt
from amid.planning import offers
from amid.review import rules
from amid.run import outcomes, rulebook
from ledger.blobs import BlobStore
from ledger.events.base import Fact
from ledger.events.codes import Released
from ledger.events.job import JobKind
from ledger.events.review import CheckFound
from runtime.ports import LaneOffer, Manifest, Means, PutBlob, Ruling

if TYPE_CHECKING:
    from amid.data.vault import Aliases

_MODULES: Mapping[JobKind, str] = {
    "null": "amid.review.nulls",
    "probe": "amid.planning.probe",
    "decode": "amid.review.decode",
    "review": "amid.review",
    "test": "amid.review.final",
    "package": "amid.package",
}
"""Job kinds that run our own code, and the module each runs."""


@dataclass(frozen=True, slots=True)
class MedicalDomain:
    """The domain of one run. Pure but for views and packages, which need the run's folder."""

    blobs: BlobStore
    data: Path | None = None
    """Root of the images, where it is no longer the one that the vault names."""

    def command(self, kind: JobKind, task: str) -> tuple[str, ...]:
        """Return the argv of a job kind that runs our own code.

        The decoder is told the kind of the task, since it sees no document of the run.
        """
        words = (task,) if kind == "decode" else ()
        return ("python", "-I", "-B", "-m", _MODULES[kind], *words)

    def rules_digest(self) -> str:
        """Return the digest of the rule set."""
        return rulebook.rules_digest()

    def probes(self, contract: bytes, profile: bytes) -> Sequence[str]:
        """Name the templates to be timed."""
        return offers.probes(contract, profile)

    def offers(self, contract: bytes, profile: bytes, means: Means) -> Sequence[LaneOffer]:
        """Propose lanes."""
        return offers.offers(contract, profile, means)

    def verdict(self, findings: Sequence[CheckFound]) -> Ruling:
        """Rule over findings."""
        verdict, codes = rules.rule(findings)
        return Ruling(verdict, codes)

    def advice(self, codes: Sequence[Released]) -> tuple[str, ...]:
        """Say what to do about each code."""
        return rules.advice(codes)

    def round_score(self, value: str) -> str:
        """Round a score to what a worker may see."""
        return rules.round_score(value)

    def manifest(self, attempt_toml: bytes) -> Manifest:
        """Read an attempt.toml."""
        return attempt.read(attempt_toml)

    def lay_out_view(
        self, run: Path, view: str, into: Path, *, documents: Mapping[str, str]
    ) -> None:
        """Copy the named selection of the data into `into`."""
        from amid.data.views import lay_out
        from amid.documents import Inventory, Split
        from amid.tasks.contract import Contract

        lay_out(
            vault=run / "vault",
            contract=Contract.from_bytes(self.blobs.read(documents["contract"])),
            inventory=Inventory.model_validate_json(self.blobs.read(documents["inventory"])),
            split=Split.model_validate_json(self.blobs.read(documents["split"])),
            view=view,
            into=into,
            data=self.data,
        )

    def roots(self, run: Path) -> Mapping[str, Path]:
        """Name the places that the access record knows besides the run's own."""
        from amid.data.vault import Vault

        return {"data": Path(Vault.open(run / "vault").aliases().data)}

    def access_name(self, run: Path) -> Callable[[str], str]:
        """Name files of the data folder by alias, and whatever else lies there not at all."""
        from amid.data.vault import Vault

        return _Names(Vault.open(run / "vault").aliases())

    def outcomes(self, kind: JobKind, subject: str, out: Path, put: PutBlob) -> Sequence[Fact]:
        """Translate the outputs of a trusted job."""
        match kind:
            case "null":
                return outcomes.nulls(out, put)
            case "probe":
                return outcomes.probe(subject, out)
            case "review":
                return outcomes.review(subject, out, put)
            case "test":
                return outcomes.test(subject, out, put)
            case "package":
                return outcomes.package(subject, out, put)
            case _:
                return ()


class _Names:
    """Knows the alias of every file in the data folder.

    Any other name becomes `?`: it may be a patient's.
    """

    def __init__(self, aliases: "Aliases") -> None:
        self._known: dict[str, str] = {}

        for case in aliases.cases:
            self._known |= {path: f"{case.alias}/{name}" for name, path in case.images.items()}
            self._known |= {} if case.label is None else {case.label: f"{case.alias}/label"}

    def __call__(self, path: str) -> str:
        root, _, rest = path.partition(":")
        hidden = root == "data" and rest.strip("/.") != ""
        return f"data:{self._known.get(rest, '?')}" if hidden else path
