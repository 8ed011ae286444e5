"""Prints worked examples of the hashes, made without the ledger's own code.

python -m tests.golden.make_vectors > tests/golden/hash-vectors.json
"""

import json
import struct
import sys

from blake3 import blake3

CASES = (
    {
        "says": "a first event",
        "run": "00112233445566778899aabbccddeeff",
        "seq": 1,
        "term": 1,
        "at_us": 1_700_000_000_000_000,
        "prev": "00" * 32,
        "type": "run.started",
        "v": 1,
        "cmd": "start",
        "body": '{"run":"00112233445566778899aabbccddeeff"}',
    },
    {
        "says": "an empty body, a time before 1970",
        "run": "00" * 16,
        "seq": 2,
        "term": 1,
        "at_us": -1,
        "prev": "ab" * 32,
        "type": "note.left",
        "v": 1,
        "cmd": "c",
        "body": "{}",
    },
    {
        "says": "the largest numbers that SQLite keeps, text beyond ASCII",
        "run": "ff" * 16,
        "seq": 2**63 - 1,
        "term": 2**63 - 1,
        "at_us": -(2**63),
        "prev": "ff" * 32,
        "type": "a.b",
        "v": 2**32 - 1,
        "cmd": "x" * 200,
        "body": '{"text":"é \\u0001 \\n \U0001f9e0","whole":-9007199254740991}',
    },
    {
        "says": "lengths that would run into each other without their prefix",
        "run": "10" * 16,
        "seq": 3,
        "term": 2,
        "at_us": 0,
        "prev": "01" * 32,
        "type": "ab",
        "v": 1,
        "cmd": "cd",
        "body": "{}",
    },
    {
        "says": "the same letters as above, divided otherwise",
        "run": "10" * 16,
        "seq": 3,
        "term": 2,
        "at_us": 0,
        "prev": "01" * 32,
        "type": "abc",
        "v": 1,
        "cmd": "d",
        "body": "{}",
    },
)


def derive(case: dict[str, str | int]) -> dict[str, str]:
    """Return the digests of a case, following docs/reference/ledger-format.md word by word."""

    def text(value: str | int) -> bytes:
        data = str(value).encode("utf-8")
        return struct.pack(">I", len(data)) + data

    body_hash = blake3(b"body v1" + str(case["body"]).encode("utf-8")).digest()
    preimage = b"event v1"
    preimage += bytes.fromhex(str(case["run"]))
    preimage += struct.pack(">Q", case["seq"])
    preimage += struct.pack(">Q", case["term"])
    preimage += struct.pack(">q", case["at_us"])
    preimage += bytes.fromhex(str(case["prev"]))
    preimage += text(case["type"])
    preimage += struct.pack(">I", case["v"])
    preimage += text(case["cmd"])
    preimage += body_hash
    command = b"command v1" + struct.pack(">Q", case["seq"]) + text(case["type"])
    command += struct.pack(">I", case["v"]) + body_hash
    return {
        "body_hash": body_hash.hex(),
        "hash": blake3(preimage).hexdigest(),
        "command_id": blake3(command).hexdigest(),
    }


if __name__ == "__main__":
    vectors = [{**case, **derive(dict(case))} for case in CASES]  # type: ignore[arg-type]
    sys.stdout.write(json.dumps(vectors, indent=2, ensure_ascii=False) + "\n")
