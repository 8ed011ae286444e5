"""All random numbers of a run follow from its one seed and a purpose."""

from blake3 import blake3


def derive(seed: int, purpose: str) -> int:
    """Return a number below 2**31 for one purpose under the run's seed.

    Below 2**31 because some libraries take no larger seed.
    """
    digest = blake3(f"seed v1\n{seed}\n{purpose}".encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1
