"""The system calls of a job that are not simply allowed, with their numbers.

`NAME: (x86_64, aarch64)`; None where the architecture lacks the call.
"""

Numbers = dict[str, tuple[int | None, int | None]]

SOCKETS: dict[str, tuple[int, int]] = {"socket": (41, 198), "socketpair": (53, 199)}
"""Asked about unless they make local streams."""

REFUSED: Numbers = {
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "seccomp": (317, 277),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "file_setattr": (469, 469),
    "syslog": (103, 116),
    "iopl": (172, None),
    "ioperm": (173, None),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
    "memfd_create": (319, 279),  # memory that no limit of ours counts until it is mapped
    "memfd_secret": (447, 447),
    "setsid": (112, 157),  # its session is how a crash's leftovers are found
    "capget": (125, 90),
    # System V and POSIX queues, shared memory and semaphores have names that all of a machine share
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "shmdt": (67, 197),
    "semget": (64, 190),
    "semop": (65, 193),
    "semtimedop": (220, 192),
    "semctl": (66, 191),
    "msgget": (68, 186),
    "msgsnd": (69, 189),
    "msgrcv": (70, 188),
    "msgctl": (71, 187),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    "mq_timedsend": (242, 182),
    "mq_timedreceive": (243, 183),
    "mq_notify": (244, 184),
    "mq_getsetattr": (245, 185),
    # what others do with a file that may only be read
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "inotify_add_watch": (254, 27),
    "inotify_rm_watch": (255, 28),
    "mincore": (27, 232),  # which of its pages somebody has read
    "cachestat": (451, 451),
}

ASKED: Numbers = {
    "bind": (49, 200),
    "connect": (42, 203),
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, None),
    "fchown": (93, 55),
    "lchown": (94, None),
    "fchownat": (260, 54),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "setxattrat": (463, 463),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "removexattrat": (466, 466),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
    "flock": (73, 32),
}
"""Landlock knows neither names of UNIX sockets nor modes, owners, attributes, times and locks."""

SIGNALS: Numbers = {
    "kill": (62, 129),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
}
"""Calls that send a signal; where Landlock keeps signals inside, nobody need be asked."""

PROCESSES: Numbers = {
    "pidfd_open": (434, 434),
    "getpgid": (121, 155),
    "getsid": (124, 156),
    "sched_setparam": (142, 118),
    "sched_getparam": (143, 121),
    "sched_setscheduler": (144, 119),
    "sched_getscheduler": (145, 120),
    "sched_rr_get_interval": (148, 127),
    "sched_setaffinity": (203, 122),
    "sched_getaffinity": (204, 123),
    "sched_setattr": (314, 274),
    "sched_getattr": (315, 275),
    "get_robust_list": (274, 100),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
}
"""Calls whose first word names a process; 0 is the caller itself."""

PAIRS: Numbers = {
    "setpgid": (109, 154),
    "getpriority": (140, 141),
    "setpriority": (141, 140),
    "ioprio_get": (252, 31),
    "ioprio_set": (251, 30),
}
"""Calls whose second word names a process or group too, or says what the other names."""

FCNTL = (72, 25)
LOCKS = (5, 6, 7, 36, 37, 38)
"""F_GETLK, F_SETLK, F_SETLKW and those of open file descriptions."""
OTHERS = (8, 10, 15, 1024, 1025, 1026, 1035, 1036, 1037, 1038)
"""F_SETOWN, F_SETSIG, F_SETOWN_EX, leases, F_NOTIFY, and hints that stay with a file."""

IOCTL = (16, 29)
CONTROLS = (
    0x5401,  # TCGETS: is it a terminal?
    0x5413,  # TIOCGWINSZ
    0x541B,  # FIONREAD
    0x5421,  # FIONBIO
    0x5450,  # FIONCLEX
    0x5451,  # FIOCLEX
    0x5460,  # FIOQSIZE
    0x40049409,  # FICLONE, FICLONERANGE: how files are copied; the target must be writable
    0x4020940D,
    0xC020660B,  # FS_IOC_FIEMAP
)
"""Controls that change nothing of a file but what may be written: flags and versions stay."""

UNKNOWN_FROM = 451
"""The first call that the oldest recorder in use (strace 6.1) does not know: where it is not there,
programs go back to an older one."""
CLONE = (56, 220)
CLONE3 = (435, 435)
PRCTL = (157, 167)
PRLIMIT = (302, 261)
PREADV2 = (327, 286)
FALLOCATE = (285, 47)
