"""The case table: every row has one meaning, or is named with its line."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amid.demo import tiny
from amid.errors import AmidError, GroupLeak, TableWrong, TaskMissing
from amid.tasks.contract import Contract, Data
from amid.tasks.reading import load
from amid.tasks.table import Table, read
from tests.amid.sample import ROOT, contract

HEADER = "case,patient,split,image,label"
ONE = "a,p1,train,a.mha,la.mha"


def table(folder: Path, *lines: str, **validation: object) -> Table:
    (folder / "cases.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return read(contract(**validation), folder)


def test_reads_rows_with_their_lines(tmp_path: Path) -> None:
    found = table(tmp_path, HEADER, ONE, "", 'b,p2,test," b.mha ",')

    assert [(row.number, row.case, row.split) for row in found.rows] == [
        (2, "a", "train"),
        (4, "b", "test"),
    ]
    assert found.rows[1].images == {"image": "b.mha"}
    assert found.rows[1].label is None


def test_keeps_the_columns_that_the_contract_names(tmp_path: Path) -> None:
    header, row = f"\ufeff{HEADER},site,age", f"{ONE},Basel,70"

    found = table(tmp_path, header, row, stratify=("site",))

    assert found.rows[0].attributes == {"site": "Basel"}


@pytest.mark.parametrize("key", ["stratify", "report_by"])
@pytest.mark.parametrize("column", ["patient", "case", "image", "label"])
def test_what_names_a_case_or_patient_is_no_property_of_cases(
    tmp_path: Path, key: str, column: str
) -> None:
    with pytest.raises(TableWrong, match=f'"{column}" in .* is not a property that cases share'):
        table(tmp_path, HEADER, ONE, **{key: (column,)})


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ([HEADER.replace("patient", "patiennt"), ONE], 'did you mean "patiennt"?'),
        ([HEADER.replace(",label", ""), "a,p1,train,a.mha"], 'column "label" is missing'),
        ([f"{HEADER},case", f"{ONE},a"], 'column "case" stands in the header twice'),
        (
            [HEADER.replace(",", ";"), ONE.replace(",", ";"), "b;p2;train;b.mha"],
            "line 3 has 4 cells, the header has 5, where a semicolon separates them",
        ),
        ([HEADER], "the table has no rows"),
        ([HEADER, ONE, "a,p1,train,b.mha,lb.mha"], 'line 3: case "a" is already on line 2'),
        ([HEADER, ONE, "b,p1,train,a.mha,lb.mha"], 'line 3: "a.mha" is already used on line 2'),
        ([HEADER, ONE, "b,p1,train,b.mha,la.mha"], 'line 3: "la.mha" is already used on line 2'),
        ([HEADER, "a,,train,a.mha,la.mha"], 'line 2: the cell "patient" is empty'),
        ([HEADER, "a,p1,train,,la.mha"], 'line 2: the cell "image" is empty'),
        (
            [HEADER, "a,p1,val,a.mha,la.mha"],
            'split is "val"; allowed: train, test; validation is drawn from train',
        ),
        ([HEADER, "a,p1,test,a.mha,la.mha"], 'no row has split "train"'),
        ([HEADER, "a,p1,train,a.mha"], "line 2 has 4 cells, the header has 5"),
        ([HEADER, "a,p1,train,../a.mha,la.mha"], 'image = "../a.mha" is not a path inside'),
        ([HEADER, "a,p1,train,x/../../a.mha,la.mha"], "is not a path inside"),
        ([HEADER, "a,p1,train,/etc/a.mha,la.mha"], "is not a path inside"),
        ([HEADER, "a,p1,train,a.mha,C:\\la.mha"], "is not a path inside"),
        ([HEADER, "a,p1,train,a.mha,~/la.mha"], "is not a path inside"),
        ([HEADER, "x/a,p1,train,a.mha,la.mha"], 'case "x/a" cannot be a file name'),
        ([HEADER, 'a,p1,train,"a.mha'], "is not CSV"),
        ([HEADER, f"{'a' * 201},p1,train,a.mha,la.mha"], "cannot be a file name"),
        ([HEADER, "a,p1\u200b,train,a.mha,la.mha"], "a character that cannot be seen"),
        ([HEADER, "a,nan,train,a.mha,la.mha"], 'the cell "patient" is "nan", which stands for'),
        ([HEADER, "a,N/A,train,a.mha,la.mha"], 'the cell "patient" is "N/A", which stands for'),
        ([HEADER, "a,p1,test,a.mha,NULL"], 'the cell "label" is "NULL", which stands for'),
        ([HEADER, ONE, "b,\u04401,train,b.mha,lb.mha"], "'\\u04401' looks like 'p1' on line 2"),
        ([HEADER, ONE, "b,p\uff11,test,b.mha,lb.mha"], "looks like 'p1' on line 2"),
    ],
)
def test_names_each_mistake(tmp_path: Path, lines: list[str], says: str) -> None:
    with pytest.raises(TableWrong) as caught:
        table(tmp_path, *lines)

    assert says in str(caught.value)
    assert caught.value.exit_code == 2
    assert str(tmp_path / "cases.csv") in str(caught.value)


def test_names_all_mistakes_at_once(tmp_path: Path) -> None:
    rows = [f"c{i},p,train,../{i}.mha,l{i}.mha" for i in range(30)]

    with pytest.raises(TableWrong) as caught:
        table(tmp_path, HEADER, *rows)

    assert "30 mistakes" in str(caught.value)
    assert "… and 10 more" in str(caught.value)


def test_a_patient_on_both_sides_is_a_leak_with_both_rows(tmp_path: Path) -> None:
    with pytest.raises(GroupLeak) as caught:
        table(tmp_path, HEADER, ONE, "b,p2,train,b.mha,lb.mha", "c,p1,test,c.mha,lc.mha")

    assert 'patient "p1" is train on line 2 (a) and test on line 4 (c)' in str(caught.value)
    assert caught.value.exit_code == 1


def test_a_patient_in_two_groups_is_a_leak(tmp_path: Path) -> None:
    lines = [f"{HEADER},site", f"{ONE},Basel", "b,p1,train,b.mha,lb.mha,Bern"]
    (tmp_path / "cases.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    by_site = contract()
    by_site = by_site.model_copy(update={"data": by_site.data.model_copy(update={"group": "site"})})

    with pytest.raises(GroupLeak, match='patient "p1" is in site "Basel" on line 2'):
        read(by_site, tmp_path)


def test_a_missing_table_is_missing(tmp_path: Path) -> None:
    with pytest.raises(TaskMissing) as caught:
        read(contract(), tmp_path)

    assert caught.value.exit_code == 3


def test_a_table_in_another_encoding_is_refused(tmp_path: Path) -> None:
    (tmp_path / "cases.csv").write_bytes(f"{HEADER}\n{ONE}\n".encode("utf-16"))

    with pytest.raises(TableWrong, match="not UTF-8"):
        read(contract(), tmp_path)


def test_the_example_keeps_presumed_subjects_on_one_side() -> None:
    task = ROOT / "examples" / "hippocampus"

    found = read(load(task), task)

    assert len(found.rows) == 260
    assert sum(row.split == "test" for row in found.rows) == 45
    for row in found.rows:
        assert int(row.patient[-3:]) == (int(row.case[-3:]) + 1) // 2


def test_tiny_has_six_patients_to_learn_from_and_two_to_be_judged_on(tmp_path: Path) -> None:
    task = tiny.make(tmp_path / "tiny")

    rows = read(load(task), task).rows

    assert [row.split for row in rows].count("train") == 12
    assert len({row.patient for row in rows if row.split == "train"}) == 6
    assert len({row.patient for row in rows if row.split == "test"}) == 2


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, tail: bytes
) -> None:
    folder = tmp_path_factory.mktemp("table")
    (folder / "cases.csv").write_bytes(f"{HEADER}\n{ONE}\n".encode() + tail)

    try:
        rows = read(contract(), folder).rows
    except AmidError as error:
        assert error.exit_code in (1, 2)
    else:
        assert rows[0].case == "a"


TWINS = [
    ("P03", "p03"),
    ("007", "7"),
    ("7.0", "7"),
    ("P-3", "P3"),
    ("P 3", "p_03"),
    ("Mu\u0308ller", "M\u00fcller"),
    ("Stra\u00dfe", "STRASSE"),
]


@pytest.mark.parametrize(("one", "other"), TWINS)
@pytest.mark.parametrize("split", ["train", "test"])
def test_patients_whose_names_are_nearly_the_same_are_refused_with_both_lines(
    tmp_path: Path, one: str, other: str, split: str
) -> None:
    lines = [HEADER, f"a,{one},train,a.mha,la.mha", f"b,{other},{split},b.mha,lb.mha"]

    with pytest.raises(TableWrong) as caught:
        table(tmp_path, *lines)

    assert f"line 3: patient {other!a} looks like {one!a} on line 2" in str(caught.value)
    assert "write one name in one way" in caught.value.do
    assert "[data] distinct" in caught.value.do


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("p1-1", "p11"),
        ("1.1", "1.10"),
        ("1.5", "15"),
        ("-1", "1"),
        ("P03", "P30"),
        ("case_001", "case_010"),
        ("ER+", "ER-"),
        ("<50", ">50"),
        ("Basel", "Bern"),
        ("10", "100"),
    ],
)
def test_names_that_differ_in_what_they_say_stay_two(tmp_path: Path, one: str, other: str) -> None:
    lines = [HEADER, f"a,{one},train,a.mha,la.mha", f"b,{other},train,b.mha,lb.mha"]

    assert [row.group for row in table(tmp_path, *lines).rows] == [one, other]


def with_data(**data: object) -> Contract:
    """Return the sample contract with other `[data]`."""
    plain = contract(report_by=("site",))
    return plain.model_copy(update={"data": Data.model_validate(data)})


def test_sites_and_the_patients_beside_another_group_are_compared_too(tmp_path: Path) -> None:
    lines = [
        "case,patient,family,site,split,image,label",
        "a,p1,f1,Basel,train,a.mha,la.mha",
        "b,p2,f2,basel ,train,b.mha,lb.mha",
        "c,P2,f2,Bern,train,c.mha,lc.mha",
        "d,p3,F1,Bern,train,d.mha,ld.mha",
    ]
    (tmp_path / "cases.csv").write_text("\n".join(lines), encoding="utf-8")

    with pytest.raises(TableWrong) as caught:
        read(with_data(group="family"), tmp_path)

    assert "3 mistakes" in str(caught.value)
    assert "line 3: site 'basel' looks like 'Basel' on line 2" in str(caught.value)
    assert "line 4: patient 'P2' looks like 'p2' on line 3" in str(caught.value)
    assert "line 5: family 'F1' looks like 'f1' on line 2" in str(caught.value)


def test_the_contract_may_say_that_names_which_look_alike_are_two(tmp_path: Path) -> None:
    lines = ["case,patient,site,split,image,label", "a,P3,x,train,a.mha,la.mha"]
    lines += ["b,p3,x,test,b.mha,lb.mha"]
    (tmp_path / "cases.csv").write_text("\n".join(lines), encoding="utf-8")

    found = read(with_data(distinct=("patient",)), tmp_path)

    assert [row.group for row in found.rows] == ["P3", "p3"]


@pytest.mark.parametrize(("one", "other"), [("c01x", "C01X"), ("u\u0308", "\u00fc")])
def test_case_ids_that_are_one_file_name_are_refused_whatever_the_contract_says(
    tmp_path: Path, one: str, other: str
) -> None:
    lines = ["case,patient,site,split,image,label", f"{one},p1,x,train,a.mha,la.mha"]
    lines += [f"{other},p2,x,test,b.mha,lb.mha"]
    (tmp_path / "cases.csv").write_text("\n".join(lines), encoding="utf-8")

    with pytest.raises(TableWrong) as caught:
        read(with_data(distinct=("case",)), tmp_path)

    assert f"line 3: case {other!a} is, but for case or Unicode form, the file name" in str(
        caught.value
    )
    assert f"{one!a} on line 2" in str(caught.value)


@pytest.mark.parametrize(("mark", "name"), [(";", "semicolon"), ("\t", "tab")])
def test_a_table_with_another_separator_is_read_and_said(
    tmp_path: Path, mark: str, name: str
) -> None:
    lines = [f"{HEADER},note", "a,p1,train,a.mha,la.mha,good", "b,p2,test,b.mha,,"]

    found = table(tmp_path, *(line.replace(",", mark) for line in lines))

    assert [row.case for row in found.rows] == ["a", "b"]
    assert found.rows[1].label is None
    assert found.notes == (f"the case table is read with the {name} as separator",)


def test_commas_within_a_cell_of_a_semicolon_table_separate_nothing(tmp_path: Path) -> None:
    lines = ["case;patient;split;image;label;note, in words", "a;p1;train;a.mha;la.mha;one, two"]

    assert table(tmp_path, *lines).rows[0].case == "a"


def test_columns_at_the_end_without_name_or_content_are_dropped_and_said(tmp_path: Path) -> None:
    found = table(tmp_path, f"{HEADER},,", f"{ONE},,", "b,p2,test,b.mha,,,")

    assert found.rows[1].label is None
    assert found.notes == ("2 columns without name or content at the end of the case table",)


def test_a_column_without_a_name_that_holds_something_is_only_unused(tmp_path: Path) -> None:
    found = table(tmp_path, f",{HEADER}", f"0,{ONE}", "1,b,p2,train,b.mha,lb.mha")

    assert [row.case for row in found.rows] == ["a", "b"]
    assert found.notes == ()


def test_a_path_may_begin_at_the_data_folder(tmp_path: Path) -> None:
    found = table(tmp_path, HEADER, "a,p1,train,./imagesTr/a.mha,./labelsTr/a.mha")

    assert found.rows[0].images == {"image": "imagesTr/a.mha"}
    assert found.rows[0].label == "labelsTr/a.mha"


def test_blanks_umlauts_byte_order_mark_and_windows_lines_are_read(tmp_path: Path) -> None:
    text = f"\ufeff{HEADER}\r\nf\u00fcnf, p 1 ,train,mein Ordner/\u00fc.mha,l b/\u00fc.mha\r\n"
    (tmp_path / "cases.csv").write_bytes(text.encode())

    row = read(contract(), tmp_path).rows[0]

    assert (row.case, row.group) == ("f\u00fcnf", "p 1")
    assert row.images == {"image": "mein Ordner/\u00fc.mha"}
