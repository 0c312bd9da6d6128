"""Tier J: a job object and an AppContainer. Written from documentation; not run by its authors.

The AppContainer has no capabilities, so no network, and reads only what is granted to it by name:
the interpreter's folders. The job holds one process, bounds its memory, and ends with its last
handle. Nothing of Windows is touched before `prepare` is called.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import re
import subprocess
import threading
from pathlib import Path
from typing import IO, Any

from assay_sandbox.errors import SandboxUnavailable
from assay_sandbox.programs import Limits
from assay_sandbox.zygotes import WORKER, Interpreter, Launch

from .children import Start, StartedProcess, bare_environment

CONTAINER = "assay.sandbox"
# A started interpreter with its libraries, on top of which a program gets its share.
INTERPRETER_BYTES = 256 << 20
GRANT_SECONDS = 60.0
HELLO_SECONDS = 20.0
# In a virtual environment's settings: the folder of the interpreter that it was made with.
_HOME = re.compile(r"^\s*home\s*=\s*(.+?)\s*$", re.MULTILINE)


# Widths are spelled out, not taken from `ctypes.wintypes`, whose DWORD is as wide as the C long of
# the system it runs on. So the layout of the structures can be checked anywhere.
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


def behind_launcher(interpreter: Interpreter) -> Interpreter:
    """The interpreter that a virtual environment's `python.exe` would start as another process.

    A job of one process does not allow that. Other interpreters are returned unchanged.
    """
    folder = interpreter.program.parent.parent
    try:
        settings = (folder / "pyvenv.cfg").read_text("utf-8", errors="replace")
    except OSError:
        return interpreter
    home = _HOME.search(settings)
    program = interpreter.program if home is None else Path(home[1], interpreter.program.name)
    return Interpreter(program, folder) if program.is_file() else interpreter


def prepare(launch: Launch, readable: tuple[str, ...]) -> Start:
    """How to start a worker. Raises SandboxUnavailable.

    Adds the container's right to read and execute to the access lists of `readable`. Folders that
    an installer made usually grant it to all containers; the canaries show whether it sufficed.
    """
    if not hasattr(ctypes, "WinDLL"):
        raise SandboxUnavailable("job objects and AppContainers are of Windows")
    try:
        api = _Api()
        sid = api.container(CONTAINER)
        _grant(api.text_of(sid), (*readable, str(WORKER.parent)))
    except OSError as error:
        raise SandboxUnavailable(f"no AppContainer can be made: {error}") from None
    words = launch.fresh_command()
    command = subprocess.list2cmdline(words)
    environment = environment_block({**bare_environment(), **launch.environment()})
    hello = subprocess.list2cmdline([*words, "hello"])
    _greet(_Started(api, sid, hello, environment, INTERPRETER_BYTES))

    def start(limits: Limits) -> StartedProcess:
        return _Started(api, sid, command, environment, INTERPRETER_BYTES + limits.memory_bytes)

    return start


def _greet(process: StartedProcess) -> None:
    """See a worker start. Raises SandboxUnavailable."""
    try:
        status = process.wait(HELLO_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        status = process.wait()
    for end in (process.stdin, process.stdout):
        if end is not None:
            end.close()
    if status:
        raise SandboxUnavailable(
            f"the interpreter does not start in its AppContainer: status {status:#x}"
        )


def grant_command(path: str, sid: str) -> list[str]:
    """The command that lets a container read and execute a path and all within it."""
    rights = "(OI)(CI)(RX)" if os.path.isdir(path) else "(RX)"
    # By its path: Windows would look for a name in the current folder first, often the project's.
    program = os.path.join(os.environ.get("SYSTEMROOT", r"C:\Windows"), "System32", "icacls.exe")
    return [program, path, "/grant", f"*{sid}:{rights}", "/Q"]


def _grant(sid: str, paths: tuple[str, ...]) -> None:
    for path in paths:
        # Where the access list cannot be changed, an installer's own entry may be enough.
        subprocess.run(
            grant_command(path, sid),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=GRANT_SECONDS,
            check=False,
        )


class _Api:
    """The functions used; each raises OSError if it reports failure."""

    def __init__(self) -> None:
        # Any, and by name: other systems' ctypes has no such attribute.
        load: Any = vars(ctypes)["WinDLL"]
        self._kernel = load("kernel32", use_last_error=True)
        self._user_environment = load("userenv", use_last_error=True)
        self._security = load("advapi32", use_last_error=True)
        self._kernel.CreateJobObjectW.restype = HANDLE
        self._kernel.WaitForSingleObject.restype = DWORD

    def _checked(self, result: Any, what: str) -> Any:
        if not result:
            number = vars(ctypes)["get_last_error"]()
            raise OSError(number, f"{what} failed with error {number}")
        return result

    def container(self, name: str) -> ctypes.c_void_p:
        """The SID of the profile of this name, which is created if there is none."""
        sid = ctypes.c_void_p()
        create = self._user_environment.CreateAppContainerProfile
        result = create(name, name, name, None, DWORD(0), ctypes.byref(sid)) & 0xFFFFFFFF
        if result == ALREADY_EXISTS:
            derive = self._user_environment.DeriveAppContainerSidFromAppContainerName
            result = derive(name, ctypes.byref(sid)) & 0xFFFFFFFF
        if result:
            raise OSError(result, f"CreateAppContainerProfile failed with {result:#x}")
        return sid

    def text_of(self, sid: ctypes.c_void_p) -> str:
        text = ctypes.c_wchar_p()
        done = self._security.ConvertSidToStringSidW(sid, ctypes.byref(text))
        self._checked(done, "ConvertSidToStringSidW")
        return text.value or ""

    def job(self, memory_bytes: int) -> ctypes.c_void_p:
        handle = HANDLE(
            self._checked(self._kernel.CreateJobObjectW(None, None), "CreateJobObjectW")
        )
        ui = DWORD(UI_LIMIT_ALL)
        for kind, value in (
            (EXTENDED_LIMIT_INFORMATION, job_limits(memory_bytes)),
            (BASIC_UI_RESTRICTIONS, ui),
        ):
            done = self._kernel.SetInformationJobObject(
                handle, kind, ctypes.byref(value), DWORD(ctypes.sizeof(value))
            )
            self._checked(done, "SetInformationJobObject")
        return handle

    def create(
        self,
        command: str,
        environment: str,
        ends: tuple[int, int],
        attributes: tuple[tuple[int, Any], ...],
    ) -> ProcessInformation:
        """Create a process with these pipe ends as input and output, and these attributes."""
        size = SIZE_T()
        count = DWORD(len(attributes))
        initialise = self._kernel.InitializeProcThreadAttributeList
        # The first call only reports how large the list has to be.
        initialise(None, count, 0, ctypes.byref(size))
        space = ctypes.create_string_buffer(size.value)
        self._checked(initialise(space, count, 0, ctypes.byref(size)), "attribute list")
        for name, value in attributes:
            done = self._kernel.UpdateProcThreadAttribute(
                space,
                DWORD(0),
                SIZE_T(name),
                ctypes.byref(value),
                SIZE_T(ctypes.sizeof(value)),
                None,
                None,
            )
            self._checked(done, f"attribute {name:#x}")
        about = StartupInformation()
        about.size = ctypes.sizeof(about)
        about.flags = STARTF_USESTDHANDLES
        about.input, about.output = ends
        about.attributes = ctypes.addressof(space)
        started = ProcessInformation()
        done = self._kernel.CreateProcessW(
            None,
            ctypes.create_unicode_buffer(command),
            None,
            None,
            True,
            DWORD(EXTENDED_STARTUPINFO_PRESENT | CREATE_UNICODE_ENVIRONMENT | CREATE_NO_WINDOW),
            ctypes.create_unicode_buffer(environment),
            # Not the caller's folder, which the container may not enter.
            os.environ.get("SYSTEMROOT"),
            ctypes.byref(about),
            ctypes.byref(started),
        )
        self._checked(done, "CreateProcessW")
        self._kernel.DeleteProcThreadAttributeList(space)
        return started

    def wait(self, process: ctypes.c_void_p, timeout: float | None) -> int | None:
        """The exit status, or None if it still runs after `timeout` seconds."""
        milliseconds = INFINITE if timeout is None else int(timeout * 1000)
        seen = self._kernel.WaitForSingleObject(process, DWORD(milliseconds))
        if seen == WAIT_TIMEOUT:
            return None
        self._checked(seen == WAIT_OBJECT_0, "WaitForSingleObject")
        status = DWORD()
        done = self._kernel.GetExitCodeProcess(process, ctypes.byref(status))
        self._checked(done, "GetExitCodeProcess")
        return status.value

    def terminate(self, job: ctypes.c_void_p) -> None:
        self._kernel.TerminateJobObject(job, DWORD(1))

    def close(self, *handles: ctypes.c_void_p) -> None:
        for handle in handles:
            self._kernel.CloseHandle(handle)


class _Started:
    """A process in its job: what `subprocess.Popen` would offer."""

    def __init__(
        self, api: _Api, sid: ctypes.c_void_p, command: str, environment: str, memory_bytes: int
    ) -> None:
        self._api = api
        self._lock = threading.Lock()
        self._status: int | None = None
        self._job = api.job(memory_bytes)
        far_input, near_input = os.pipe()
        near_output, far_output = os.pipe()
        self.stdin: IO[bytes] | None = os.fdopen(near_input, "wb")
        self.stdout: IO[bytes] | None = os.fdopen(near_output, "rb")
        try:
            ends = _inheritable(far_input), _inheritable(far_output)
            capabilities = SecurityCapabilities(sid.value, None, 0, 0)
            started = api.create(
                command,
                environment,
                ends,
                (
                    (ATTRIBUTE_HANDLE_LIST, (HANDLE * 2)(*ends)),
                    (ATTRIBUTE_SECURITY_CAPABILITIES, capabilities),
                    # So that it is in its job from its first instruction on.
                    (ATTRIBUTE_JOB_LIST, (HANDLE * 1)(self._job)),
                ),
            )
        except OSError:
            self.stdin.close()
            self.stdout.close()
            api.close(self._job)
            raise
        finally:
            os.close(far_input)
            os.close(far_output)
        self.pid = int(started.process_id)
        self._process = HANDLE(started.process)
        api.close(HANDLE(started.thread))

    def wait(self, timeout: float | None = None) -> int:
        if self._status is not None:
            return self._status
        status = self._api.wait(self._process, timeout)
        if status is None:
            raise subprocess.TimeoutExpired(CONTAINER, timeout or 0.0)
        with self._lock:
            self._status = status
            self._api.close(self._process, self._job)
        return status

    def kill(self) -> None:
        with self._lock:
            if self._status is None:
                self._api.terminate(self._job)


def _inheritable(descriptor: int) -> int:
    # From Windows' standard library, by name for the same reason as above.
    runtime: Any = importlib.import_module("msvcrt")
    handle: int = runtime.get_osfhandle(descriptor)
    vars(os)["set_handle_inheritable"](handle, True)
    return handle
