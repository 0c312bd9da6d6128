"""System call numbers of the allow list, per machine. None if that machine has no such call."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    Numbers = dict[str, tuple[int | None, int | None]]

CLOCK_MONOTONIC = 1
MACHINES = {"x86_64": 0, "aarch64": 1}
# AUDIT_ARCH_* of linux/audit.h.
AUDIT_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}


# Calls that the interpreter needs for computing, importing, threads, timers and event loops.
PLAIN: Numbers = {
    "read": (0, 63),
    "write": (1, 64),
    "futex": (202, 98),
    "clock_gettime": (228, 113),
    "rt_sigreturn": (15, 139),
    "rt_sigprocmask": (14, 135),
    "rt_sigaction": (13, 134),
    "munmap": (11, 215),
    "mprotect": (10, 226),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "msync": (26, 227),
    "brk": (12, 214),
    "close": (3, 57),
    "fstat": (5, 80),
    "stat": (4, None),
    "lstat": (6, None),
    "newfstatat": (262, 79),
    "statx": (332, 291),
    "statfs": (137, 43),
    "fstatfs": (138, 44),
    "access": (21, None),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "getcwd": (79, 17),
    "getdents": (78, None),
    "getdents64": (217, 61),
    "lseek": (8, 62),
    "pread64": (17, 67),
    "pwrite64": (18, 68),
    "readv": (19, 65),
    "writev": (20, 66),
    "fadvise64": (221, 223),
    "poll": (7, None),
    "ppoll": (271, 73),
    "select": (23, None),
    "pselect6": (270, 72),
    "epoll_create": (213, None),
    "epoll_create1": (291, 20),
    "epoll_ctl": (233, 21),
    "epoll_wait": (232, None),
    "epoll_pwait": (281, 22),
    "epoll_pwait2": (441, 441),
    "eventfd2": (290, 19),
    "pipe": (22, None),
    "pipe2": (293, 59),
    "dup": (32, 23),
    "dup2": (33, None),
    "dup3": (292, 24),
    "nanosleep": (35, 101),
    "clock_nanosleep": (230, 115),
    "clock_getres": (229, 114),
    "gettimeofday": (96, 169),
    "time": (201, None),
    "times": (100, 153),
    "getitimer": (36, 102),
    "setitimer": (38, 103),
    "timer_settime": (223, 110),
    "alarm": (37, None),
    "pause": (34, None),
    "rt_sigpending": (127, 136),
    "rt_sigsuspend": (130, 133),
    "rt_sigtimedwait": (128, 137),
    "sigaltstack": (131, 132),
    "restart_syscall": (219, 128),
    "sched_yield": (24, 124),
    "sched_getaffinity": (204, 123),
    "sched_getparam": (143, 121),
    "sched_getscheduler": (145, 120),
    "getpriority": (140, 141),
    "getcpu": (309, 168),
    "getpid": (39, 172),
    "getppid": (110, 173),
    "gettid": (186, 178),
    "getuid": (102, 174),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getegid": (108, 177),
    "getgroups": (115, 158),
    "getresuid": (118, 148),
    "getresgid": (120, 150),
    "getpgid": (121, 155),
    "getpgrp": (111, None),
    "getsid": (124, 156),
    "getrlimit": (97, 163),
    "getrusage": (98, 165),
    "uname": (63, 160),
    "sysinfo": (99, 179),
    "umask": (95, 166),
    "getrandom": (318, 278),
    "membarrier": (324, 283),
    "rseq": (334, 293),
    "arch_prctl": (158, None),
    "set_robust_list": (273, 99),
    "set_tid_address": (218, 96),
    "recvfrom": (45, 207),
    "shutdown": (48, 210),
    "getsockname": (51, 204),
    "getpeername": (52, 205),
    "getsockopt": (55, 209),
    "exit": (60, 93),
    "exit_group": (231, 94),
}

# Landlock or the view decides which files can be opened, and hides the links of /proc that show
# where other processes of the account work and what they have open. Without either, no such calls.
OPENING: Numbers = {
    "open": (2, None),
    "openat": (257, 56),
    "readlink": (89, None),
    "readlinkat": (267, 78),
}

# Further calls of a process that forks others and confines them.
FORKING: Numbers = {
    "fork": (57, None),
    "wait4": (61, 260),
    "waitid": (247, 95),
    "pidfd_open": (434, 434),
    "sendmsg": (46, 211),
    "recvmsg": (47, 212),
    "landlock_create_ruleset": (444, 444),
    "landlock_restrict_self": (446, 446),
}

SESSIONS: Numbers = {"setsid": (112, 157)}

# Allowed only with some arguments: see seccomp.py.
JUDGED: Numbers = {
    "clone": (56, 220),
    "close_range": (436, 436),
    "fcntl": (72, 25),
    "ioctl": (16, 29),
    "kill": (62, 129),
    "mmap": (9, 222),
    "tgkill": (234, 131),
    "prctl": (157, 167),
    "prlimit64": (302, 261),
    "sendto": (44, 206),
    "socketpair": (53, 199),
    "timer_create": (222, 107),
}

# Answered as if the kernel were too old, so that libraries fall back to calls judged above.
UNKNOWN: Numbers = {"clone3": (435, 435), "openat2": (437, 437)}


def numbers_of(table: Numbers, machine: str) -> dict[str, int]:
    column = MACHINES[machine]
    found: dict[str, int] = {}
    for name, numbers in table.items():
        number = numbers[column]
        if number is not None:
            found[name] = number
    return found
