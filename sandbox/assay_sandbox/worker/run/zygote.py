"""The zygote: confines itself, then forks one child per program. It never sees a program's text.

The state that every child copies: modules, what all programs need, and the latest inputs.
"""

from __future__ import annotations

import errno
import gc
import marshal
import os
import select

from .. import imports
from ..confine import confinement, descriptors, guardian, kernel, landlock, paths
from ..core import signal
from . import ahead, child, held, loading, running
from .inputs import BatchInputs, read_inputs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from typing import Any, Callable, NoReturn


class Template:
    """Imports standard modules one by one, while no job waits."""

    def __init__(
        self,
        tier: str,
        place: loading.Place | None,
        *,
        sessions: bool,
    ) -> None:
        self._tier = tier
        self._place = place
        self._sessions = sessions
        # Where no file can be opened, a program has only the modules that are loaded by then.
        self._is_needed = tier in confinement.WITHOUT_OPENING
        names = imports.WITHOUT_FILES if self._is_needed else imports.COMMON
        self._to_import = list(reversed(names))
        self._inputs_name = b""
        self._inputs: BatchInputs | None = None
        self._prepare()

    def _prepare(self) -> None:
        self.prepared = child.PreparedChild(self._tier, self._place, sessions=self._sessions)
        self.freeze()

    def freeze(self) -> None:
        """Let the garbage collector leave alone what there is: children would copy it."""
        # Inputs must not be frozen: see `read_inputs`.
        self._inputs = None
        gc.collect()
        gc.freeze()

    @property
    def unfinished(self) -> bool:
        """Whether there are modules left to import."""
        return bool(self._to_import)

    def import_next(self) -> None:
        """Import the next module, if there is one."""
        if self._to_import:
            ahead.import_standard((self._to_import.pop(),))
            if not self._to_import:
                if self._is_needed:
                    imports.read_ahead()
                # Made anew, because it depends on the modules that are loaded.
                self._prepare()

    def finish(self) -> None:
        """Import all modules that a program could not import for itself."""
        while self._is_needed and self._to_import:
            self.import_next()

    def inputs_made(self, name: bytes, descriptor: int) -> BatchInputs:
        """Inputs by the name the host gives them, made once for all children that follow.

        A child gets its own copy by being forked. Inputs of another name are dropped first.
        """
        if self._inputs is None or name != self._inputs_name:
            self._inputs = None
            self._inputs, self._inputs_name = read_inputs(child.read_all(descriptor)), name
        return self._inputs


DESCRIPTORS_PER_JOB = 6
# The first word to the host. The error follows.
READY, FAILED = "ready", "failed"
COMPLAINT_BYTES = 4096
# The beginning of the argument that has the descriptor of a place.
PLACE = "--place="
JOB_BYTES = 64
# The first byte of a job's message if the job needs no more than there is at the start.
AT_ONCE = b"-"
# The message about a child that could not be forked.
NO_ROOM = b"no room"
# How long a poll lasts while nothing happens. The end of the control socket shows a dead host.
IDLE_MILLISECONDS = 1000
# How long until the zygote tries again to introduce a child to the host.
SHORT_MILLISECONDS = 10


def main(arguments: list[str]) -> NoReturn:
    """`arguments`: the control socket's descriptor, the tier, and packages to import, or the
    descriptor of what is told of a place."""
    # The caller may have passed on other settings to the processes that it starts.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    control = descriptors.opened(int(arguments[0]))
    tier, *packages = arguments[1:]
    told: dict[str, Any] = {}
    if packages and packages[0].startswith(PLACE):
        descriptor = int(packages.pop()[len(PLACE) :])
        told = marshal.loads(child.read_all(descriptor))
        os.close(descriptor)
    place = loading.Place(told["place"]) if told else None
    try:
        _start(control, tier, packages, place, told)
    except Exception as error:
        control.send(f"{FAILED} {type(error).__name__}: {error}".encode()[:COMPLAINT_BYTES])
        os._exit(1)
    finally:
        os._exit(0)


def _start(
    control: socket,
    tier: str,
    packages: list[str],
    place: loading.Place | None,
    told: dict[str, Any],
) -> None:
    """Confine this process, import what can be imported ahead, and serve until the host ends."""
    is_held = place is not None and told["held"]
    runs_code = bool(packages) or is_held
    # Without a pid namespace, processes that a package starts are ended by their process group. A
    # process that begins a session leaves that group.
    sessions = not runs_code or tier == confinement.NAMESPACES
    reason = confinement.unavailable(tier)
    if reason:
        raise RuntimeError(reason)
    readable = paths.readable()
    confinement.be_first_to_go()
    os.nice(5)
    os.chdir("/")
    confinement.take_stack()
    if tier == confinement.NAMESPACES:
        kernel.die_with_parent()
        kernel.enter_namespaces()
        guardian.become_first(control.fileno())
    elif runs_code:
        if not landlock.keeps_signals():
            raise ahead.Unfit("packages could signal other processes")
        guardian.become_followed(control.fileno())
    # Opened before Landlock applies; read again at every fork.
    size = confinement.Size()
    child.silence()
    process = ahead.OwnProcess() if runs_code else None
    text = -1
    if place is None:
        confinement.confine_zygote(tier, readable)
    else:
        if is_held:
            # Closed to this process afterwards.
            text = landlock.opened(place.file, os.O_RDONLY | os.O_NONBLOCK)
        confinement.confine_zygote(tier, readable, place.openable(), place.originals())
    if process is None:
        control.send(READY.encode())
        _serve(control, size, Template(tier, place, sessions=sessions))
        return
    if place is not None:
        _hold(control, tier, place, told, text, size, process, sessions=sessions)
    ahead.import_standard(imports.COMMON)
    before = size.address_space()
    ahead.import_packages(packages, process, sessions=sessions)
    # The packages' address space counts as the program's, as if the program had imported them.
    size.leave_out(before)
    control.send(READY.encode())
    _serve(control, size, Template(tier, None, sessions=sessions))


def _hold(
    control: socket,
    tier: str,
    place: loading.Place,
    told: dict[str, Any],
    text: int,
    size: confinement.Size,
    process: ahead.OwnProcess,
    *,
    sessions: bool,
) -> NoReturn:
    """Import the module on trial up to where its text would run, and serve from there. `text`: a
    descriptor of what its file holds."""
    before = size.address_space()
    import_of = held.Held(place, told, text)
    confinement.confine_forking(sessions=sessions)
    import_of.import_outside()
    template = Template(tier, place, sessions=sessions)
    while template.unfinished:
        template.import_next()
    # After the packages, whose compiled parts do not survive the stand-ins, and before the
    # project, which may keep references to the clock.
    template.prepared.running.stop_clocks(told)

    def hold() -> None:
        process.look()
        template.freeze()
        size.leave_out(before)
        control.send(READY.encode())
        _serve(control, size, template, go_on=_forked_in_midst)

    import_of.serve(hold)


def _forked_in_midst(ready: running.Ready) -> None:
    raise child.Forked(ready)


class _Children:
    """The children that run, and the socket over which to report the end of each."""

    def __init__(self) -> None:
        self._by_pidfd: dict[int, tuple[int, socket]] = {}
        # Children that have not been introduced to the host yet.
        self._unknown: list[int] = []
        self.poll = select.poll()

    def add(self, pid: int, job: socket) -> bool:
        """Keep a child; if there is no pidfd to introduce it by, kill it and return False."""
        try:
            pidfd = os.pidfd_open(pid)
        except OSError:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return False
        self._by_pidfd[pidfd] = (pid, job)
        self.poll.register(pidfd, select.POLLIN)
        # Introduced before the next wait.
        self._unknown.append(pidfd)
        return True

    def introduce(self) -> bool:
        """Introduce children that the host does not know yet. Returns whether some are left.

        Too many descriptors of the account can be in flight at once. Nothing tells which process
        sent them, and they will not be in flight for long.
        """
        left: list[int] = []
        for pidfd in self._unknown:
            pid, job = self._by_pidfd[pidfd]
            try:
                descriptors.send(job, b"started", pidfd)
            except OSError as error:
                if error.errno == errno.ETOOMANYREFS:
                    left.append(pidfd)
                else:
                    # The host no longer waits for this child.
                    os.kill(pid, signal.SIGKILL)
        self._unknown = left
        return bool(left)

    def ended(self, pidfd: int) -> None:
        pid, job = self._by_pidfd.pop(pidfd)
        self._unknown = [other for other in self._unknown if other != pidfd]
        self.poll.unregister(pidfd)
        os.close(pidfd)
        _pid, status = os.waitpid(pid, 0)
        try:
            job.send(b"%d" % os.waitstatus_to_exitcode(status))
        except OSError:
            # As above: the host may no longer wait for this child.
            return
        finally:
            job.close()


def _serve(
    control: socket,
    size: confinement.Size,
    template: Template,
    go_on: Callable[[running.Ready], None] = running.Ready.load_and_run,
) -> None:
    children = _Children()
    own = os.pidfd_open(os.getpid())
    children.poll.register(control, select.POLLIN)
    while True:
        waits = SHORT_MILLISECONDS if children.introduce() else IDLE_MILLISECONDS
        ready = children.poll.poll(0 if template.unfinished else waits)
        if not ready:
            template.import_next()
        for descriptor, _event in ready:
            if descriptor != control.fileno():
                children.ended(descriptor)
            elif not _start_child(control, own, children, template, size, go_on):
                return


def _start_child(
    control: socket,
    own: int,
    children: _Children,
    template: Template,
    size: confinement.Size,
    go_on: Callable[[running.Ready], None],
) -> bool:
    """Fork a child for one job. False if the host has ended. `own`: a pidfd of this process."""
    message, given = descriptors.take(control, JOB_BYTES, DESCRIPTORS_PER_JOB)
    if not message:
        return False
    if len(given) != DESCRIPTORS_PER_JOB:
        for descriptor in given:
            os.close(descriptor)
        return True
    if message[:1] != AT_ONCE:
        template.finish()
    *kept, input_file, job_socket = given
    made = template.inputs_made(message[1:], input_file)
    pid = _forked()
    if pid == 0:
        guardian.die_with(own)
        child.main(kept, made, size.address_space(), template.prepared, go_on)
    job = descriptors.opened(job_socket)
    if pid is None or not children.add(pid, job):
        _turn_away(job)
    for descriptor in (*kept, input_file):
        os.close(descriptor)
    return True


def _forked() -> int | None:
    """As `os.fork`; None if the account is at its limit of processes, or memory is short."""
    try:
        return os.fork()
    except OSError:
        return None


def _turn_away(job: socket) -> None:
    try:
        job.send(NO_ROOM)
    except OSError:
        # The host no longer waits for this child.
        return
    finally:
        job.close()
