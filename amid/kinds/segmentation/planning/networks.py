"""The network lanes: which are timed, how many steps the budget carries, and what is left out.

The number of steps follows from a measured step and is fixed before a training begins; a training
that ended by the clock could not be repeated.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from amid.kinds.segmentation.planning import fit, words
from amid.kinds.segmentation.planning.catalogue import DYNUNET, NETWORKS, SEGRESNET, SMALL_UNET
from amid.kinds.segmentation.profile import SegmentationProfile
from amid.planning.plan import Work
from amid.planning.template import Template
from runtime.ports import LaneOffer, Means, Probe

LEAST_STEPS = 150
"""Fewer steps than this leave a network behind the simpler methods: it is not run at all."""
MOST_STEPS = 20_000
SHARES = (20, 12)
"""Percent of all units for one attempt of the first and of the second network.

Stage 1 has half of the units; the first network takes 40 % of that, and the classical lanes, which
come first, need less than what remains.
"""
SHORT = 600
"""Seconds under which a run has no time for a network: on a few cores even the import, the timing
of a step and the predictions take a good part of a minute each."""

_NNUNET_STEP_MS = 2_750
_NNUNET_STEPS = 250
_NNUNET_EPOCHS = 1_000
"""Of nnU-Net's defaults; a step took so long on two cores with its plan for volumes of 35 × 50 × 36
voxels, and takes longer with larger patches."""


@dataclass(frozen=True, slots=True)
class _Plan:
    able: bool
    steps: int
    units: int
    because: tuple[str, ...]


def probes(data: SegmentationProfile, ahead: Work) -> tuple[str, ...]:
    """Return the networks to be timed: none where none suits or the time is too short."""
    if ahead.wall < SHORT or not fit.network(data, channels=ahead.channels).able:
        return ()

    return tuple(template.name for template in NETWORKS[: len(SHARES)])


def offers(data: SegmentationProfile, ahead: Work, means: Means) -> tuple[LaneOffer, ...]:
    """Propose every network, in the order in which they are tried."""
    return tuple(
        _offer(template, place, data, ahead, means) for place, template in enumerate(NETWORKS)
    )


def nnunet(data: SegmentationProfile, ahead: Work, means: Means) -> LaneOffer:
    """Name nnU-Net, and say by numbers why it is not run."""
    epoch = _NNUNET_STEPS * _NNUNET_STEP_MS // 1000
    days = _NNUNET_EPOCHS * epoch / 86_400
    because = (
        (
            f"needs more than the budget: an epoch of {_NNUNET_STEPS} steps takes about {epoch} s "
            f"of two cores, and {_NNUNET_EPOCHS} epochs are usual ({days:.0f} days a fold); this "
            f"run has {means.units} s of one core for all its lanes"
        ),
        f"{data.cases} labelled cases would be enough to train one",
    )

    return LaneOffer(
        lane="nnunet",
        family="nnunet",
        template="nnunet",
        kind="paper-only",
        priority=80,
        priority_because=because,
        complexity=6,
        units=0,
        steps=0,
        threads=1,
        hypothesis=(
            "A self-configured nnU-Net derives patch, spacing and depth from the data and is the "
            "strongest common baseline for segmentation."
        ),
        data_conditions=_conditions(data),
        required_resources="nnunetv2 in the job's sandbox, a GPU or days of CPU, disk space.",
        preprocessing=f"Its own: resampled from {words.spacing(data)} mm where it sees fit.",
        validation_obligations=words.obligations(data, ahead),
        training_budget=f"{_NNUNET_EPOCHS} epochs for each of {ahead.folds} fold(s); not priced.",
        expected_artifacts=words.artifacts("network weights and its plans"),
        failure_modes="A training cut short, far before its learning rate has come down.",
    )


def _offer(
    template: Template, place: int, data: SegmentationProfile, ahead: Work, means: Means
) -> LaneOffer:
    suits = fit.network(data, channels=ahead.channels)
    plan = _plan(template, place, suits, ahead, means)

    return LaneOffer(
        lane=template.name,
        family=template.family,
        template=template.name,
        kind="executable" if plan.able else "fallback",
        priority=suits.priority - 20 * place if plan.able else 120 - 10 * place,
        # a lane that is ranked down is told by its first reason
        priority_because=plan.because if plan.able else tuple(reversed(plan.because)),
        complexity=template.complexity,
        units=plan.units,
        steps=plan.steps,
        threads=means.cores,
        hypothesis=_HYPOTHESES[template.name],
        data_conditions=_conditions(data),
        required_resources=(
            f"torch and monai; {means.cores} core(s), 2 GiB of memory and all cases in it; a GPU "
            f"is used where there is one; {plan.units} planned seconds of one core."
        ),
        preprocessing=(
            f"{words.scale(data)}, clipped at 4; turned to LPS, not resampled; patches of about "
            f"the median size {words.size(data)}, turned, scaled and shifted a little."
        ),
        validation_obligations=words.obligations(data, ahead),
        training_budget=_spent(template, plan, ahead, means),
        expected_artifacts=words.artifacts("model.safetensors and network.json"),
        failure_modes=(
            "Overfitting on few groups; anatomy or scanners that no training case shows; slices "
            f"far apart, which it halves like all axes. {words.imbalance(data)}"
        ),
    )


def _plan(template: Template, place: int, suits: fit.Fit, ahead: Work, means: Means) -> _Plan:
    """Fit the number of steps to the network's share of the units."""
    because = suits.because
    probe = means.probes.get(template.name)

    if not suits.able:
        return _Plan(able=False, steps=0, units=0, because=because)

    if means.units < SHORT * means.cores:
        says = f"a run of under {SHORT} s has no time to time, train and apply a network"
        return _Plan(able=False, steps=0, units=0, because=(*because, says))

    if place >= len(SHARES):
        says = f"the budget has room for {len(SHARES)} networks, and {_before(place)} come first"
        return _Plan(able=False, steps=0, units=0, because=(*because, says))

    if probe is None:
        says = "its step was not timed on this machine, so no length of training can be planned"
        return _Plan(able=False, steps=0, units=0, because=(*because, says))

    share = means.units * SHARES[place] // 100
    steps = steps_for(share, probe, means.cores, ahead.folds)

    if steps < LEAST_STEPS:
        says = (
            f"{share} s for an attempt carry {steps} steps of {probe.ms_per_step} ms on "
            f"{means.cores} core(s) and {ahead.folds} fold(s); under {LEAST_STEPS} it learns "
            "too little"
        )
        return _Plan(able=False, steps=0, units=0, because=(*because, says))

    says = f"{steps} steps of {probe.ms_per_step} ms fit into {SHARES[place]} % of the units"
    price = units_of(steps, probe, means.cores, ahead.folds)

    return _Plan(able=True, steps=steps, units=price, because=(*because, says))


def steps_for(units: int, probe: Probe, threads: int, folds: int) -> int:
    """Return how many steps each fold's training may take; tens, so that checkpoints are even."""
    each = units * 1000 // (threads * folds) - probe.fixed_ms
    steps = max(0, each) // max(1, probe.ms_per_step)

    return min(MOST_STEPS, steps // 10 * 10)


def units_of(steps: int, probe: Probe, threads: int, folds: int) -> int:
    """Return the price of an attempt in whole seconds of one core."""
    each = steps * probe.ms_per_step + probe.fixed_ms

    return -(-each // 1000) * threads * folds


def _before(place: int) -> str:
    return ", ".join(template.name for template in NETWORKS[:place])


def _conditions(data: SegmentationProfile) -> str:
    return f"{data.cases} labelled cases of {words.size(data)} voxels; {words.labels(data)}."


def _spent(template: Template, plan: _Plan, ahead: Work, means: Means) -> str:
    probe = means.probes.get(template.name)

    if probe is None or not plan.able:
        return f"No steps are planned for {ahead.folds} fold(s): {plan.because[-1]}."

    return (
        f"{plan.steps} steps of {probe.ms_per_step} ms for each of {ahead.folds} fold(s) on "
        f"{means.cores} core(s), {probe.fixed_ms} ms besides for imports, reading and predicting: "
        f"{plan.units} s."
    )


_HYPOTHESES: Mapping[str, str] = {
    SMALL_UNET.name: (
        "A small U-Net learns texture and shape together and needs neither a common grid nor "
        "aligned cases."
    ),
    DYNUNET.name: (
        "Two convolutions per level, as nnU-Net has them, see finer detail than one at the price "
        "of fewer steps in the same time; no common grid or aligned cases are needed."
    ),
    SEGRESNET.name: (
        "Residual blocks and a light decoder put most of the work into the encoder, which helps "
        "where borders are faint."
    ),
}

__all__ = ["LEAST_STEPS", "SHARES", "SHORT", "nnunet", "offers", "probes", "steps_for", "units_of"]
