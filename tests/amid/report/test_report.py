"""The page about a run: all in its place, nothing loaded, nothing private, twice the same."""

import itertools
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pytest

from amid.documents import CaseScore
from amid.report import write
from amid.report.cases import by_label
from amid.report.page import page
from ledger.canonical import encode
from ledger.events.run import Code, RunResumed, RunStarted
from ledger.events.union import dump
from ledger.reader import read
from ledger.record import NewEvent
from ledger.store import Ledger
from tests.amid.package import sample_data
from tests.amid.package.sample_run import CRUDE, FINAL, Variant, make

ANCHORS = (
    "data",
    "integrity",
    "claim",
    "findings",
    "splits",
    "leaderboard",
    "lanes",
    "attempts",
    "cases",
    "timeline",
    "provenance",
    "check",
    "events",
)


class Page(HTMLParser):
    """Collects what the tests ask about."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.targets: list[str] = []
        self.loads: list[str] = []
        self.headings: list[int] = []
        self.attributes: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag."""
        self.tags.append(tag)
        self.headings += [int(tag[1])] if re.fullmatch("h[1-6]", tag) else []
        for name, value in attrs:
            self.attributes.add(name)
            if name == "id":
                self.ids.append(value or "")
            elif name == "href" and tag == "a":
                self.targets.append(value or "")
            elif name in ("src", "href"):
                self.loads.append(value or "")


def test_the_sections_stand_in_their_order(text: str) -> None:
    """Anchors are stable: people link to them."""
    assert [name for name in Page(text).ids if name in ANCHORS] == list(ANCHORS)


def test_every_link_has_its_target_in_the_page(text: str) -> None:
    """Ids are unique, too."""
    found = Page(text)
    assert len(set(found.ids)) == len(found.ids)
    assert {target.removeprefix("#") for target in found.targets} <= set(found.ids)


def test_nothing_runs_and_nothing_is_loaded(text: str) -> None:
    """No script, no handler, no address; pictures lie in the page; a policy says so, too."""
    found = Page(text)
    assert "script" not in found.tags
    assert not [name for name in found.attributes if name.startswith("on")]
    assert all(load.startswith("data:image/png;base64,") for load in found.loads)
    assert "url(" not in text
    assert "default-src 'none'" in text


def test_it_can_be_read_aloud(text: str) -> None:
    """Language, captions, heading order, words beside glyphs and colours."""
    found = Page(text)
    assert '<html lang="en">' in text
    assert found.tags.count("table") == found.tags.count("caption")
    steps = zip(found.headings, found.headings[1:], strict=False)
    assert all(after - before <= 1 for before, after in steps)
    assert re.search(r"<th(?![^>]*scope)[ >]", text) is None
    assert "<title id=" in text
    assert "<desc id=" in text
    assert found.tags.count("img") == len(re.findall(r' alt="c-', text))


def test_twice_gives_the_same_bytes(finished: Path, text: str) -> None:
    """Nothing of the moment is in it: the page is a fact about the events."""
    assert page(finished, inside=True) == text


def test_what_is_not_checked_is_never_hidden(text: str) -> None:
    """In the findings, and of the page itself."""
    assert "Not checked: 1 check" in text
    assert "the attempt was not executed a second time" in text
    assert "self-attested" in text


def test_a_check_stands_once_for_all_the_attempts_it_looked_at(text: str) -> None:
    """Three attempts and sixteen checks would be forty-eight rows of nothing new."""
    findings = text[text.index('<section id="findings">') : text.index('<section id="splits">')]
    checks = re.findall(r"<b>([a-z-]+/\d+)</b>", findings)
    assert checks
    assert len(set(checks)) == len(checks)
    assert "(all 3 attempts)" in findings


def test_a_case_tells_each_metric_once_with_its_labels() -> None:
    """`dice 0.9 (left 0.8, right 1.0)` instead of three names that begin alike."""
    values = {"dice": "0.9", "dice:left": "0.8", "dice:right": None, "hd95": "1"}
    case = CaseScore(case="c-1", group="g-1", fold="f1", values=values)
    assert by_label(case, "dice") == "dice 0.9000 (left 0.8000, right undefined)"
    assert by_label(case, "hd95") == "hd95 1.0000"


def test_no_person_and_no_place_is_named(finished: Path, text: str) -> None:
    """Cases and groups stand under their aliases."""
    for number in range(1, sample_data.CASES + 1):
        assert sample_data.real(number) not in text
        assert sample_data.patient(number) not in text

    assert str(finished.parent) not in text
    assert "withheld: names a person or a place" in text


def test_words_of_others_are_escaped(tmp_path: Path, text: str) -> None:
    """Agents and checks write text; it must not become part of the page."""
    assert "A threshold finds balls &amp; little else" in text
    assert "<b>balls</b>" not in text


def test_a_pause_is_told_from_a_crash(text: str) -> None:
    """The run was asked to stop before it went on."""
    assert "the process before was paused" in text
    assert "had died" not in text


def test_rejected_attempts_stand_in_the_board(text: str) -> None:
    """With the reason code, not only the winners."""
    assert f'<details id="{CRUDE}">' in text
    assert "NOT_ABOVE_NULL" in text
    assert "no accepted attempt" in text


def test_each_site_has_a_row(text: str) -> None:
    """As `report_by` asks: what was held out there, with its groups."""
    table = text.partition("<h3>By site</h3>")[2].partition("</table>")[0]
    assert [value for value in ("north", "south") if f">{value}</th>" in table] == [
        "north",
        "south",
    ]
    assert [table.count(counts) for counts in ("4 / 2", "2 / 1")] == [1, 3]


def test_pictures_leave_the_run_only_where_the_contract_allows(tmp_path: Path) -> None:
    """Inside the run folder they are always shown."""
    run = make(tmp_path, Variant(share=False))
    write(run, run / "report.html")
    write(run, tmp_path / "exported.html")

    assert "data:image/png" in (run / "report.html").read_text()
    exported = (tmp_path / "exported.html").read_text()
    assert "data:image/png" not in exported
    assert "images_may_be_shared = false" in exported
    assert "Scores of these cases" in exported


def test_without_the_data_each_case_says_why(finished: Path, tmp_path: Path) -> None:
    """A page can still be made where the images are gone."""
    run = Path(shutil.copytree(finished, tmp_path / "RUN"))
    table = (run / "vault/aliases.json").read_text()
    (run / "vault/aliases.json").write_text(table.replace("/sample/data", "/gone"))

    text = page(run, inside=True)
    assert "the image is not in the data folder any more" in text
    assert "data:image/png" not in text


def test_without_the_vault_there_are_no_pictures(finished: Path, tmp_path: Path) -> None:
    """And the page says so."""
    run = Path(shutil.copytree(finished, tmp_path / "RUN"))
    shutil.rmtree(run / "vault")
    assert "No pictures: the vault is not here." in page(run, inside=True)


@pytest.mark.parametrize("last", [1, 4, 9, 13, 26, 60, 80])
def test_a_page_can_be_made_of_any_beginning(finished: Path, tmp_path: Path, last: int) -> None:
    """A run that is under way, or was broken off, has a report as of its last event."""
    with read(finished / "ledger.db") as reader:
        records = list(reader.records())[:last]

    (tmp_path / "blobs").symlink_to(finished / "blobs")
    with Ledger.create(tmp_path / "ledger.db") as ledger:
        ledger.append([NewEvent(record.type, record.v, record.body) for record in records])

    text = page(tmp_path, inside=True)
    assert f"event {last}; not ended" in text
    assert [name for name in Page(text).ids if name in ANCHORS] == list(ANCHORS)


def test_a_silence_and_a_crash_are_marked(finished: Path, tmp_path: Path) -> None:
    """A gap in the clock, and a new process without a pause before it."""
    code = Code(version="0.1.0", commit=None, dirty=False, lock=None)
    started = RunStarted(run="0" * 32, task="0" * 64, settings=(), code=code)
    times = itertools.count(0, 90_000_000)
    with Ledger.create(tmp_path / "ledger.db", clock=lambda: next(times)) as ledger:
        for fact in (started, RunResumed(after_seq=1, code=code)):
            ledger.append([NewEvent(fact.type, fact.v, encode(dump(fact)))])

    text = page(tmp_path, inside=True)
    assert "crash: the process before had died" in text
    assert "gap: nothing was recorded for" in text


def test_the_winner_has_its_chain(text: str) -> None:
    """From contract to package, each link with its events."""
    chain = text[text.index('id="provenance"') : text.index('id="check"')]
    for word in ("contract", "split", "code", "train", "predict", "verdict", "test", "package"):
        assert f"<b>{word}</b>" in chain

    assert FINAL in chain


def section(text: str, name: str) -> str:
    """Return one section of the page."""
    return text[text.index(f'<section id="{name}"') :].partition("</section>")[0]


def test_the_data_come_first_with_what_is_notable(text: str) -> None:
    assert text.index('<section id="data"') < text.index('<section id="integrity"')
    assert "small balls" in section(text, "data")


def test_pictures_come_before_the_timeline(text: str) -> None:
    assert text.index('<section id="cases"') < text.index('<section id="timeline"')


def test_the_test_line_keeps_what_limits_its_interval(text: str) -> None:
    line = section(text, "claim").partition("<b>test</b>")[2].partition("</li>")[0]

    assert "(t interval over 4 groups covers less than it says)" in line
