"""The sentences about data and work that several lanes share."""

from amid.kinds.classification.profile import ClassificationProfile
from amid.planning.plan import Work
from amid.planning.template import Template

_RARE = 0.1


def classes(data: ClassificationProfile) -> str:
    """Return every class with its number of development cases."""
    return ", ".join(f"{name} {count}" for name, count in sorted(data.class_cases.items()))


def preprocessing(grid: str) -> str:
    """Say what every method does to an image."""
    return (
        f"Each channel scaled by its own mean and standard deviation, cut at four of them, and "
        f"averaged down or stretched to {grid}."
    )


def obligations(data: ClassificationProfile, ahead: Work) -> str:
    """Say what the reviewer will check."""
    return (
        f"{ahead.metric or 'the metric'} recomputed by the reviewer on {ahead.folds} fold(s) with "
        f"{data.groups} groups kept apart; better than every null model by a paired interval over "
        "groups; every case once, probabilities that add up."
    )


def budget(template: Template, ahead: Work, units: int) -> str:
    """Say how a price per case comes about."""
    return (
        f"{ahead.fit} training and {ahead.predicted} predicted cases over {ahead.folds} fold(s) at "
        f"{template.train_ms} and {template.predict_ms} ms, {template.fixed_ms} ms per job: "
        f"{units} s."
    )


def imbalance(data: ClassificationProfile) -> str:
    """Say whether a class is rare enough to be lost."""
    total = sum(data.class_cases.values())
    rare = min(data.class_cases, key=lambda name: (data.class_cases[name], name), default="")
    if not rare or data.class_cases[rare] >= _RARE * total:
        return "No class is rare enough to be lost."

    return f"{rare} has only {data.class_cases[rare]} cases and may be lost."


__all__ = ["budget", "classes", "imbalance", "obligations", "preprocessing"]
