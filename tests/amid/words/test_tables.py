"""Plain values become text that lines up."""

from hypothesis import given
from hypothesis import strategies as st

from amid.words.tables import shortened, text_of


def test_scalars_line_up_and_records_become_a_table() -> None:
    content = {
        "run": "r",
        "over": False,
        "package": None,
        "lanes": [{"lane": "prior", "accepted": 2}, {"lane": "intensity", "accepted": 10}],
        "jobs": {"open": 1},
        "problems": [],
        "says": ["one", "two"],
    }

    assert list(text_of(content)) == [
        "run:     r",
        "over:    no",
        "package: –",
        "lanes:",
        "  lane       accepted",
        "  prior      2",
        "  intensity  10",
        "jobs:",
        "  open: 1",
        "problems: none",
        "says:",
        "  one",
        "  two",
    ]


def test_a_real_number_is_told_with_the_digits_a_person_compares() -> None:
    assert list(text_of({"score": "0.9478682431367351"})) == ["score: 0.9479"]
    assert list(text_of({"score": "0.8125"})) == ["score: 0.8125"]


def test_long_numbers_within_a_text_are_cut_but_not_names_or_versions() -> None:
    told = shortened("dice 0.9604860119193622 (0.925991 to 1), spread=1.5, 2.14.1, 12a.123456")
    assert told == "dice 0.9605 (0.9260 to 1), spread=1.5, 2.14.1, 12a.123456"


def test_a_table_cuts_digests_and_leaves_room_for_its_last_column() -> None:
    rows = [{"key": "ab" * 32, "says": "w" * 90}]
    assert list(text_of({"jobs": rows}))[2] == "  abababababab  " + "w" * 90


def test_an_empty_text_is_a_dash() -> None:
    assert list(text_of({"note": ""})) == ["note: –"]


def test_text_of_several_lines_is_set_apart() -> None:
    assert list(text_of({"text": "a\nb\n"})) == ["text:", "  a", "  b"]


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=5), plain, max_size=4))
def test_every_plain_value_has_a_text(content: dict[str, object]) -> None:
    assert all(isinstance(line, str) for line in text_of(content))
