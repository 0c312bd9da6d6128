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

from . import windows_types as types
from .children import Start, StartedProcess, bare_environment
from .wasi import INSTALL

CONTAINER = "assay.sandbox"
# A started interpreter with its libraries, on top of which a program gets its share.
INTERPRETER_BYTES = 256 << 20
GRANT_SECONDS = 60.0
HELLO_SECONDS = 20.0
# In a virtual environment's settings: the folder of the interpreter that it was made with.
_HOME = re.compile(r"^\s*home\s*=\s*(.+?)\s*$", re.MULTILINE)


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
        raise SandboxUnavailable("job objects and AppContainers are of Windows", (INSTALL,))
    try:
        api = _Api()
        sid = api.container(CONTAINER)
        _grant(api.text_of(sid), (*readable, str(WORKER.parent)))
    except OSError as error:
        raise SandboxUnavailable(f"no AppContainer can be made: {error}", (INSTALL,)) from None
    words = launch.fresh_command()
    command = subprocess.list2cmdline(words)
    environment = types.environment_block({**bare_environment(), **launch.environment()})
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
            f"the interpreter does not start in its AppContainer: status {status:#x}", (INSTALL,)
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
        self._kernel.CreateJobObjectW.restype = types.HANDLE
        self._kernel.WaitForSingleObject.restype = types.DWORD

    def _checked(self, result: Any, what: str) -> Any:
        if not result:
            number = vars(ctypes)["get_last_error"]()
            raise OSError(number, f"{what} failed with error {number}")
        return result

    def container(self, name: str) -> ctypes.c_void_p:
        """The SID of the profile of this name, which is created if there is none."""
        sid = ctypes.c_void_p()
        create = self._user_environment.CreateAppContainerProfile
        result = create(name, name, name, None, types.DWORD(0), ctypes.byref(sid)) & 0xFFFFFFFF
        if result == types.ALREADY_EXISTS:
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
        handle = types.HANDLE(
            self._checked(self._kernel.CreateJobObjectW(None, None), "CreateJobObjectW")
        )
        ui = types.DWORD(types.UI_LIMIT_ALL)
        for kind, value in (
            (types.EXTENDED_LIMIT_INFORMATION, types.job_limits(memory_bytes)),
            (types.BASIC_UI_RESTRICTIONS, ui),
        ):
            done = self._kernel.SetInformationJobObject(
                handle, kind, ctypes.byref(value), types.DWORD(ctypes.sizeof(value))
            )
            self._checked(done, "SetInformationJobObject")
        return handle

    def create(
        self,
        command: str,
        environment: str,
        ends: tuple[int, int],
        attributes: tuple[tuple[int, Any], ...],
    ) -> types.ProcessInformation:
        """Create a process with these pipe ends as input and output, and these attributes."""
        size = types.SIZE_T()
        count = types.DWORD(len(attributes))
        initialise = self._kernel.InitializeProcThreadAttributeList
        # The first call only reports how large the list has to be.
        initialise(None, count, 0, ctypes.byref(size))
        space = ctypes.create_string_buffer(size.value)
        self._checked(initialise(space, count, 0, ctypes.byref(size)), "attribute list")
        for name, value in attributes:
            done = self._kernel.UpdateProcThreadAttribute(
                space,
                types.DWORD(0),
                types.SIZE_T(name),
                ctypes.byref(value),
                types.SIZE_T(ctypes.sizeof(value)),
                None,
                None,
            )
            self._checked(done, f"attribute {name:#x}")
        about = types.StartupInformation()
        about.size = ctypes.sizeof(about)
        about.flags = types.STARTF_USESTDHANDLES
        about.input, about.output = ends
        about.attributes = ctypes.addressof(space)
        started = types.ProcessInformation()
        done = self._kernel.CreateProcessW(
            None,
            ctypes.create_unicode_buffer(command),
            None,
            None,
            True,
            types.DWORD(
                types.EXTENDED_STARTUPINFO_PRESENT
                | types.CREATE_UNICODE_ENVIRONMENT
                | types.CREATE_NO_WINDOW
            ),
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
        milliseconds = types.INFINITE if timeout is None else int(timeout * 1000)
        seen = self._kernel.WaitForSingleObject(process, types.DWORD(milliseconds))
        if seen == types.WAIT_TIMEOUT:
            return None
        self._checked(seen == types.WAIT_OBJECT_0, "WaitForSingleObject")
        status = types.DWORD()
        done = self._kernel.GetExitCodeProcess(process, ctypes.byref(status))
        self._checked(done, "GetExitCodeProcess")
        return status.value

    def terminate(self, job: ctypes.c_void_p) -> None:
        self._kernel.TerminateJobObject(job, types.DWORD(1))

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
            capabilities = types.SecurityCapabilities(sid.value, None, 0, 0)
            started = api.create(
                command,
                environment,
                ends,
                (
                    (types.ATTRIBUTE_HANDLE_LIST, (types.HANDLE * 2)(*ends)),
                    (types.ATTRIBUTE_SECURITY_CAPABILITIES, capabilities),
                    # So that it is in its job from its first instruction on.
                    (types.ATTRIBUTE_JOB_LIST, (types.HANDLE * 1)(self._job)),
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
        self._process = types.HANDLE(started.process)
        api.close(types.HANDLE(started.thread))

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
