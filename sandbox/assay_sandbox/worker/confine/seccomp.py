"""The seccomp filter of a child: an allow list, some calls judged by their arguments.

BPF programs that judge system calls: instructions, and a search by call number.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct

from ..core import signal
from . import kernel, syscalls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    Instructions = list[bytes]

LOAD, JUMP, EQUAL, AT_LEAST, MASK, RETURN = 0x20, 0x05, 0x15, 0x35, 0x54, 0x06
# How far a test can jump. Only an unconditional jump goes further.
NEAR_MAX = 255


def instruction(code: int, operand: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, operand)


def answer(result: int) -> bytes:
    return instruction(RETURN, result)


def by_number(bodies: dict[int, Instructions], otherwise: Instructions) -> Instructions:
    """Continue with the body of the loaded number, or else with `otherwise`, by binary search.

    Every body ends in an answer. When a filter is installed, the kernel runs it once for every call
    number. With a linear search that takes longer than all the rest of a child's confinement.
    """
    # Each body with the number from which on it holds.
    parts: list[tuple[int, Instructions]] = [(0, otherwise)]
    for number in sorted(bodies):
        for start, body in ((number, bodies[number]), (number + 1, otherwise)):
            if parts[-1][0] == start:
                parts.pop()
            if not parts or parts[-1][1] != body:
                parts.append((start, body))
    return _searched(parts)


def _searched(parts: Sequence[tuple[int, Instructions]]) -> Instructions:
    if len(parts) == 1:
        return parts[0][1]
    middle = len(parts) // 2
    below, above = _searched(parts[:middle]), _searched(parts[middle:])
    start = parts[middle][0]
    if len(below) <= NEAR_MAX:
        return [instruction(AT_LEAST, start, len(below), 0), *below, *above]
    return [
        instruction(AT_LEAST, start, 0, 1),
        instruction(JUMP, len(below)),
        *below,
        *above,
    ]


ALLOW = 0x7FFF0000
ERRNO = 0x00050000
KILL = 0x80000000

# Offsets in struct seccomp_data.
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16
X32_BIT = 0x40000000

# CLONE_VM, CLONE_FS, CLONE_FILES, CLONE_SIGHAND and CLONE_THREAD: a task with these belongs to this
# process. A task with descriptors of its own would have as many again, whatever the limit says.
CLONE_WHOLLY_SHARED = 0x00010F00
CLONE_ANY_NAMESPACE = 0x7E020080
# No flags, and CLOSE_RANGE_CLOEXEC. Without CLOSE_RANGE_UNSHARE, which also copies descriptors.
CLOSE_RANGE_FLAGS = (0, 4)
AF_UNIX = 1
SOCK_STREAM = 1
SOCK_FLAGS = 0o2004000
# MAP_TYPE, and MAP_PRIVATE. The kernel keeps shared memory that is no longer mapped, so no limit on
# address space bounds it. Without MAP_HUGETLB, which takes from pages that the machine has reserved
# for others.
MAPPING_KINDS, MAPPED_PRIVATELY = 0x4000F, 0x02
# F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC. Without F_SETOWN and F_SETSIG, which
# would have the kernel send any signal to any process of the account.
FILE_COMMANDS = (0, 1, 2, 3, 4, 1030)
# TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX.
DEVICE_COMMANDS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
PR_SET_NAME, PR_GET_NAME = 15, 16
MSG_OOB = 1


# An operand that no rule has: a process that installs the filter puts its own pid there.
OWN_PID = 0xFFFFFFFE


class Filter:
    """The filter for any process of this machine, made once.

    `opening`: whether the process may open files. `forking`: whether it may have children, and
    bound itself and them further. `sessions`: whether these may begin sessions, too.
    """

    def __init__(
        self, machine: str, *, opening: bool, forking: bool = False, sessions: bool = False
    ) -> None:
        program = _program(machine, opening=opening, forking=forking, sessions=sessions)
        own = instruction(EQUAL, OWN_PID, 0, 1)
        # The operand is the second half of an instruction.
        self._own_pid = [
            place * len(own) + len(own) // 2
            for place, instruction in enumerate(program)
            if instruction == own
        ]
        size = len(program) * len(own)
        self._instructions = ctypes.create_string_buffer(b"".join(program), size)
        self._described = _Described(len(program), ctypes.addressof(self._instructions))

    def install(self) -> None:
        """Filter every system call of this process from now on."""
        for place in self._own_pid:
            struct.pack_into("=I", self._instructions, place, os.getpid())
        pointer = ctypes.byref(self._described)
        kernel.prctl_pointer(kernel.PR_SET_SECCOMP, 2, pointer, "seccomp filter")


class _Described(ctypes.Structure):
    """struct sock_fprog"""

    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


def _program(machine: str, *, opening: bool, forking: bool, sessions: bool) -> list[bytes]:
    plain = syscalls.numbers_of(syscalls.PLAIN, machine)
    rules = _judgements()
    if opening:
        plain.update(syscalls.numbers_of(syscalls.OPENING, machine))
    if sessions:
        plain.update(syscalls.numbers_of(syscalls.SESSIONS, machine))
    if forking:
        plain.update(syscalls.numbers_of(syscalls.FORKING, machine))
        for name, more in _judgements_of_forking().items():
            rules[name] = more + rules[name]
        # The pid namespace or Landlock lets it signal only its descendants; a child signals itself.
        rules["kill"] = rules["tgkill"] = [answer(ALLOW)]
    refused = answer(ERRNO | errno.EPERM)
    bodies = {
        number: [*rules[name], refused]
        for name, number in syscalls.numbers_of(syscalls.JUDGED, machine).items()
    }
    for number in syscalls.numbers_of(syscalls.UNKNOWN, machine).values():
        bodies[number] = [answer(ERRNO | errno.ENOSYS)]
    for number in plain.values():
        bodies[number] = [answer(ALLOW)]
    return [
        instruction(LOAD, ARCHITECTURE),
        instruction(EQUAL, syscalls.AUDIT_ARCHITECTURES[machine], 1, 0),
        answer(KILL),
        instruction(LOAD, NUMBER),
        instruction(AT_LEAST, X32_BIT, 0, 1),
        refused,
        *by_number(bodies, [refused]),
    ]


def _judgements() -> dict[str, list[bytes]]:
    """Rules by call, after the number's test: fall through to a refusal unless one allows."""
    return {
        # Threads of this process and nothing else; never a namespace.
        "clone": [
            _low(0),
            instruction(MASK, CLONE_WHOLLY_SHARED | CLONE_ANY_NAMESPACE),
            instruction(EQUAL, CLONE_WHOLLY_SHARED, 0, 1),
            answer(ALLOW),
        ],
        "close_range": _one_of(2, CLOSE_RANGE_FLAGS),
        "fcntl": _one_of(1, FILE_COMMANDS),
        "ioctl": _one_of(1, DEVICE_COMMANDS),
        # Setting a name only pretends to succeed: the kernel would log it, whatever it contains.
        "prctl": [
            _low(0),
            instruction(EQUAL, PR_SET_NAME, 0, 1),
            answer(ERRNO),
            instruction(EQUAL, PR_GET_NAME, 0, 1),
            answer(ALLOW),
        ],
        "kill": _one_of(0, (OWN_PID,)),
        "mmap": [
            _low(3),
            instruction(MASK, MAPPING_KINDS),
            instruction(EQUAL, MAPPED_PRIVATELY, 0, 1),
            answer(ALLOW),
        ],
        "tgkill": _one_of(0, (OWN_PID,)),
        # Reading limits, not setting them: the new limit is a null pointer.
        "prlimit64": _null(2),
        # Without an address: to a connected pair, not to another process's socket. Nothing out of
        # band, which no program needs and in which kernels have had faults.
        "sendto": [
            _low(3),
            instruction(MASK, MSG_OOB),
            instruction(EQUAL, 0, 0, 5),
            *_null(4),
        ],
        "socketpair": [
            _low(0),
            instruction(EQUAL, AF_UNIX, 0, 4),
            _low(1),
            instruction(MASK, ~SOCK_FLAGS & 0xFFFFFFFF),
            instruction(EQUAL, SOCK_STREAM, 0, 1),
            answer(ALLOW),
        ],
        # Never allowed: every child creates its timer before it is filtered.
        "timer_create": [],
    }


def _judgements_of_forking() -> dict[str, list[bytes]]:
    """Rules that precede those of `_judgements`: fall through to them unless one allows."""
    return {
        # A process that shares nothing, in the same namespaces.
        "clone": [
            _low(0),
            instruction(MASK, CLONE_WHOLLY_SHARED | CLONE_ANY_NAMESPACE),
            instruction(EQUAL, 0, 0, 1),
            answer(ALLOW),
        ],
        # The page of answers, which each child maps before it is confined itself.
        "mmap": [answer(ALLOW)],
        # Installing a filter. Dying with its parent, which a process cannot undo.
        "prctl": [
            *_one_of(0, (kernel.PR_SET_SECCOMP,)),
            instruction(EQUAL, kernel.PR_SET_PDEATHSIG, 0, 3),
            _low(1),
            instruction(EQUAL, signal.SIGKILL, 0, 1),
            answer(ALLOW),
        ],
        # Setting limits, of the calling process only.
        "prlimit64": _null(0),
        # The timer of each child's deadline; none by which the kernel measures processes.
        "timer_create": _one_of(0, (syscalls.CLOCK_MONOTONIC,)),
    }


def _low(argument: int) -> bytes:
    return instruction(LOAD, ARGUMENTS + 8 * argument)


def _high(argument: int) -> bytes:
    return instruction(LOAD, ARGUMENTS + 8 * argument + 4)


def _one_of(argument: int, values: tuple[int, ...]) -> list[bytes]:
    rule = [_low(argument)]
    for value in values:
        rule += [instruction(EQUAL, value, 0, 1), answer(ALLOW)]
    return rule


def _null(argument: int) -> list[bytes]:
    return [
        _low(argument),
        instruction(EQUAL, 0, 0, 3),
        _high(argument),
        instruction(EQUAL, 0, 0, 1),
        answer(ALLOW),
    ]
