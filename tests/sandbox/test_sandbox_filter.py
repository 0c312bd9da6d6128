"""The filter of system calls, read as the kernel reads it."""

from __future__ import annotations

import errno
import struct
from itertools import product

import pytest

from assay_sandbox.worker.confine import seccomp, syscalls
from assay_sandbox.worker.confine import seccomp as bpf

REFUSED = seccomp.ERRNO | errno.EPERM
NO_SUCH_CALL = seccomp.ERRNO | errno.ENOSYS
# More than there are, on either machine.
NUMBERS = range(600)
FEW_ARGUMENTS = list(product((0, 1, seccomp.CLONE_WHOLLY_SHARED), repeat=3))


def answered(program: list[bytes], number: int, arguments: tuple[int, ...], machine: str) -> int:
    """What the kernel would answer: an interpreter of the few instructions that are used."""
    architecture = syscalls.AUDIT_ARCHITECTURES[machine]
    given = struct.pack("=IIQ6Q", number, architecture, 0, *arguments, *(6 - len(arguments)) * (0,))
    loaded, place = 0, 0
    while True:
        code, if_true, if_false, operand = struct.unpack("=HBBI", program[place])
        place += 1
        if code == bpf.LOAD:
            (loaded,) = struct.unpack_from("=I", given, operand)
        elif code == bpf.MASK:
            loaded &= operand
        elif code == bpf.JUMP:
            place += operand
        elif code in (bpf.EQUAL, bpf.AT_LEAST):
            holds = loaded == operand if code == bpf.EQUAL else loaded >= operand
            place += if_true if holds else if_false
        else:
            assert code == bpf.RETURN
            return operand


def program_of(machine: str, **how: bool) -> list[bytes]:
    made = seccomp.Filter(machine, **how)
    content = made._instructions.raw
    return [content[place : place + 8] for place in range(0, len(content), 8)]


@pytest.mark.parametrize("machine", sorted(syscalls.MACHINES))
@pytest.mark.parametrize("opening", [True, False])
def test_what_is_on_the_list_is_allowed_and_nothing_else(machine: str, opening: bool) -> None:
    program = program_of(machine, opening=opening)
    allowed = set(syscalls.numbers_of(syscalls.PLAIN, machine).values())
    if opening:
        allowed |= set(syscalls.numbers_of(syscalls.OPENING, machine).values())
    unknown = set(syscalls.numbers_of(syscalls.UNKNOWN, machine).values())
    judged = set(syscalls.numbers_of(syscalls.JUDGED, machine).values())
    for number in NUMBERS:
        found = {answered(program, number, given, machine) for given in FEW_ARGUMENTS}
        if number in allowed:
            assert found == {seccomp.ALLOW}, number
        elif number in unknown:
            assert found == {NO_SUCH_CALL}, number
        elif number not in judged:
            assert found == {REFUSED}, number
    assert answered(program, 1 << 31, (), machine) == REFUSED
    assert answered(program, seccomp.X32_BIT, (), machine) == REFUSED


@pytest.mark.parametrize("machine", sorted(syscalls.MACHINES))
def test_calls_that_are_judged_by_their_arguments_are(machine: str) -> None:
    program = program_of(machine, opening=True)
    number = syscalls.numbers_of(syscalls.JUDGED, machine)

    def allowed(name: str, *arguments: int) -> bool:
        return answered(program, number[name], arguments, machine) == seccomp.ALLOW

    assert allowed("clone", 0x3D0F00)
    assert not allowed("clone", 17)
    assert not allowed("clone", 0x3D0F00 | 0x10000000)
    assert allowed("mmap", 0, 4096, 3, 0x22)
    assert not allowed("mmap", 0, 4096, 3, 0x21)
    # Huge pages of a size, or of the usual one.
    assert not allowed("mmap", 0, 4096, 3, 0x40022)
    assert not allowed("mmap", 0, 4096, 3, 0x22 | 0x40000 | 21 << 26)
    assert allowed("fcntl", 0, 3)
    assert not allowed("fcntl", 0, 8)
    assert allowed("prlimit64", 0, 7, 0)
    assert not allowed("prlimit64", 0, 7, 1 << 40)
    assert allowed("socketpair", 1, 1)
    assert not allowed("socketpair", 2, 1)
    assert allowed("kill", seccomp.OWN_PID)
    assert not allowed("kill", 1)


def test_a_call_of_another_architecture_is_the_end() -> None:
    program = program_of("x86_64", opening=True)
    foreign = [
        bpf.instruction(bpf.EQUAL, syscalls.AUDIT_ARCHITECTURES["aarch64"], 1, 0)
        if struct.unpack("=HBBI", each)[3] == syscalls.AUDIT_ARCHITECTURES["x86_64"]
        else each
        for each in program
    ]
    assert answered(foreign, 0, (), "x86_64") == seccomp.KILL


def test_bodies_that_lie_far_apart_are_reached() -> None:
    otherwise = [bpf.answer(7)]
    bodies = {
        number: [bpf.instruction(bpf.MASK, 0, 0, 0)] * 100 + [bpf.answer(1000 + number)]
        for number in (0, 3, 4, 9, 250)
    }
    program = [bpf.instruction(bpf.LOAD, seccomp.NUMBER), *bpf.by_number(bodies, otherwise)]
    for number in range(300):
        expected = 1000 + number if number in bodies else 7
        assert answered(program, number, (), "x86_64") == expected
