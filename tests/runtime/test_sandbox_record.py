"""How strace's text becomes a record."""

import json
import os
import string
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.adapters.sandbox import record
from runtime.adapters.sandbox.reading import Access, Reading
from runtime.adapters.sandbox.walk import Walker

HEAD = [
    '10    execve("/usr/bin/python3", ["python"...], 0x7ffd /* 2 vars */) = 0',
    '10    openat(AT_FDCWD</job>, "/etc/ld.so.cache", O_RDONLY) = 3</etc/ld.so.cache>',
    '10    execve("/usr/bin/python3", ["python"...], 0x7ffd /* 2 vars */) = 0',
]
TAIL = ["10    +++ exited with 0 +++"]


def read(lines: list[str]) -> tuple[Reading, list[Access]]:
    """Read a log that is there as a whole."""
    found: dict[Access, None] = {}
    reading = Reading("/job", Walker(()), lambda access: found.update({access: None}))
    for line in lines:
        reading.feed(f"{line}\n".encode("ascii", "replace"))

    return reading, list(found)


def calls(*lines: str) -> list[Access]:
    return read([*HEAD, *lines, *TAIL])[1]


def test_what_comes_before_the_job_is_left_out() -> None:
    assert [(c.op, c.path) for c in calls()] == [("exec", os.path.realpath("/usr/bin/python3"))]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('openat(AT_FDCWD</job>, "x", O_RDONLY) = 3</job/x>', ("open", "/job/x", "ok")),
        ('openat(AT_FDCWD</job>, "../x", O_RDONLY) = -1 EACCES (No)', ("open", "/x", "EACCES")),
        ('openat(5</v>, "y", O_RDWR|O_CREAT, 0666) = -1 EPERM (No)', ("write", "/v/y", "EPERM")),
        ('chdir("/v") = 0', ("chdir", "/v", "ok")),
        ('stat("a/../b", 0x7ffc) = 0', ("stat", "/job/b", "ok")),
        ('newfstatat(5</v>, "y", 0x7ffc, 0) = -1 ENOENT (No)', ("stat", "/v/y", "ENOENT")),
        ('newfstatat(5, "y", 0x7f, 0) = 0', ("stat", "unknown:beyond a descriptor", "ok")),
        ('getxattr("/v/y", "user.a", 0x7f, 8) = -1 ENODATA (No)', ("xattr", "/v/y", "ENODATA")),
        (
            'inotify_add_watch(3<anon_inode:inotify>, "w", IN_OPEN) = 1',
            ("watch", "/job/w", "ok"),
        ),
        (
            'openat(AT_FDCWD</job>, "/job", O_RDWR|O_TMPFILE, 0600) = 4</job/#23>(deleted)',
            ("write", "/job/#23", "ok"),
        ),
        ('open("a) = 3", O_RDONLY) = -1 ENOENT (No such file)', ("open", "/job/a) = 3", "ENOENT")),
        (
            'openat(3</job>, "n", O_RDONLY) = 4</job/n) = -1 EPERM (y\\76>(deleted)',
            ("open", "/job/n) = -1 EPERM (y>", "ok"),
        ),
        ('open("O_RDWR", O_RDONLY) = 3</job/O_RDWR>', ("open", "/job/O_RDWR", "ok")),
        ('creat("c", 0666) = 3</job/c>', ("write", "/job/c", "ok")),
        ('symlink("/vault", "out/l") = 0', ("point", "/vault", "ok")),
        ('unlinkat(4</job/out>, "z", 0) = 0', ("unlink", "/job/out/z", "ok")),
        ('truncate("/v/\\303\\251\\n\\"", 0) = 0', ("truncate", '/v/é\n"', "ok")),
        ('mkdir("/v/\\377", 0777) = 0', ("mkdir", "/v/\udcff", "ok")),
        (
            'connect(3<socket:[7]>, {sa_family=AF_UNIX, sun_path="tmp/s"}, 110) = 0',
            ("connect", "/job/tmp/s", "ok"),
        ),
        (
            "connect(3<UDP:[7]>, {sa_family=AF_INET, sin_port=htons(9)}, 16) = 0",
            ("connect", "AF_INET", "ok"),
        ),
        (
            "socket(AF_INET, SOCK_DGRAM|SOCK_CLOEXEC, IPPROTO_IP) = 3<UDP:[9]>",
            ("socket", "AF_INET/SOCK_DGRAM", "ok"),
        ),
    ],
)
def test_one_call(line: str, expected: tuple[str, str, str]) -> None:
    found = calls(f"10    {line}")[1]

    assert (found.op, found.path, found.result) == expected


def test_both_names_of_a_rename_are_kept() -> None:
    line = '10    renameat2(AT_FDCWD</job>, "a", 7</job/out>, "b", 0) = 0'

    assert [c.path for c in calls(line)[1:]] == ["/job/a", "/job/out/b"]


def test_interrupted_halves_are_joined_and_folders_followed() -> None:
    found = calls(
        "10    clone(child_stack=NULL, flags=SIGCHLD) = 11",
        '11    chdir("/deep") = 0',
        '11    open("x", O_RDONLY <unfinished ...>',
        '10    open("y", O_RDONLY) = 4</job/y>',
        "11    <... open resumed>) = -1 EACCES (Permission denied)",
        "11    +++ killed by SIGKILL +++",
    )

    assert [(c.process.leader, c.path) for c in found[1:]] == [
        (11, "/deep"),
        (10, "/job/y"),
        (11, "/deep/x"),
    ]


def test_a_thread_that_executes_a_program_takes_its_process_number() -> None:
    lines = [
        "10    clone(flags=CLONE_VM|CLONE_THREAD) = 11",
        '11    execve("/bin/true", ["true"], 0x7ffd /* 35 vars */ <pid changed to 10 ...>',
        "10    <... execve resumed>)             = -1 (errno 18446744073709551359)",
    ]
    reading, found = read([*HEAD, *lines, *TAIL])

    assert (found[1].process.leader, found[1].path) == (10, os.path.realpath("/bin/true"))
    assert found[1].result == "ok"
    assert reading.complete


def test_a_line_that_cannot_be_read_is_kept_as_it_is() -> None:
    found = calls("10    weather(cloudy)")[1]

    assert (found.op, found.path) == ("unread", "unknown:weather")


def test_repeated_opens_are_read_once() -> None:
    line = '10    openat(AT_FDCWD</job>, "x", O_RDONLY) = 3</job/x>'

    assert len(calls(*[line] * 5)) == 2


def test_complete_only_when_every_process_is_followed_to_its_end() -> None:
    fork = "10    clone(child_stack=NULL, flags=SIGCHLD) = 11"
    child = '11    open("y", O_RDONLY) = 4</job/y>'

    assert read([*HEAD, fork, child, "11    +++ exited with 0 +++", *TAIL])[0].complete
    assert not read([*HEAD, fork, child, *TAIL])[0].complete
    assert not read(HEAD)[0].complete
    assert not read([])[0].complete


NAMES = st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1)


def escaped(name: str) -> str:
    """Write a name as strace does: printable ASCII, octal for the rest."""
    plain = set(string.printable.encode()) - set(b'"\\\n\t\r\x0b\x0c<>')
    return "".join(chr(b) if b in plain else f"\\{b:03o}" for b in name.encode())


@given(NAMES)
def test_any_name_comes_back_as_it_was(name: str) -> None:
    text = escaped(name)

    failed = calls(f'10    open("/v/n{text}", O_RDONLY) = -1 EACCES (Permission denied)')[1]
    opened = calls(f'10    open("/v/n{text}", O_RDONLY) = 3</v/n{text}>')[1]

    assert failed.path == opened.path == f"/v/n{name}"


@settings(max_examples=30)
@given(st.lists(st.text(max_size=40), max_size=4))
def test_any_other_text_is_passed_over(lines: list[str]) -> None:
    read(lines)
    read([*HEAD, *(f"10    {line}" for line in lines)])


def test_the_longest_root_names_a_path() -> None:
    namer = record.Namer({"run": "/r", "vault": "/r/vault"}, ["/opt/python"], [])

    assert namer.name("/r/vault/labels/x") == "vault:labels/x"
    assert namer.name("/r/vault") == "vault:"
    assert namer.name("/r/vaulted") == "run:vaulted"
    assert namer.name("/opt/python/lib/re.py") == "env:lib/re.py"
    assert namer.name("/etc/shadow") == "other:/etc/shadow"
    assert namer.name("/srv") == "other:/srv"
    assert namer.name("/srv/alice/patient-7/ct.nii") == "other:/srv/…"
    assert namer.name("AF_INET/SOCK_DGRAM") == "AF_INET/SOCK_DGRAM"


def test_all_refusals_stand_in_the_record_and_fifty_in_the_summary(tmp_path: Path) -> None:
    book = record.Book(tmp_path / "access.jsonl", record.Namer({"vault": "/v"}, [], []))
    for number in range(140):
        book.take(1, 0, "open", f"/v/{number % 70}", "EACCES")

    book.take(1, 0, "socket", "AF_INET/SOCK_DGRAM", "EPERM")
    summary = book.close()

    assert len(summary.denied) == record.SHOWN
    assert summary.denied[0] == ("open", "vault:0", "EACCES")
    assert summary.denied_total == 71
    lines = [json.loads(x) for x in (tmp_path / "access.jsonl").read_text().splitlines()]
    assert len(lines) == 71
    assert list(lines[0]) == ["pid", "ppid", "op", "path", "dev", "ino", "result"]


def test_a_full_record_says_where_it_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record, "MOST_LINES", 5)
    book = record.Book(tmp_path / "access.jsonl", record.Namer({"vault": "/v"}, [], []))
    for number in range(9):
        book.take(1, 0, "open", f"/v/{number}", "EACCES")

    book.close()

    lines = [json.loads(x) for x in (tmp_path / "access.jsonl").read_text().splitlines()]
    assert [x["op"] for x in lines] == ["open"] * 5 + ["stopped"]
    assert lines[-1]["result"] == "access record limit of 5 lines reached; 4 more left out"


def test_a_long_path_is_cut_and_keeps_its_root(tmp_path: Path) -> None:
    book = record.Book(tmp_path / "access.jsonl", record.Namer({"vault": "/v"}, [], []))
    book.take(1, 0, "stat", "/v/" + "x/" * 9000, "ENOENT")
    book.close()

    line = json.loads((tmp_path / "access.jsonl").read_text())
    assert line["path"].startswith("vault:x/x/")
    assert len(line["path"]) == record.LONGEST_PATH


def test_a_thread_shares_its_folder_and_a_process_does_not() -> None:
    found = calls(
        "10    clone(child_stack=0x7f, flags=CLONE_VM|CLONE_FS|CLONE_THREAD) = 11",
        "10    fork() = 12",
        '11    chdir("/deep") = 0',
        '10    access("x", F_OK) = 0',
        '12    access("x", F_OK) = 0',
    )

    assert [c.path for c in found[-2:]] == ["/deep/x", "/job/x"]


def test_a_child_may_speak_before_its_maker_has_returned() -> None:
    found = calls(
        '10    chdir("/deep") = 0',
        "10    clone(child_stack=0x7f, flags=CLONE_VM|CLONE_FS|CLONE_THREAD <unfinished ...>",
        '11    access("x", F_OK) = 0',
        "10    <... clone resumed>) = 11",
    )

    assert (found[-1].path, found[-1].process.leader) == ("/deep/x", 10)


def test_a_child_in_another_number_space_is_known_by_the_recorders_number() -> None:
    reading, _ = read(
        [
            *HEAD,
            "10    fork() = 3 /* 4711 in strace's PID NS */",
            '4711  access("x", F_OK) = 0',
            "4711  +++ exited with 0 +++",
            *TAIL,
        ]
    )

    assert reading.complete


def test_links_are_followed_before_parents(tmp_path: Path) -> None:
    """Given a link to a folder, then `link/..` is that folder's parent, as the kernel has it."""
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "to-b").symlink_to("a/b")
    (tmp_path / "round").symlink_to("round")
    walker = Walker(())

    assert walker.follow(str(tmp_path), "to-b/../x", lambda _: None) == f"{tmp_path}/a/x"
    assert walker.follow(str(tmp_path / "a"), "/../x", lambda _: None) == "/x"
    assert walker.follow("/", "proc/self/cwd/x", lambda _: "/where") == "/where/x"
    assert walker.follow(str(tmp_path), "round/x", lambda _: None).startswith(str(tmp_path))


@settings(max_examples=200)
@given(st.lists(st.sampled_from(["a", "b", "..", ".", "", "to-b", "up"]), max_size=12))
def test_a_followed_path_is_the_real_path(
    tmp_path_factory: pytest.TempPathFactory, parts: list[str]
) -> None:
    """Given links and parents in any order, then the answer is the system's own."""
    base = tmp_path_factory.getbasetemp() / "walk"
    if not base.exists():
        (base / "a/b").mkdir(parents=True)
        (base / "to-b").symlink_to("a/b")
        (base / "a/up").symlink_to("..")

    text = "/".join(parts).lstrip("/")
    assert Walker(()).follow(str(base), text, lambda _: None) == os.path.realpath(base / text)
