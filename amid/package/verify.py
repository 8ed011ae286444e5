# ruff: noqa: T201, UP006, UP035 - prints its answer, and runs on older Pythons
"""Check a submission package. Needs Python 3.9 or later and nothing else.

    python verify.py [FOLDER]        exit 0: whole and unaltered; 1: it is not; 2: wrong use

It checks that every file is the one listed (SHA-256 from SHA256SUMS; BLAKE3 from manifest.json for
payload files up to 1 MB, since BLAKE3 in plain Python is slow), that no file was added, that the
events form one unbroken chain, that `package.built` names this payload, and that every claim cites
an event of the chain. It prints what was not checked. It cannot tell whether the chain as a whole
was made up: compare its head with one that you got on another way.
"""

import hashlib
import json
import re
import struct
import sys
from pathlib import Path
from typing import Any, Dict, List, Tuple

Words = Tuple[int, ...]
Json = Dict[str, Any]

BLAKE3_UP_TO = 1_000_000
MASK = 0xFFFFFFFF
IV = (
    0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19,
)  # fmt: skip
START, END, PARENT, ROOT = 1, 2, 4, 8
PERMUTATION = (2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8)
MIXES = (
    (0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
    (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14),
)  # fmt: skip


def compress(chain: Words, block: bytes, counter: int, flags: int) -> Words:
    """Return the 8 words that BLAKE3 makes of a chaining value and one block."""
    words = struct.unpack("<16I", block.ljust(64, b"\0"))
    state = [*chain, *IV[:4], counter & MASK, counter >> 32, len(block), flags]
    for _ in range(7):
        for i, (a, b, c, d) in enumerate(MIXES):
            va, vb, vc, vd = state[a], state[b], state[c], state[d]
            va = (va + vb + words[2 * i]) & MASK
            vd ^= va
            vd = (vd >> 16 | vd << 16) & MASK
            vc = (vc + vd) & MASK
            vb ^= vc
            vb = (vb >> 12 | vb << 20) & MASK
            va = (va + vb + words[2 * i + 1]) & MASK
            vd ^= va
            vd = (vd >> 8 | vd << 24) & MASK
            vc = (vc + vd) & MASK
            vb ^= vc
            state[a], state[b], state[c], state[d] = va, (vb >> 7 | vb << 25) & MASK, vc, vd
        words = tuple(words[i] for i in PERMUTATION)
    return tuple(state[i] ^ state[i + 8] for i in range(8))


def chunk_value(data: bytes, counter: int, root: int) -> Words:
    """Return the chaining value of one chunk of at most 1024 bytes."""
    chain: Words = IV
    last = max(0, len(data) - 1) // 64
    for i in range(last + 1):
        flags = (START if i == 0 else 0) | ((END | root) if i == last else 0)
        chain = compress(chain, data[64 * i : 64 * i + 64], counter, flags)
    return chain


def tree_value(data: bytes, counter: int, root: int) -> Words:
    """Return the chaining value of a subtree: left side the largest power of two of chunks."""
    if len(data) <= 1024:
        return chunk_value(data, counter, root)
    left = 1024 << (((len(data) - 1) // 1024).bit_length() - 1)
    words = tree_value(data[:left], counter, 0) + tree_value(data[left:], counter + left // 1024, 0)
    return compress(IV, struct.pack("<16I", *words), 0, PARENT | root)


def blake3(data: bytes) -> str:
    """Return the BLAKE3-256 digest of bytes, as hex."""
    return struct.pack("<8I", *tree_value(bytes(data), 0, ROOT)).hex()


def counted(data: bytes) -> bytes:
    """Return bytes behind their length in four bytes, most significant first."""
    return struct.pack(">I", len(data)) + data


def event_hash(run: str, event: Json) -> str:
    """Return the hash of an event: everything but the body, which enters by its own hash."""
    return blake3(
        b"event v1" + bytes.fromhex(run)
        + struct.pack(">QQq", event["seq"], event["term"], event["at_us"])
        + bytes.fromhex(event["prev"])
        + counted(event["type"].encode()) + struct.pack(">I", event["v"])
        + counted(event["cmd"].encode()) + bytes.fromhex(event["body_hash"])
    )  # fmt: skip


def check_sums(folder: Path, problems: List[str]) -> Dict[str, str]:
    """Compare every file with SHA256SUMS, and look for files that nobody listed."""
    listed = {}
    for line in (folder / "SHA256SUMS").read_text("utf-8").splitlines():
        digest, _, path = line.partition("  ")
        listed[path] = digest
    found = {p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if not p.is_dir()}
    for path in sorted(found.keys() - listed.keys() - {"SHA256SUMS"}):
        problems.append(f"{path}: not in SHA256SUMS, added later")
    for path, digest in sorted(listed.items()):
        if path not in found:
            problems.append(f"{path}: missing")
        elif found[path].is_symlink():
            problems.append(f"{path}: a link, not a file")
        elif hashlib.sha256(found[path].read_bytes()).hexdigest() != digest:
            problems.append(f"{path}: altered (SHA-256 differs)")
    return listed


def check_payload(
    folder: Path, listed: Dict[str, str], problems: List[str]
) -> Tuple[str, int, int]:
    """Compare payload files with manifest.json; return its digest and how many had BLAKE3."""
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    names = {"payload/" + row["path"] for row in manifest}
    payload = {path for path in listed if path.startswith("payload/")}
    for path in sorted(names ^ payload):
        problems.append(f"{path}: only in one of manifest.json and SHA256SUMS")
    hashed = 0
    for row in manifest:
        file = folder / "payload" / row["path"]
        if not file.is_file() or ".." in Path(row["path"]).parts:
            continue
        if file.stat().st_size != row["bytes"]:
            problems.append(f"payload/{row['path']}: altered (size differs from manifest.json)")
        elif row["bytes"] <= BLAKE3_UP_TO:
            hashed += 1
            if blake3(file.read_bytes()) != row["digest"]:
                problems.append(f"payload/{row['path']}: altered (BLAKE3 differs)")
    text = json.dumps(manifest, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return blake3(text.encode()), hashed, len(manifest)


def check_chain(folder: Path, problems: List[str]) -> Tuple[Dict[int, Json], Json]:
    """Walk the events from the first to the head; return them by number."""
    head: Json = json.loads((folder / "provenance/head.json").read_text("utf-8"))
    events: Dict[int, Json] = {}
    prev = "00" * 32
    for line in (folder / "provenance/events.jsonl").read_text("utf-8").split("\n")[:-1]:
        event = json.loads(line)
        number = event["seq"]
        if number != len(events) + 1 or event["prev"] != prev:
            problems.append(f"event {number}: does not follow event {len(events)}")
        body = event["body"]
        if body is not None and blake3(b"body v1" + body.encode()) != event["body_hash"]:
            problems.append(f"event {number}: its body is not the one that was recorded")
        if event_hash(head["run"], event) != event["hash"]:
            problems.append(f"event {number}: its hash does not fit its content")
        events[number], prev = event, event["hash"]
    if (len(events), prev) != (head["seq"], head["hash"]):
        problems.append(f"the chain ends at event {len(events)}, not at the head in head.json")
    first = events.get(1, {}).get("body")
    if first is not None and json.loads(first).get("run") != head["run"]:
        problems.append("event 1 starts another run than head.json says")
    return events, head


def check_claims(folder: Path, events: Dict[int, Json], problems: List[str]) -> int:
    """Every claim of the model card names events of this chain by number and hash."""
    claims = json.loads((folder / "provenance/claims.json").read_text("utf-8"))["claims"]
    for name, claim in sorted(claims.items()):
        for cited in claim["events"]:
            if events.get(cited["seq"], {}).get("hash") != cited["hash"]:
                problems.append(f"claim {name} cites event {cited['seq']}, which is not here")
    card = (folder / "payload/MODEL_CARD.md").read_text("utf-8")
    for name in sorted(set(re.findall(r"\[(C\d+)\]", card)) ^ set(claims)):
        problems.append(f"claim {name} is only in one of MODEL_CARD.md and claims.json")
    return len(claims)


def built_says(events: Dict[int, Json], digest: str, problems: List[str]) -> str:
    """Say whether the run's own package event names this payload."""
    built = [event for event in events.values() if event["type"] == "package.built"]
    if not built:
        return "not among the events, which end before it"
    if built[-1]["body"] is None or json.loads(built[-1]["body"])["manifest"] != digest:
        problems.append(f"event {built[-1]['seq']} (package.built) names another payload")
        return "names another payload"
    return f"event {built[-1]['seq']} names this payload"


def check(folder: Path) -> Tuple[List[str], List[str]]:
    """Return what was found, as lines for people, and the problems."""
    problems: List[str] = []
    listed = check_sums(folder, problems)
    digest, hashed, files = check_payload(folder, listed, problems)
    events, head = check_chain(folder, problems)
    claims = check_claims(folder, events, problems)
    built = built_says(events, digest, problems)
    marks = json.loads((folder / "provenance/assurance.json").read_text("utf-8"))
    withheld = sum(event["body"] is None for event in events.values())
    says = [
        f"marks      {', '.join(marks['marks']) or 'none: ' + marks['standing']}",
        f"assurance  {marks['assurance']} (how the winning attempt was executed)",
        f"files      {len(listed)} by SHA-256; of {files} payload files {hashed} also by BLAKE3",
        f"payload    {digest}",
        f"package    {built}",
        f"chain      run {head['run']}, {len(events)} events, {withheld} bodies withheld",
        f"head       {head['hash']}",
        f"claims     {claims}, each citing events of this chain",
    ]
    says += [f"unchecked  {row['check']}: {row['why']}" for row in marks["unchecked"]]
    says += ["unchecked  whether the whole chain was made up: compare the head with another copy"]
    return says, problems


def problems_of(folder: Path) -> List[str]:
    """Return what is wrong with a package."""
    try:
        return check(folder)[1]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, struct.error) as problem:
        return [f"cannot be read as a package: {type(problem).__name__}: {problem}"]


def main(words: List[str]) -> int:
    """Check the folder named on the command line, else the one this file lies in."""
    folder = Path(words[0]) if words else Path(__file__).resolve().parent
    if len(words) > 1 or not (folder / "SHA256SUMS").is_file():
        print("usage: python verify.py [FOLDER], FOLDER holding SHA256SUMS", file=sys.stderr)
        return 2
    try:
        says, problems = check(folder)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, struct.error) as problem:
        says, problems = [], [f"cannot be read as a package: {type(problem).__name__}: {problem}"]
    print("\n".join(says))
    print("\n".join(f"PROBLEM    {problem}" for problem in problems) or "answer     yes, unaltered")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
