"""Suspected links: unusual equal headers count, common ones do not."""

import pytest

from amid.profile.links import find, trivial
from tests.amid.sample import PLAIN, case, inventory

ODD = PLAIN.model_copy(update={"origin": (-118.68132, 79.13792, -57.67996)})


def test_an_equal_unusual_header_links_two_groups() -> None:
    links, notes = find(
        inventory(case("c-1", "g-1", geometry=ODD), case("c-2", "g-2", geometry=ODD)),
        constant=frozenset(),
    )

    assert [(link.first, link.second) for link in links] == [("c-1", "c-2")]
    assert "identical origin" in links[0].evidence
    assert notes == ()


def test_one_group_may_share_a_header_and_an_image() -> None:
    links, notes = find(
        inventory(
            case("c-1", "g-1", geometry=ODD, canonical="x"),
            case("c-2", "g-1", geometry=ODD, canonical="x"),
        ),
        constant=frozenset(),
    )

    assert links == ()
    assert notes == ("c-1 and c-2 of one group hold the same image",)


def test_a_header_of_many_groups_is_a_common_space() -> None:
    links, notes = find(
        inventory(*(case(f"c-{i}", f"g-{i}", geometry=ODD) for i in range(4))),
        constant=frozenset(),
    )

    assert links == ()
    assert "common space" in notes[0]


def test_voxels_are_the_stronger_evidence() -> None:
    links, _ = find(
        inventory(
            case("c-1", "g-1", geometry=ODD, canonical="x"),
            case("c-2", "g-2", geometry=ODD, canonical="x", test=True),
        ),
        constant=frozenset(),
    )

    assert [link.evidence for link in links] == [
        "image: identical voxels; one is a training, one a test case"
    ]


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        ((0.0, 0.0, 0.0), True),
        ((1.0, 1.0, 1.0), True),
        ((-90.0, 126.0, -72.5), True),
        ((-1.5, -1.5, -1.5), True),
        ((-118.68132, 79.13792, -57.67996), False),
        ((0.0, 0.0, 0.3), False),
    ],
)
def test_an_origin_tells_something_only_when_it_is_odd(
    origin: tuple[float, ...], expected: bool
) -> None:
    assert trivial(PLAIN.model_copy(update={"origin": origin})) is expected


def test_the_origin_of_a_centred_grid_tells_nothing() -> None:
    centred = PLAIN.model_copy(update={"spacing": (0.7, 0.7, 3.3), "origin": (-1.05, -1.05, -4.95)})

    assert trivial(centred)
