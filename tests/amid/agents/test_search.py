"""Laws of the parameter search: descriptions read back, steps stay on the lists."""

from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amid.agents.search import best_of, describe, nearby, recall
from amid.kinds.segmentation.planning.catalogue import ATLAS_FUSION, DYNUNET, INTENSITY_PRIOR
from amid.planning.template import Template, Value
from projections.attempts import Standing
from runtime.ports import Past

TEMPLATES = st.sampled_from([INTENSITY_PRIOR, ATLAS_FUSION, DYNUNET])


@st.composite
def choices(draw: st.DrawFn) -> tuple[Template, dict[str, Value]]:
    template = draw(TEMPLATES)

    return template, {
        parameter.name: draw(st.sampled_from(parameter.values)) for parameter in template.parameters
    }


@given(choices())
def test_a_description_reads_back(given: tuple[Template, dict[str, Value]]) -> None:
    template, chosen = given

    assert recall(template, describe(template.name, chosen)) == chosen


@given(choices(), st.integers(0, 20))
def test_steps_stay_on_the_lists_and_are_all_different(
    given: tuple[Template, dict[str, Value]], slot: int
) -> None:
    template, chosen = given
    found = list(islice(nearby(template, chosen, slot), 60))

    assert chosen not in found
    assert all(found.count(one) == 1 for one in found)
    for one in found:
        for parameter in template.parameters:
            assert one[parameter.name] in parameter.values
            assert parameter.searched or one[parameter.name] == chosen[parameter.name]


def test_the_nearest_steps_come_first() -> None:
    centre = {parameter.name: parameter.start for parameter in INTENSITY_PRIOR.parameters}
    away = [
        sum(one[name] != centre[name] for name in centre)
        for one in nearby(INTENSITY_PRIOR, centre, 2)
    ]

    assert away[:9] == [1] * 9
    assert max(away) > 1


@pytest.mark.parametrize(
    "text", ["", "words of a person", "atlas-fusion: votes=3", "intensity-prior: w_like=1"]
)
def test_other_descriptions_are_not_read(text: str) -> None:
    assert recall(INTENSITY_PRIOR, text) is None


def test_values_off_the_list_count_as_the_nearest() -> None:
    chosen = {parameter.name: parameter.start for parameter in INTENSITY_PRIOR.parameters}
    text = describe("intensity-prior", chosen).replace("w_like=1 ", "w_like=1.33 ")

    assert recall(INTENSITY_PRIOR, text) == {**chosen, "w_like": 1.4}
    assert recall(INTENSITY_PRIOR, text.replace("1.33", "much")) is None


def past(name: str, verdict: Standing, score: str | None, inner: str | None) -> Past:
    chosen = {parameter.name: parameter.start for parameter in INTENSITY_PRIOR.parameters}

    return Past(name, verdict, (), (), score, inner, describe("intensity-prior", chosen))


def test_the_best_is_read_from_inner_then_from_released_scores_then_from_order() -> None:
    def best(*many: Past, maximize: bool = True) -> str | None:
        found = best_of(INTENSITY_PRIOR, many, maximize=maximize)
        return None if found is None else found.attempt

    a, b = past("a", "accept", "0.9", "0.7"), past("b", "accept", "0.8", "0.8")
    assert best(a, b) == "b"
    assert best(a, b, maximize=False) == "a"
    assert best(a, past("b", "accept", "0.8", None)) == "a"
    assert best(a, past("b", "accept", None, None)) == "b"
    assert best(a, past("b", "reject", "1", "1")) == "a"
    assert best(past("b", "flag", "1", "1")) is None
