"""What `amid status` says to people."""

from amid.cli.standing import told
from amid.words.tables import text_of


def test_scores_stand_with_four_decimals_and_their_interval() -> None:
    status = {
        "stage": "explore",
        "units": {"explore": "3 of 600"},
        "nulls": [{"null": "empty", "score": "0"}],
        "lanes": [],
        "attempts": [
            {
                "attempt": "a-1", "standing": "accept", "codes": ["OK"],
                "score": "0.9604860119193622", "low": "0.925991", "high": "1",
            },
            {
                "attempt": "a-2", "standing": "open", "codes": [],
                "score": None, "low": None, "high": None,
            },
        ],
    }  # fmt: skip

    assert list(text_of(told(status))) == [
        "stage: explore",
        "units (planned seconds of one core):",
        "  explore: 3 of 600",
        "nulls (predictions made without looking at the image):",
        "  null   score",
        "  empty  0.0000",
        "lanes: none",
        "attempts:",
        "  attempt  standing  codes  score   95 % interval",
        "  a-1      accept    OK     0.9605  0.9260 to 1.0000",
        "  a-2      open      –      –       –",
    ]
