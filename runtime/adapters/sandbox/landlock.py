"""What a job may touch: Landlock rights for the interpreter, its inputs and its outputs."""

import os
import sys

from runtime.adapters.sandbox import kernel, namespaces

_EXECUTE = 1 << 0
_WRITE_FILE = 1 << 1
_READ_FILE = 1 << 2
_READ_DIR = 1 << 3
_REFER = 1 << 13
_TRUNCATE = 1 << 14
_IOCTL_DEV = 1 << 15
_MAKE_CHAR = 1 << 6
_MAKE_SOCK = 1 << 9
_MAKE_BLOCK = 1 << 11
_MAKE_LINK = 1 << 12
_RIGHTS_OF_ABI = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1}
_ALL = (1 << 16) - 1

_FILE_RIGHTS = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV
_READ = _READ_FILE | _READ_DIR
_RUN = _READ | _EXECUTE
_KEEP = _ALL & ~(_EXECUTE | _MAKE_CHAR | _MAKE_BLOCK | _MAKE_LINK | _IOCTL_DEV)
"""Not links: a record could not tell where one led that is gone."""

_NET_TCP = 0b11
_SCOPES = 0b11  # abstract UNIX sockets, signals

FULL_ABI = 3
"""Below this, Landlock cannot stop a file from being truncated: assurance is lowered."""

SIGNAL_ABI = 6
"""From here on, Landlock keeps signals inside."""

OWN_PACKAGES = ("ledger", "runtime", "projections", "amid", "replay")

_SYSTEM_RUN = ("/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin")
_SYSTEM_READ = (
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/ld.so.preload",
    "/etc/localtime",
    "/etc/timezone",
    "/etc/locale.alias",
    "/etc/ssl/openssl.cnf",  # hashlib and ssl read it at import
    "/etc/nsswitch.conf",
    "/etc/fonts",
    "/etc/mime.types",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/filesystems",
    "/proc/sys/vm/overcommit_memory",
    "/proc/sys/kernel/ngroups_max",
    "/sys/devices/system/cpu",
    "/sys/devices/system/node",
    "/sys/fs/cgroup/cpu.max",
    "/sys/kernel/mm/transparent_hugepage",
)
_OF_ITSELF = (
    "auxv",
    "cgroup",
    "cmdline",
    "comm",
    "environ",
    "fd",
    "fdinfo",
    "io",
    "limits",
    "maps",
    "oom_score_adj",
    "stat",
    "statm",
    "status",
)
"""What a job may read in its folder of /proc: not `net`, which names every socket of a machine."""
_DEVICES_READ = ("/dev/urandom", "/dev/random", "/dev/zero", "/dev/full")

SYSTEM = (*_SYSTEM_RUN, *_SYSTEM_READ, *_DEVICES_READ, "/dev/null", "/proc/self")
"""What every program reads of the machine by itself."""


def interpreter() -> tuple[str, ...]:
    """Return the folders this interpreter and its libraries are in, real paths, sorted.

    A repository that a `.pth` line puts on `sys.path` is not among them: a run may lie in it.
    Of such a place only this product's own packages are.
    """
    found = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}
    for entry in sys.path:
        if os.path.basename(entry) in ("site-packages", "dist-packages"):  # noqa: PTH119
            found.add(entry)

    found.update(_own_packages())
    return tuple(sorted({os.path.realpath(path) for path in found}))


def _own_packages() -> list[str]:
    places: list[str] = []
    for name in OWN_PACKAGES:
        for finder in sys.meta_path:
            spec = finder.find_spec(name, None)
            if spec is not None:
                places += list(spec.submodule_search_locations or ())
                break

    return places


def places() -> tuple[str, ...]:
    """Return what every job may read of the machine, but for what the kernel makes up."""
    made_up = ("/proc", "/dev")
    system = (*_SYSTEM_RUN, *_SYSTEM_READ, *interpreter())
    return tuple(path for path in system if not is_beneath(path, made_up))


def search_folders() -> tuple[str, ...]:
    """Return the `sys.path` entries that are outside `interpreter()`, such as a repository."""
    homes = interpreter()
    real = (os.path.realpath(entry) for entry in sys.path if os.path.isdir(entry))  # noqa: PTH112
    return tuple(sorted({path for path in real if not is_beneath(path, homes)}))


def is_beneath(path: str, homes: tuple[str, ...]) -> bool:
    """Say whether a path is one of the folders or inside one."""
    return any(path == home or path.startswith(home.rstrip("/") + "/") for home in homes)


def exposed(protected: tuple[str, ...], reads: tuple[str, ...]) -> str | None:
    """Return the folder the job must read that holds one of the protected paths, or None."""
    secrets = [os.path.realpath(path) for path in protected]
    for home in (*interpreter(), *_SYSTEM_RUN, *(os.path.realpath(path) for path in reads)):
        if any(is_beneath(secret, (home,)) for secret in secrets):
            return home

    return None


def rules(
    folder: str, reads: tuple[str, ...], *, own_code: bool, private: bool
) -> list[tuple[str, int]]:
    """Return (path, rights) for a job in `folder`.

    `own_code`: the job is `-m` of one of our packages, so the search path is listable.
    `private`: it has a `/dev/shm` of its own.
    """
    given = [(path, _RUN) for path in (*interpreter(), *_SYSTEM_RUN)]
    given += [(path, _READ) for path in (*_SYSTEM_READ, *_DEVICES_READ)]
    given += [(f"/proc/{os.getpid()}/{name}", _READ) for name in _OF_ITSELF]
    given += [(f"/proc/{os.getpid()}/task", _READ_DIR)]
    given += [("/dev/null", _READ_FILE | _WRITE_FILE)]
    given += [
        (path, _READ) for path in (*reads, f"{folder}/in", f"{folder}/ask", f"{folder}/job.json")
    ]
    given += [(f"{folder}/{name}", _KEEP) for name in ("out", "tmp")]
    if private:
        given += [(namespaces.SHARED_MEMORY, _KEEP)]

    if own_code:
        given += [(path, _READ_DIR) for path in search_folders()]

    return given


def restrict(folder: str, reads: tuple[str, ...], *, own_code: bool, private: bool) -> int:
    """Enter the domain and return the ABI it was built for.

    Raises:
        OSError: this kernel has no Landlock, or it is turned off.
    """
    abi = kernel.landlock_abi()
    words = [_RIGHTS_OF_ABI.get(abi, _ALL)]
    words += [_NET_TCP] if abi >= 4 else []
    words += [_SCOPES] if abi >= SIGNAL_ABI else []
    given = rules(folder, reads, own_code=own_code, private=private)
    kernel.landlock_restrict(words, given, _FILE_RIGHTS)
    return abi


def only_sockets_in(folders: tuple[str, ...]) -> None:
    """Let the calling thread make sockets with names in these folders only."""
    inside = [(folder, _MAKE_SOCK) for folder in folders]
    kernel.landlock_restrict([_MAKE_SOCK], inside, _FILE_RIGHTS)


__all__ = [
    "FULL_ABI",
    "OWN_PACKAGES",
    "SIGNAL_ABI",
    "SYSTEM",
    "exposed",
    "interpreter",
    "is_beneath",
    "only_sockets_in",
    "places",
    "restrict",
    "rules",
    "search_folders",
]
