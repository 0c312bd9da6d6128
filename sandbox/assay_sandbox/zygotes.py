"""The host's side of a zygote: a confined process that forks one child per program."""

from __future__ import annotations

import errno
import marshal
import os
import re
import signal
import socket
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from .errors import InterpreterUnusable, SandboxUnavailable, WorkerLost
from .places import Place
from .programs import Surroundings
from .wire import MARSHAL_FORMAT

WORKER = Path(__file__).parent / "worker" / "main.py"
START_SECONDS = 20.0
# With a project to import, which is done twice; then each program does it for itself.
HOLD_SECONDS = 60.0
NO_HOME = "/nonexistent"
# The beginning of the argument with the descriptor of what a zygote is told of its place.
PLACE = "--place="
STOP_SECONDS = 5.0
COMPLAINT_MAX = 4096
# A flag of pidfd_send_signal: signal the group that the process leads, or led, instead of it.
PIDFD_SIGNAL_PROCESS_GROUP = 4
GREETING_MAX = 64 << 10
# The first word of a zygote. After any other first word follows the reason for its failure.
READY = "ready"
# The first byte of a job's message.
AT_ONCE, IN_TURN = b"-", b"+"
# Ended by SIGKILL, a name that not every system has: as Python reports it, and as a wrapper's exit
# status reports it of the wrapped process.
KILLED = (-9, 128 + 9)
# Errors of a start while processes, memory or descriptors are short: it may succeed later.
SHORTAGES = frozenset({errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE})

# A position in the result of `state_of`.
_PARENT = 1
# States of threads: running or able to, and waiting for the disk.
_KEPT_WAITING = (b"R", b"D")
_PID = re.compile(r"^Pid:\s*([1-9]\d*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Interpreter:
    """The Python to start, and the virtual environment it finds packages in, if not its own. That
    is given by its real path: what has been replaced by a link since is not used.

    A virtual environment's own interpreter reads files of that environment as soon as it starts:
    `pyvenv.cfg` says where the standard library is, which is code. So for an environment that
    nobody vouches for, the interpreter that it is based on is started in place of its own.
    """

    program: Path
    virtual_environment: Path | None = None

    @property
    def environment(self) -> Path | None:
        """The virtual environment that programs find packages in, given or its own."""
        own = self.program.parent.parent
        return self.virtual_environment or (own if os.path.isfile(own / "pyvenv.cfg") else None)

    def worker(self, *arguments: str) -> list[str]:
        """The command of a worker; the caller has to start it with an environment of its own.

        Not -I: that implies -E, which would ignore PYTHONHASHSEED. In its place come -s, an
        environment that is written out in full, and the worker's first act, which removes its own
        folder from the path. -S, because the worker looks for the libraries itself.
        """
        folder = self.virtual_environment
        more = () if folder is None else (f"--virtual-environment={folder}",)
        return [str(self.program), "-s", "-S", str(WORKER), *more, *arguments]


@dataclass(frozen=True, slots=True)
class Launch:
    """How a zygote is started: everything that may differ between two of them."""

    interpreter: Interpreter
    tier: str
    surroundings: Surroundings
    # The words before the command that starts it, given the place of its programs.
    wrapper: Callable[[Place | None], tuple[str, ...]] = lambda _place: ()
    # Imported before the first program arrives.
    packages: tuple[str, ...] = ()
    # Where all of its programs live, and whether it imports up to there before they arrive.
    place: Place | None = None
    is_held: bool = False
    # The descriptor of the memory for what its modules are compiled to, where it is held.
    compiled: int | None = None

    @property
    def runs_code(self) -> bool:
        """Whether the zygote itself runs code that is not our own."""
        return bool(self.packages) or self.is_held

    def command(self, control: int, told: int | None) -> list[str]:
        """`control`: its socket. `told`: the descriptor of what it is told of its place."""
        more = self.packages if told is None else (f"{PLACE}{told}",)
        return [
            *self.wrapper(self.place),
            *self.interpreter.worker(str(control), self.tier, *more),
        ]

    def told(self) -> bytes | None:
        """What it is told of its place."""
        if self.place is None:
            return None
        place = self.place.told(texts=False)
        said = {
            "place": place,
            "held": self.is_held,
            "compiled": self.compiled,
            **asdict(self.surroundings),
        }
        return marshal.dumps(said, MARSHAL_FORMAT)

    def fresh_command(self) -> list[str]:
        """The command of a worker for one program, which it reads from standard input."""
        return self.interpreter.worker("alone")

    def environment(self) -> dict[str, str]:
        # Projects ask for a home as they load. Nothing is there.
        home = {} if self.place is None else {"HOME": NO_HOME}
        return {
            **home,
            "PYTHONHASHSEED": str(self.surroundings.hash_seed),
            "TZ": "UTC",
            "LC_ALL": "C.UTF-8",
            # One thread each: the cores are shared among children.
            "OPENBLAS_NUM_THREADS": "1",
            "OMP_NUM_THREADS": "1",
            "MKL_NUM_THREADS": "1",
            # Every arena takes 64 MB of a child's address space, and each thread would have one.
            "MALLOC_ARENA_MAX": "2",
            # As before anything large is freed. After that, the memory that a child reserves to
            # report a full memory would be cleared page by page, after every exception.
            "MALLOC_MMAP_THRESHOLD_": str(4 << 20),
        }


class Zygote:
    """One zygote, ready once `greet` has returned. Thread-safe; raises WorkerLost once it has
    ended: its requests can be made of a new one."""

    def __init__(self, launch: Launch) -> None:
        self._interpreter = launch.interpreter
        self._has_packages = launch.runs_code
        self._start_seconds = HOLD_SECONDS if launch.is_held else START_SECONDS
        # Whether one of its children could only be ended together with it.
        self.given_up = False
        self._control, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._process: subprocess.Popen[bytes] | None = None
        self._complaint = b""
        self._failure: OSError | None = None
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._children = 0
        self._reaped = False
        self._leader: int | None = None
        started = threading.Event()
        # The kernel ties the zygote's life to the thread that started it, so that thread lives as
        # long as the zygote does and does nothing else.
        self._keeper = threading.Thread(
            target=self._keep, args=(launch, far, started), name="assay-zygote", daemon=True
        )
        try:
            self._keeper.start()
        except RuntimeError as error:
            # The account has reached its limit of processes.
            self._control.close()
            far.close()
            raise WorkerLost(str(error)) from None
        started.wait(START_SECONDS)
        far.close()

    def _keep(self, launch: Launch, far: socket.socket, started: threading.Event) -> None:
        told, place = launch.told(), None
        try:
            if told is not None:
                place = os.memfd_create("place", os.MFD_CLOEXEC)
                with open(place, "wb", closefd=False) as file:
                    file.write(told)
            process = subprocess.Popen(
                launch.command(far.fileno(), place),
                env=launch.environment(),
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=[
                    far.fileno(),
                    *(each for each in (place, launch.compiled) if each is not None),
                ],
                start_new_session=True,
            )
        except OSError as error:
            self._failure = error
            started.set()
            return
        finally:
            if place is not None:
                os.close(place)
        self._process = process
        with suppress(OSError):
            self._leader = os.pidfd_open(process.pid)
        started.set()
        with process:
            assert process.stderr is not None
            self._complaint = process.stderr.read(COMPLAINT_MAX)
            try:
                os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
            except ChildProcessError:
                # Reaped by other code in the caller's process, or because that ignores SIGCHLD.
                self._reaped = True
            # If the zygote was killed, processes that it would have ended may live on.
            self._end_group()
            with self._lock:
                # From now on its pid may be another process's.
                self._reaped = True
                leader, self._leader = self._leader, None
            if leader is not None:
                os.close(leader)
            process.wait()

    def greet(self) -> None:
        """Wait until it is confined. Raises WorkerLost, InterpreterUnusable, SandboxUnavailable."""
        try:
            self._greet()
        except BaseException:
            self.close()
            raise

    def _greet(self) -> None:
        program = self._interpreter.program
        if self._failure is not None:
            if self._failure.errno in SHORTAGES:
                raise WorkerLost(f"{program} cannot be started now: {self._failure}")
            raise InterpreterUnusable(f"{program} cannot be started: {self._failure}")
        try:
            self._control.settimeout(self._start_seconds)
            message = self._control.recv(GREETING_MAX)
        except OSError as error:
            raise InterpreterUnusable(f"{program} does not answer: {error}") from None
        if not message:
            self._keeper.join(STOP_SECONDS)
            if self._process is not None and self._process.returncode in KILLED:
                # Killed by another process, or for want of memory: no fault of the interpreter.
                raise WorkerLost("a worker was killed while it started")
            last = self._complaint.decode(errors="replace").strip().splitlines()[-1:]
            raise InterpreterUnusable(
                f"{program} ended at once: {''.join(last) or 'without a word'}"
            )
        first, _, reason = message.decode(errors="replace").partition(" ")
        if first != READY:
            raise SandboxUnavailable(reason)

    @property
    def pid(self) -> int:
        """The process that was started; in tier N its child is the zygote proper."""
        return 0 if self._process is None else self._process.pid

    def submit(self, inputs: bytes, descriptors: tuple[int, ...], *, at_once: bool) -> None:
        """Fork a child that gets these descriptors; the zygote reports on it over the last one.

        `inputs` names the inputs, which the zygote makes only once while jobs name the same.
        `at_once`: see `Imports`.
        """
        message = (AT_ONCE if at_once else IN_TURN) + inputs
        try:
            socket.send_fds(self._control, [message], list(descriptors))
        except OSError as error:
            raise WorkerLost(str(error)) from None
        with self._lock:
            self._children += 1

    def may_have_forked(self, pidfd: int) -> bool:
        """Whether this process can be a child of the zygote, which named it as one to be killed.

        A package can get the descriptor of any process that it sees, and of the caller's. Where
        packages are imported, the zygote is a child of the process that was started.
        """
        grandparent = grandparent_of(pidfd) if self._has_packages else None
        return grandparent is None or grandparent == self.pid

    def given_back(self) -> None:
        """Note that a submitted child is no longer needed."""
        with self._lock:
            self._children -= 1

    @property
    def busy(self) -> bool:
        """Whether any of its children is still needed."""
        with self._lock:
            return self._children > 0

    def _end_group(self) -> None:
        """Kill its process group: the zygote, and the processes that packages have started.

        Programs belong to the group or have sessions of their own, and die with the zygote.
        """
        with self._lock, suppress(OSError):
            if self._leader is not None:
                try:
                    signal.pidfd_send_signal(
                        self._leader, signal.SIGKILL, None, PIDFD_SIGNAL_PROCESS_GROUP
                    )
                except OSError as error:
                    # Linux has this flag from 6.9 on.
                    if error.errno != errno.EINVAL:
                        raise
                else:
                    return
            if self._process is not None and not self._reaped:
                os.killpg(self._process.pid, signal.SIGKILL)

    def give_up(self) -> None:
        """End it, because it does not do what a zygote has to do."""
        self.given_up = True
        self.close()

    def close(self) -> None:
        """End it and everything below it. May be called any number of times."""
        if os.getpid() != self._owner:
            # A fork of the owner shares the socket, and must not shut it down.
            self._control.close()
            return
        with suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)
        self._control.close()
        self._end_group()
        self._keeper.join(STOP_SECONDS)


# What /proc says about a process of which one holds a descriptor.


def state_of(pidfd: int) -> list[bytes] | None:
    """The fields of its /proc/PID/stat, from the third on. None once it has ended."""
    pid = _pid_of(pidfd)
    fields = None if pid is None else _fields(pid)
    # In between, its pid may have become another process's.
    return fields if _pid_of(pidfd) == pid else None


def is_kept_waiting(pidfd: int) -> bool:
    """Whether any thread of it waits for the processor or the disk, or has the processor."""
    pid = _pid_of(pidfd)
    states: set[bytes] = set()
    try:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            states.add(_stat(thread)[0])
    except OSError:
        # A thread has ended meanwhile, or all of them.
        return True
    return not states.isdisjoint(_KEPT_WAITING)


def grandparent_of(pidfd: int) -> int | None:
    """The pid of its parent's parent; 0 if it has just lost one. None once it has ended."""
    fields = state_of(pidfd)
    if fields is None:
        return None
    above = _fields(int(fields[_PARENT]))
    again = state_of(pidfd)
    if again is None:
        return None
    # As long as the process has the same parent, that pid is no other process's.
    return int(above[_PARENT]) if above and again[_PARENT] == fields[_PARENT] else 0


def _fields(pid: int) -> list[bytes] | None:
    try:
        return _stat(Path(f"/proc/{pid}"))
    except OSError:
        return None


def _stat(folder: Path) -> list[bytes]:
    # The second field, the name, can contain anything.
    return (folder / "stat").read_bytes().rpartition(b")")[2].split()


def _pid_of(pidfd: int) -> int | None:
    try:
        information = Path(f"/proc/self/fdinfo/{pidfd}").read_text("ascii")
    except (OSError, ValueError):
        return None
    found = _PID.search(information)
    return None if found is None else int(found[1])
