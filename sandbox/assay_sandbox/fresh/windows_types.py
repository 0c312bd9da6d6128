"""Structures and constants of the Windows API, as documented for 64-bit Windows.

Widths are spelled out, not taken from `ctypes.wintypes`, whose DWORD is as wide as the C long of
the system it runs on. So the layout of the structures can be checked anywhere.
"""

from __future__ import annotations

import ctypes

WORD, DWORD, LARGE_INTEGER, SIZE_T = (
    ctypes.c_uint16,
    ctypes.c_uint32,
    ctypes.c_int64,
    ctypes.c_size_t,
)
HANDLE, POINTER = ctypes.c_void_p, ctypes.c_void_p

# winnt.h: JOBOBJECTINFOCLASS and JOB_OBJECT_LIMIT_*.
BASIC_UI_RESTRICTIONS, EXTENDED_LIMIT_INFORMATION = 4, 9
LIMIT_ACTIVE_PROCESS = 0x00000008
LIMIT_PROCESS_MEMORY = 0x00000100
LIMIT_JOB_MEMORY = 0x00000200
LIMIT_DIE_ON_UNHANDLED_EXCEPTION = 0x00000400
LIMIT_KILL_ON_JOB_CLOSE = 0x00002000
# JOB_OBJECT_UILIMIT_*: handles, clipboard (2), parameters, display, atoms, desktop, leaving.
UI_LIMIT_ALL = 0x000000FF
# winbase.h: PROC_THREAD_ATTRIBUTE_* and the flags of CreateProcessW.
ATTRIBUTE_HANDLE_LIST = 0x00020002
ATTRIBUTE_SECURITY_CAPABILITIES = 0x00020009
ATTRIBUTE_JOB_LIST = 0x0002000D
CREATE_UNICODE_ENVIRONMENT = 0x00000400
EXTENDED_STARTUPINFO_PRESENT = 0x00080000
CREATE_NO_WINDOW = 0x08000000
STARTF_USESTDHANDLES = 0x00000100
WAIT_OBJECT_0, WAIT_TIMEOUT, INFINITE = 0x00000000, 0x00000102, 0xFFFFFFFF
# HRESULT_FROM_WIN32(ERROR_ALREADY_EXISTS)
ALREADY_EXISTS = 0x800700B7


class BasicLimits(ctypes.Structure):
    """JOBOBJECT_BASIC_LIMIT_INFORMATION."""

    _fields_ = (
        ("per_process_user_time", LARGE_INTEGER),
        ("per_job_user_time", LARGE_INTEGER),
        ("flags", DWORD),
        ("minimum_working_set", SIZE_T),
        ("maximum_working_set", SIZE_T),
        ("active_processes", DWORD),
        ("affinity", SIZE_T),
        ("priority_class", DWORD),
        ("scheduling_class", DWORD),
    )


class ExtendedLimits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION; the six counters of IO_COUNTERS are reserved."""

    _fields_ = (
        ("basic", BasicLimits),
        ("io_counters", ctypes.c_uint64 * 6),
        ("process_memory", SIZE_T),
        ("job_memory", SIZE_T),
        ("peak_process_memory", SIZE_T),
        ("peak_job_memory", SIZE_T),
    )


class SecurityCapabilities(ctypes.Structure):
    """SECURITY_CAPABILITIES."""

    _fields_ = (
        ("sid", POINTER),
        ("capabilities", POINTER),
        ("count", DWORD),
        ("reserved", DWORD),
    )


class StartupInformation(ctypes.Structure):
    """STARTUPINFOEXW: STARTUPINFOW and the attribute list."""

    _fields_ = (
        ("size", DWORD),
        ("reserved", POINTER),
        ("desktop", POINTER),
        ("title", POINTER),
        ("position", DWORD * 2),
        ("extent", DWORD * 2),
        ("characters", DWORD * 2),
        ("fill", DWORD),
        ("flags", DWORD),
        ("show", WORD),
        ("reserved_size", WORD),
        ("reserved_bytes", POINTER),
        ("input", HANDLE),
        ("output", HANDLE),
        ("error", HANDLE),
        ("attributes", POINTER),
    )


class ProcessInformation(ctypes.Structure):
    """PROCESS_INFORMATION."""

    _fields_ = (
        ("process", HANDLE),
        ("thread", HANDLE),
        ("process_id", DWORD),
        ("thread_id", DWORD),
    )


def job_limits(memory_bytes: int) -> ExtendedLimits:
    """One process, this much memory, no dialogue when it crashes, an end with the last handle."""
    limits = ExtendedLimits()
    limits.basic.flags = (
        LIMIT_ACTIVE_PROCESS
        | LIMIT_PROCESS_MEMORY
        | LIMIT_JOB_MEMORY
        | LIMIT_DIE_ON_UNHANDLED_EXCEPTION
        | LIMIT_KILL_ON_JOB_CLOSE
    )
    limits.basic.active_processes = 1
    limits.process_memory = limits.job_memory = memory_bytes
    return limits


def environment_block(environment: dict[str, str]) -> str:
    """The format of CreateProcessW: sorted NAME=value texts, each ended by a zero, and one more."""
    pairs = sorted(environment.items(), key=lambda pair: pair[0].upper())
    return "".join(f"{name}={value}\0" for name, value in pairs) + "\0"
