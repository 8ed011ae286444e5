"""The lanes proposed for a classification, each with its eight fields in words."""

from amid.kinds.classification.planning import words
from amid.kinds.classification.planning.catalogue import (
    FEATURES_BOOSTING,
    FEATURES_LOGISTIC,
    NETWORKS,
    units,
)
from amid.kinds.classification.profile import ClassificationProfile
from amid.planning.plan import Work
from amid.planning.template import Template
from runtime.ports import LaneOffer, Means, Probe

FEW_CASES = 20
"""Fewer development cases tell nothing by hundreds of features."""
FEW_EXAMPLES = 100
"""Fewer development cases are learned by heart by a network."""
SHORT = 300
"""Seconds under which a run has no time for a network."""
SHARES = (20, 12)
"""Percent of all units for one attempt of the first and of the second network."""
LEAST_STEPS = 150
MOST_STEPS = 20_000


def probes(data: ClassificationProfile, ahead: Work) -> tuple[str, ...]:
    """Return the networks to be timed: none where there are few cases or the time is too short."""
    if ahead.wall < SHORT or data.cases < FEW_EXAMPLES:
        return ()

    return tuple(template.name for template in NETWORKS[: len(SHARES)])


def offers(data: ClassificationProfile, ahead: Work, means: Means) -> tuple[LaneOffer, ...]:
    """Propose every method."""
    networks = (_network(t, place, data, ahead, means) for place, t in enumerate(NETWORKS))
    return (_logistic(data, ahead), _boosting(data, ahead), *networks, _foundation(data, ahead))


def _logistic(data: ClassificationProfile, ahead: Work) -> LaneOffer:
    price = _price(FEATURES_LOGISTIC, data, ahead)
    able, because = _enough(data, FEW_CASES, "weights of hundreds of features would be noise")
    return LaneOffer(
        lane=FEATURES_LOGISTIC.name,
        family=FEATURES_LOGISTIC.family,
        template=FEATURES_LOGISTIC.name,
        kind="executable" if able else "fallback",
        priority=800 if able else 200,
        priority_because=because,
        complexity=FEATURES_LOGISTIC.complexity,
        units=price,
        steps=0,
        threads=1,
        hypothesis=(
            "A class shows in coarse brightness, edges and texture at fixed places of the image: a "
            "weighted sum of such features tells it."
        ),
        data_conditions=f"Images framed alike; {words.classes(data)}.",
        required_resources=f"One core, under 1 GiB of memory, no GPU; {price} planned seconds.",
        preprocessing=words.preprocessing("128 places a side, volumes 48"),
        validation_obligations=words.obligations(data, ahead),
        training_budget=words.budget(FEATURES_LOGISTIC, ahead, price),
        expected_artifacts="model.npz: a weight per class and feature; predictions.csv.",
        failure_modes=f"Findings that are small or move about. {words.imbalance(data)}",
    )


def _boosting(data: ClassificationProfile, ahead: Work) -> LaneOffer:
    price = _price(FEATURES_BOOSTING, data, ahead)
    able, because = _enough(data, FEW_CASES, "trees would learn them by heart")
    return LaneOffer(
        lane=FEATURES_BOOSTING.name,
        family=FEATURES_BOOSTING.family,
        template=FEATURES_BOOSTING.name,
        kind="executable" if able else "fallback",
        priority=750 if able else 190,
        priority_because=because,
        complexity=FEATURES_BOOSTING.complexity,
        units=price,
        steps=0,
        threads=1,
        hypothesis=(
            "A class shows in combinations of features, which many small trees find where a "
            "weighted sum does not."
        ),
        data_conditions=f"Images framed alike; {words.classes(data)}.",
        required_resources=f"One core, under 1 GiB of memory, no GPU; {price} planned seconds.",
        preprocessing=words.preprocessing("128 places a side, volumes 48"),
        validation_obligations=words.obligations(data, ahead),
        training_budget=words.budget(FEATURES_BOOSTING, ahead, price),
        expected_artifacts="model.npz: trees as plain numbers; predictions.csv.",
        failure_modes=f"Overfitting with few cases. {words.imbalance(data)}",
    )


def _network(
    template: Template, place: int, data: ClassificationProfile, ahead: Work, means: Means
) -> LaneOffer:
    able, because = _enough(data, FEW_EXAMPLES, "a network would learn them by heart")
    probe = means.probes.get(template.name)
    steps = _steps(probe, place, ahead, means) if able and probe and place < len(SHARES) else 0
    able = able and steps >= LEAST_STEPS
    if probe is None:
        because = (*because, "its step was not timed: the budget is too short, or others go first")
    elif steps < LEAST_STEPS:
        because = (*because, f"the budget carries {steps} steps, under {LEAST_STEPS}")
    else:
        because = (*because, f"{steps} steps at {probe.ms_per_step} ms fit its share of the budget")

    price = _cost(probe, steps, ahead) if probe and able else 0
    return LaneOffer(
        lane=template.name,
        family=template.family,
        template=template.name,
        kind="executable" if able else "fallback",
        priority=(700 if able else 150) - place,
        priority_because=because,
        complexity=template.complexity,
        units=price,
        steps=steps if able else 0,
        threads=means.cores,
        hypothesis=(
            "A class shows in structures that a convolutional network learns to see wherever they "
            "lie, given enough varied looks at each case."
        ),
        data_conditions=f"{FEW_EXAMPLES} cases or more ({data.cases} here): {words.classes(data)}.",
        required_resources=f"{means.cores} cores, or a GPU; all images in memory.",
        preprocessing=words.preprocessing("up to 128 places a side, volumes 64"),
        validation_obligations=words.obligations(data, ahead),
        training_budget=f"{steps} steps for each of {ahead.folds} fold(s): {price} s of one core.",
        expected_artifacts="model.safetensors, network.json; predictions.csv.",
        failure_modes=(
            f"Shortcuts such as markers and borders; labels that are wrong. {words.imbalance(data)}"
        ),
    )


def _foundation(data: ClassificationProfile, ahead: Work) -> LaneOffer:
    """Name a pretrained encoder, and say why it is not run."""
    return LaneOffer(
        lane="pretrained-encoder",
        family="foundation",
        template="pretrained-encoder",
        kind="paper-only",
        priority=80,
        priority_because=("no pretrained weights are registered here",),
        complexity=6,
        units=0,
        steps=0,
        threads=1,
        hypothesis="An encoder trained on many images of this modality needs few labelled ones.",
        data_conditions=f"Weights that have seen none of these {data.cases} cases.",
        required_resources="Registered weights with origin, licence and declared training sets.",
        preprocessing="That of the encoder.",
        validation_obligations=words.obligations(data, ahead),
        training_budget="Not priced.",
        expected_artifacts="A linear layer on frozen features; predictions.csv.",
        failure_modes="Weights that have seen the held-out cases.",
    )


def _enough(
    data: ClassificationProfile, least: int, otherwise: str
) -> tuple[bool, tuple[str, ...]]:
    known = f"{data.cases} cases, {words.classes(data)}"
    if data.cases < least:
        return False, (known, f"fewer than {least} cases: {otherwise}")

    rare = [name for name, count in sorted(data.class_cases.items()) if count < 2]
    if rare:
        return False, (known, f"class {rare[0]} has fewer than 2 development cases")

    return True, (known,)


def _price(template: Template, data: ClassificationProfile, ahead: Work) -> int:
    return units(template, data, fit=ahead.fit, predicted=ahead.predicted, jobs=2 * ahead.folds)


def _steps(probe: Probe, place: int, ahead: Work, means: Means) -> int:
    """Return how many steps a share of the units carries, for all folds."""
    seconds = means.units * SHARES[place] // 100
    each = 1000 * seconds // (means.cores * max(1, ahead.folds)) - probe.fixed_ms
    return max(0, min(MOST_STEPS, each // max(1, probe.ms_per_step)))


def _cost(probe: Probe, steps: int, ahead: Work) -> int:
    each = steps * probe.ms_per_step + probe.fixed_ms
    return -(-each * max(1, ahead.folds) // 1000)


__all__ = ["offers", "probes"]
