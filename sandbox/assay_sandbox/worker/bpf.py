"""BPF programs that judge system calls: instructions, and a search by call number."""

from __future__ import annotations

import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, List, Sequence, Tuple

    Instructions = List[bytes]

LOAD, JUMP, EQUAL, AT_LEAST, MASK, RETURN = 0x20, 0x05, 0x15, 0x35, 0x54, 0x06
# How far a test can jump. Only an unconditional jump goes further.
NEAR_MAX = 255


def instruction(code: int, operand: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, operand)


def answer(result: int) -> bytes:
    return instruction(RETURN, result)


def by_number(bodies: Dict[int, Instructions], otherwise: Instructions) -> Instructions:
    """Continue with the body of the loaded number, or else with `otherwise`, by binary search.

    Every body ends in an answer. When a filter is installed, the kernel runs it once for every call
    number. With a linear search that takes longer than all the rest of a child's confinement.
    """
    # Each body with the number from which on it holds.
    parts: List[Tuple[int, Instructions]] = [(0, otherwise)]
    for number in sorted(bodies):
        for start, body in ((number, bodies[number]), (number + 1, otherwise)):
            if parts[-1][0] == start:
                parts.pop()
            if not parts or parts[-1][1] != body:
                parts.append((start, body))
    return _searched(parts)


def _searched(parts: Sequence[Tuple[int, Instructions]]) -> Instructions:
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
