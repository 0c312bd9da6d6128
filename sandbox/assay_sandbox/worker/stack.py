"""Takes the address space of the stack before there is a limit on a program's address space."""

from __future__ import annotations

import ctypes
import os
import resource

# The entry of the auxiliary vector with the address of the executable's name, which is at the very
# top of the stack.
AT_EXECFN = 31
STACK_MAX = 8 << 20
# The distance to the lowest byte that the stack may reach. No interpreter goes so far.
LEFT = 16 << 10
# Before, the kernel treated an access so far below the used part of the stack as an error.
KERNEL_MIN = 5


def take() -> None:
    """Extend the stack as far down as it may reach, at the cost of one page.

    Otherwise it grows with its use, as long as the address space may. Since Python 3.14, C code
    recurses as deep as the stack may reach (before: for a fixed number of calls). So a program that
    has used up its memory would crash as it frees nested values, in place of being told so.
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
