# ruff: noqa: ANN401, E401, FBT001, FBT003, I001, T201, UP035 - a script of its own, kept short
"""Check a submission package. Needs Python 3.9 or later and nothing else.

    python verify.py [FOLDER]    exit 0: yes, unaltered; 1: no; 2: wrong use; 6: undecided

Every file must be the one listed (SHA-256; payload files up to 1 MB by BLAKE3 too), the events one
unbroken chain whose `package.built` names this payload, and all that is told beside the events what
their bodies say; withheld ones leave it undecided. A chain made up as a whole it cannot tell.
"""

import hashlib, json, re, struct, sys
from pathlib import Path
from typing import Any, Callable

LEVELS = ("sealed", "confined", "unrecorded", "none")
BLAKE3_UP_TO, MASK = 1_000_000, 0xFFFFFFFF
WORDS = "6a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd19"
IV = struct.unpack(">8I", bytes.fromhex(WORDS))
START, END, PARENT, ROOT = 1, 2, 4, 8
PERMUTATION = (2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8)
MIXES = [(i, 4+(i+k)%4, 8+(i+2*k)%4, 12+(i+3*k)%4) for k in (0, 1) for i in range(4)]  # fmt: skip


def compress(chain: tuple[int, ...], block: bytes, counter: int, flags: int) -> tuple[int, ...]:
    """Return the 8 words that BLAKE3 makes of a chaining value and one block."""
    words = struct.unpack("<16I", block.ljust(64, b"\0"))
    state = [*chain, *IV[:4], counter & MASK, counter >> 32, len(block), flags]
    for _ in range(7):
        for i, (a, b, c, d) in enumerate(MIXES):
            va, vb, vc, vd = state[a], state[b], state[c], state[d]
            va = (va + vb + words[2 * i]) & MASK
            vd = ((x := vd ^ va) >> 16 | x << 16) & MASK
            vc = (vc + vd) & MASK
            vb = ((x := vb ^ vc) >> 12 | x << 20) & MASK
            va = (va + vb + words[2 * i + 1]) & MASK
            vd = ((x := vd ^ va) >> 8 | x << 24) & MASK
            vc = (vc + vd) & MASK
            vb = ((x := vb ^ vc) >> 7 | x << 25) & MASK
            state[a], state[b], state[c], state[d] = va, vb, vc, vd
        words = tuple(words[i] for i in PERMUTATION)
    return tuple(state[i] ^ state[i + 8] for i in range(8))


def value(data: bytes, counter: int, root: int) -> tuple[int, ...]:
    """Return the chaining value of a subtree: left side the largest power of two of chunks."""
    if len(data) > 1024:
        left = 1024 << (((len(data) - 1) // 1024).bit_length() - 1)
        words = value(data[:left], counter, 0) + value(data[left:], counter + left // 1024, 0)
        return compress(IV, struct.pack("<16I", *words), 0, PARENT | root)
    chain, last = IV, max(0, len(data) - 1) // 64
    for i in range(last + 1):
        flags = START * (i == 0) | (END | root) * (i == last)
        chain = compress(chain, data[64 * i : 64 * i + 64], counter, flags)
    return chain


def blake3(data: bytes) -> str:
    """Return the BLAKE3-256 digest of bytes, as hex."""
    return struct.pack("<8I", *value(bytes(data), 0, ROOT)).hex()


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object; one with a key twice means different things to different readers."""
    if len(dict(pairs)) != len(pairs):
        raise ValueError(f"a key stands twice among {[key for key, _ in pairs]}")
    return dict(pairs)


parse = json.JSONDecoder(object_pairs_hook=unique).decode


class Package:
    """A package in a folder, and what was found about it."""

    def __init__(self, folder: Path, blake3: Callable[[bytes], str] = blake3) -> None:
        """Check a folder; `blake3` may be a faster one. What cannot be read is a problem too."""
        self.folder, self.blake3 = folder, blake3
        self.says, self.problems, self.undecided = list[str](), list[str](), list[str]()
        self.events: dict[int, Any] = {}
        try:
            listed = self.sums()
            self.chain()
            self.verdicts(self.payload(listed))
            self.documents()
            self.claims()
        except Exception as error:  # a stranger's files may do anything
            self.problems.append(f"cannot be read: {type(error).__name__}: {str(error)[:300]}")

    def hash_of(self, run: str, event: Any) -> str:
        """Return an event's hash: all of it but the body, which enters by its own hash."""
        kind, cmd = event["type"].encode(), event["cmd"].encode()
        numbers = struct.pack(">QQq", event["seq"], event["term"], event["at_us"])
        start = b"event v1" + bytes.fromhex(run) + numbers + bytes.fromhex(event["prev"])
        end = struct.pack(">I", len(kind)) + kind + struct.pack(">II", event["v"], len(cmd)) + cmd
        return self.blake3(start + end + bytes.fromhex(event["body_hash"]))

    def digest(self, value: object) -> str:
        """Return the digest of a value as the run stored it: sorted keys, no space."""
        text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return self.blake3(text.encode())

    def read(self, path: str) -> Any:
        """Return the value of a JSON file."""
        return parse((self.folder / path).read_text("utf-8"))

    def bodies(self, kind: str) -> list[tuple[int, Any]]:
        """Return number and body of the events of a type, as far as they are not withheld."""
        found = [(n, e["body"]) for n, e in self.events.items() if e["type"] == kind]
        return [(n, parse(body)) for n, body in found if body is not None]

    def no(self, wrong: bool, says: str) -> None:
        """Note a problem where something is wrong."""
        self.problems += [says] if wrong else []

    def same(self, path: str, expected: object, *kinds: str) -> bool:
        """Compare a file with what events of some types say, unless one of them is withheld."""
        held = [n for n, e in self.events.items() if e["type"] in kinds and e["body"] is None]
        self.undecided += [f"{path}: the body of event {n} is withheld" for n in held]
        self.no(not held and self.read(path) != expected, f"{path}: not as in the events")
        return not held

    def sums(self) -> list[str]:
        """Compare every file with SHA256SUMS, and look for what nobody listed."""
        lines = (self.folder / "SHA256SUMS").read_text("utf-8").splitlines()
        listed = {line[66:]: line[:64] for line in lines}
        plain = all(re.fullmatch(r"[0-9a-f]{64}  .+", line) for line in lines)
        self.no(not plain or len(listed) != len(lines), "SHA256SUMS: not a list of sums and names")
        sums: dict[str, str] = {}
        for file in sorted(self.folder.rglob("*")):
            path, link = file.relative_to(self.folder).as_posix(), file.is_symlink()
            self.no(link or not (file.is_file() or file.is_dir()), f"{path}: a link, or no file")
            if file.is_file():
                sums[path] = hashlib.sha256(file.read_bytes()).hexdigest()
        for path in sorted((sums.keys() | listed.keys()) - {"SHA256SUMS"}):
            how = "altered (SHA-256 differs)" if path in listed else "not in SHA256SUMS: added"
            says = f"{path}: {how if path in sums else 'missing'}"
            self.no(sums.get(path) != listed.get(path), says)
        return list(listed)

    def chain(self) -> None:
        """Walk the events from the first to the head."""
        head = self.read("provenance/head.json")
        *lines, rest = (self.folder / "provenance/events.jsonl").read_text("utf-8").split("\n")
        prev = "00" * 32
        for n, line in enumerate(lines, 1):
            event = self.events[n] = parse(line)
            body, hashed = event["body"], self.hash_of(head["run"], event)
            wrong = (event["seq"], event["prev"]) != (n, prev)
            self.no(wrong, f"event {n}: does not follow event {n - 1}")
            kept = body is None or self.blake3(b"body v1" + body.encode()) == event["body_hash"]
            self.no(not kept, f"event {n}: its body is not the one that was recorded")
            self.no(hashed != event["hash"], f"event {n}: its hash does not fit its content")
            prev = event["hash"]
        ends = ("", len(lines), prev) == (rest, head["seq"], head["hash"])
        self.no(not ends, "events.jsonl: it does not end at the head in head.json")
        for n, body in self.bodies("run.started"):
            self.no(body["run"] != head["run"], f"event {n} starts another run than head.json says")
        self.says += [f"chain      run {head['run']}, {len(lines)} events", f"head       {prev}"]

    def payload(self, listed: list[str]) -> list[str]:
        """Compare the payload with manifest.json and `package.built`; return its attempts."""
        manifest = self.read("manifest.json")
        rows = {"payload/" + row["path"]: row for row in manifest}
        for path in sorted(rows.keys() ^ {path for path in listed if path.startswith("payload/")}):
            self.no(True, f"{path}: only in one of manifest.json and SHA256SUMS")
        hashed = [path for path in listed if path in rows and rows[path]["bytes"] <= BLAKE3_UP_TO]
        for path in hashed:
            wrong = self.blake3((self.folder / path).read_bytes()) != rows[path]["digest"]
            self.no(wrong, f"{path}: altered (BLAKE3 differs from manifest.json)")
        digest, built = self.digest(manifest), self.bodies("package.built")
        attempts = sorted({p.split("/")[2] for p in rows if p.startswith("payload/code/")})
        self.undecided += [] if built else ["whether the run built this: no package.built says so"]
        for n, body in built[-1:]:
            wrong = body["manifest"] != digest or body["attempt"] not in attempts
            self.no(wrong, f"event {n} (package.built) names another payload")
        self.says.append(f"files      {len(listed)}, {len(hashed)} by BLAKE3 too; payload {digest}")
        return attempts

    def verdicts(self, attempts: list[str]) -> None:
        """Derive verdicts and assurance. For marks, packages have no form of evidence yet."""
        found: dict[str, list[Any]] = {}
        for n, body in self.bodies("review.check_found"):
            found.setdefault(body.pop("attempt"), []).append({"event": n, **body})
        scores = {body["attempt"]: body["scores"] for _, body in self.bodies("review.measured")}
        given = [{"event": n, **body} for n, body in self.bodies("review.verdict_given")]
        settled = [{"event": n, **body} for n, body in self.bodies("review.resolved")]
        for row, name in [(row, row["attempt"]) for row in given]:
            row.update(scores=scores.get(name, []), findings=found.get(name, []))
        last = {row["attempt"]: row["verdict"] for row in given}
        last.update({row["attempt"]: (row["decision"], row.pop("person"))[0] for row in settled})
        derived = {"schema": "verdicts/1", "verdicts": given, "resolved": settled}
        kinds = ("review.check_found", "review.measured", "review.verdict_given", "review.resolved")
        for name in attempts if self.same("provenance/verdicts.json", derived, *kinds) else []:
            self.no(last.get(name) != "accept", f"attempt {name}, whose code is here: not accepted")
        ran = {b["attempt"]: b["assurance"] for _, b in self.bodies("attempt.executed")}
        ran = {name: level for name, level in ran.items() if name in attempts}
        rows = [r for name in attempts for r in found.get(name, []) if r["outcome"] == "unchecked"]
        missed = sorted({(row["check"], " ".join(row["says"].split())) for row in rows})
        worst, told = max(ran.values(), key=LEVELS.index), self.read("provenance/assurance.json")
        assurance = {"schema": "assurance/1", "marks": [], "standing": "self-attested",
                     "says": told["says"], "assurance": worst, "attempts": ran,
                     "unchecked": [{"check": c, "why": why} for c, why in missed]}  # fmt: skip
        self.same("provenance/assurance.json", assurance, kinds[0], "attempt.executed")
        self.says += [f"marks      none: self-attested; executed {worst}"]
        self.says += [f"unchecked  {check}: {why}" for check, why in missed]

    def documents(self) -> None:
        """Derive split and environment: the event has them, or the digest of what is here."""
        for name, kind, part in (("split", "split.frozen", "split"),
                                 ("environment", "environment.captured", "packages")):  # fmt: skip
            path = f"provenance/{name}.json"
            told, expected = self.read(path), self.read(path)
            for n, body in self.bodies(kind)[-1:]:
                self.no(self.digest(told[part]) != body.pop(part), f"{path}: not that of event {n}")
                expected.update({key: item for key, item in body.items() if key in told})
            self.same(path, expected, kind)

    def claims(self) -> None:
        """Each claim is a line of the model card, and names events of this chain that bear it."""
        claims = self.read("provenance/claims.json")["claims"]
        card = (self.folder / "payload/MODEL_CARD.md").read_text("utf-8")
        lines = {f"- {claim['says']} [{name}]" for name, claim in claims.items()}
        for line in sorted(lines ^ set(re.findall(r"^- .*\[C\d+\]$", card, re.M))):
            self.no(True, f"only in one of MODEL_CARD.md and claims.json: {line[:100]}")
        for name, claim in sorted(claims.items()):
            if "no test score is claimed" not in claim["says"]:
                self.no(not claim["events"], f"claim {name} cites no event")
            for e in claim["events"]:
                here = self.events.get(e["seq"], {}).get("hash") == e["hash"]
                self.no(not here, f"claim {name} cites event {e['seq']}, which is not here")


def main(words: list[str]) -> int:
    """Check the folder named on the command line, else the one this file lies in."""
    folder = Path(words[0]) if words else Path(__file__).resolve().parent
    if len(words) > 1 or not (folder / "SHA256SUMS").is_file():
        print("usage: python verify.py [FOLDER], FOLDER holding SHA256SUMS", file=sys.stderr)
        return 2
    found = Package(folder)
    lines = [*found.says, *(f"PROBLEM    {problem}" for problem in found.problems)]
    lines += [f"undecided  {what}" for what in dict.fromkeys(found.undecided)]
    lines.append("unchecked  whether the whole chain was made up: compare the head elsewhere")
    answer = "no" if found.problems else "undecided" if found.undecided else "yes, unaltered"
    print("\n".join(ascii(line)[1:-1] for line in [*lines, f"answer     {answer}"]))
    return 1 if found.problems else 6 if found.undecided else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
