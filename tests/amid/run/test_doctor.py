"""The doctor finds what is here, and says how to get what is not."""

import json
from importlib import metadata

import pytest

from amid.cli import call
from amid.run import doctor


def test_everything_looked_for_has_a_name_and_a_state() -> None:
    items = doctor.examine()

    names = [item.name for item in items]
    assert len(names) == len(set(names))
    assert {"python", "sqlite", "landlock", "git", "strace", "import amid"} <= set(names)


def test_what_is_missing_comes_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _name: None)

    missing = {item.name: item for item in doctor.examine() if item.state == "missing"}

    assert "apt-get install git" in missing["git"].hint
    assert missing["git"].needed
    assert not missing["strace"].needed


def test_a_needed_thing_that_is_missing_is_3(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("shutil.which", lambda _name: None)

    assert call(["doctor", "--json"]) == 3

    told = json.loads(capsys.readouterr().out)
    assert told["schema"] == "doctor/1"
    assert told["ok"] is False


def test_a_distribution_that_takes_our_name_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    owners = {"ledger": [doctor.DISTRIBUTION, "ledger-of-somebody"], "amid": ["amid"]}
    monkeypatch.setattr(metadata, "packages_distributions", lambda: owners)

    missing = {item.name: item for item in doctor.examine() if item.state == "missing"}

    assert "ledger-of-somebody" in missing["import ledger"].says
    assert "pip uninstall amid" in missing["import amid"].hint
    assert "import runtime" not in missing
