from dataclasses import replace

from amid.kinds.classification.checks.certain import FEW, check
from tests.amid.kinds.classification.checks.answers import HONEST, answer, with_all
from tests.amid.review.checks.attempts import opening

MANY = replace(
    HONEST,
    predictions=tuple(
        replace(answer("f1", f"c-{n:04d}"), equals_label=True) for n in range(1, FEW + 1)
    ),
)


def test_bars_copies_where_a_label_was_opened() -> None:
    found = check(replace(MANY, access=(opening("vault:labels/c-0001.json"),)))
    assert (found.outcome, found.code) == ("reject", "PRED_EQUALS_LABEL")


def test_bars_until_settled_certainty_without_a_record() -> None:
    found = check(replace(MANY, access=None))
    assert (found.outcome, found.code) == ("flag", "PRED_EQUALS_LABEL")


def test_passes_an_easy_task_with_a_note_where_the_record_is_whole() -> None:
    assert check(MANY).outcome == "note"


def test_passes_doubt() -> None:
    first, *rest = MANY.predictions
    doubt = replace(first, equals_label=False)
    assert check(replace(MANY, predictions=(doubt, *rest))).outcome == "pass"


def test_few_answers_tell_nothing() -> None:
    assert check(with_all(equals_label=None)).outcome == "unchecked"
