"""The room of the stack, taken before there is a limit of how much room a program may take."""

from __future__ import annotations

import ctypes
import os
import resource

# Of the kernel's list of what it tells a process at its start: where the name of what it runs
# stands, which is at the very top of the stack.
AT_EXECFN = 31
STACK_MAX = 8 << 20
# Above the lowest byte that the stack may reach. No interpreter goes so far.
LEFT = 16 << 10
# Before, the kernel took a byte so far below what is in use for an error.
KERNEL_MIN = 5


def take() -> None:
    """Have the stack reach as far down as it may, at the cost of one page.

    It would grow as it is used, as long as the address space may. Since Python 3.14, code in C
    recurses for as far as the stack reaches (before: for a fixed number of calls). So a program
    that has used up its memory would crash where it lets go of values in values, in place of being
    told that the memory is used up.
    """
    if int(os.uname().release.partition(".")[0]) < KERNEL_MIN:
        return
    told = ctypes.CDLL(None).getauxval
    told.restype = ctypes.c_ulong
    top = told(ctypes.c_ulong(AT_EXECFN))
    limit, _ = resource.getrlimit(resource.RLIMIT_STACK)
    size = STACK_MAX if limit == resource.RLIM_INFINITY else min(limit, STACK_MAX)
    if top and size > LEFT:
        ctypes.string_at(top - size + LEFT, 1)
