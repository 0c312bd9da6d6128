"""One program's batch: its present child, its answers so far, and the cause of a child's end."""

from __future__ import annotations

import secrets
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic

from . import wire
from .entries import how_it_ended, nonsense, slow_load
from .errors import ProtocolError, UnreadableAnswer, WorkerLost
from .frames import Answers, Frames, SharedValues
from .observations import (
    Crashed,
    LoadFailed,
    Observation,
    OutOfMemory,
    OutputExceeded,
    Refused,
    TimedOut,
)
from .packages import Imports
from .programs import Limits, Program, Surroundings
from .workers import Inputs, Page, ProcessUsage, Worker, WorkerSource

# The child's own deadline strikes first; this is for programs that stop or block it.
GRACE_SECONDS = 0.5
# How long a batch waits, if there was no room for its process, before it asks again.
ROOM_SECONDS = 0.1
# Every thread has a stack in the kernel, which no limit on address space counts.
THREADS_MAX = 256
# A program that exceeds THREADS_MAX twice would do so in every call and slow the whole machine.
FLOODS_MAX = 2
# Together these reads take more than a child's pipe holds.
READS_AT_ONCE = 5
NO_IMPORTS = Imports()
STANDARD_SURROUNDINGS = Surroundings()
# How many zygotes may be lost under one program before the program is taken to be the cause.
LOSSES_BEFORE_BLAME = 3

# How often a child is looked at.
LOOK_SECONDS = 0.1
# A busy machine looks less often. How long a child has waited between two looks is then not known.
WAITED_MAX = 2 * LOOK_SECONDS
# A call that waits may take this many times as long, as in the worker.
PATIENCE = 2.0
# The worker ends a call that computes for longer than it may, unless nothing interrupts the call.
UNINTERRUPTED = 1.25
# By the clock, whatever is done may take this many times as long. Then the machine is at fault.
STARVED_PATIENCE = 200.0


class Stopwatch:
    """Counts the own time of the children of a batch, looked at from time to time.

    Its own is what a program computes, and what it waits of its own accord. What is not its own:
    waiting for the processor that other processes have, for the disk, or for a zygote that has not
    come to fork it.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self._looked = 0.0
        self._used = 0.0
        self._before = 0.0
        # When what is under way was first seen, by both clocks.
        self._began = 0.0
        self._own_began = 0.0
        # What was computed, of all that is counted.
        self._computed = 0.0
        self._computed_began = 0.0

    def begin(self, now: float) -> None:
        """Count for another child from now on."""
        self._looked, self._used = now, 0.0
        self._before = self.seconds
        self.mark(now)

    def take_back(self) -> None:
        """Count nothing of the present child, for which another stands in."""
        self.seconds = self._before

    def look(self, now: float, usage: ProcessUsage | None) -> None:
        """Count what it has used since the last look; all time if the system does not tell."""
        taken, self._looked = now - self._looked, now
        if usage is None:
            self.seconds += taken
            return
        computed, self._used = max(usage.seconds - self._used, 0.0), usage.seconds
        self._computed += computed
        waited = min(taken, WAITED_MAX) if usage.waits else 0.0
        self.seconds += max(computed, waited)

    def mark(self, now: float) -> None:
        """Something else is under way from now on."""
        self._began, self._own_began = now, self.seconds
        self._computed_began = self._computed

    def overstays(self, seconds: float, grace: float) -> bool:
        """Whether what is under way has used up its time."""
        computed = self._computed - self._computed_began
        return (
            computed > UNINTERRUPTED * seconds + grace
            or self.seconds - self._own_began > PATIENCE * seconds + grace
        )

    def is_starved(self, now: float, seconds: float, grace: float) -> bool:
        """Whether it will never come to an end, because others have the machine."""
        return now - self._began > STARVED_PATIENCE * seconds + grace


@dataclass(frozen=True, slots=True)
class Task:
    """What a batch needs to make a child: the program, and `count` calls of it in `inputs`.

    `shared` is the same for all batches of one run. A zygote may do some of `imports` before it
    forks the child. `watch`: what to record of each call beside the observation.
    """

    program: Program
    inputs: Inputs
    count: int
    limits: Limits
    shared: SharedValues
    surroundings: Surroundings = STANDARD_SURROUNDINGS
    imports: Imports = NO_IMPORTS
    watch: wire.Watch = ""


class Batch:
    """Driven by its caller: `start`, then `pipe_ready`, `job_ready` and `check` as they fall due.

    If the caller calls `prepare` some time before, `start` has nothing to wait for.
    """

    def __init__(self, task: Task, source: WorkerSource) -> None:
        self._task = task
        self._limits = task.limits
        self._source = source
        self._given_up = TimedOut(task.limits.call_seconds, whole_batch=True)
        self._next = 0
        # The first call of the present child: a call that was answered before if the child stands
        # in for one that was lost, since a program may keep something from call to call.
        self._first = 0
        self._timeouts = 0
        self._losses = 0
        # Counts all children: their answers stay in memory until the run is over.
        self._bytes = 0
        self._clock = Stopwatch()
        self._began = 0.0
        # When `check` wants to be called, on the monotonic clock.
        self.due = 0.0
        self._killed: Observation | None = None
        self._floods = 0
        self._frames: Frames | None = None
        self.child: Worker | None = None
        self.done = task.count == 0

    def prepare(self) -> None:
        """Request a child, if there is none; it waits until it is told to begin."""
        if self.child is not None:
            return
        task, token = self._task, secrets.token_bytes(wire.TOKEN_BYTES)
        place = task.program.place
        text = wire.program_text(
            task.program,
            task.limits,
            task.surroundings,
            start=self._first,
            token=token,
            watch=task.watch,
            texts=place is not None and not self._source.reads(place),
        )
        # Not counted as losses under this program, which had no child yet.
        for left in reversed(range(LOSSES_BEFORE_BLAME + 1)):
            try:
                self.child = self._source.spawn(text, task.inputs, task.limits, task.imports, place)
                break
            except WorkerLost:
                if not left:
                    raise
        self._frames = Frames(task.limits, token, self._first, task.count, task.shared)

    def start(self) -> None:
        """Let the first child begin."""
        self._began = monotonic()
        self._begin()

    def _begin(self) -> None:
        self.prepare()
        assert self.child is not None
        self.child.begin()
        self._killed = None
        self._seen: int = wire.LOADING
        now = monotonic()
        self._clock.begin(now)
        self.due = now + LOOK_SECONDS

    @property
    def listening(self) -> tuple[tuple[int, bool], ...]:
        """Descriptors to wait for, and whether each is the pipe of the present child."""
        return () if self.child is None else self.child.listening

    def pipe_ready(self) -> list[Answers]:
        assert self.child is not None
        return self._receive(self.child.read())

    def _receive(self, data: bytes) -> list[Answers]:
        assert self.child is not None
        assert self._frames is not None
        found: list[Answers] = []
        self._bytes += len(data)
        try:
            for answers in self._frames.feed(data):
                self._take(answers, found)
                if self.done:
                    return found
        except ProtocolError as error:
            self._kill(nonsense(error))
            # Later data cannot be trusted to begin at the start of a frame.
            self.child.finished_writing = True
        if self._bytes > self._limits.batch_bytes:
            return found + self._rest(OutputExceeded(self._limits.batch_bytes))
        return found + self._perhaps_ended()

    def job_ready(self) -> list[Answers]:
        assert self.child is not None
        if not self.child.hear():
            self.child.zygote_lost = True
        return self._perhaps_ended()

    def check(self) -> list[Answers]:
        """Check the clock and the child's usage; kill a child that exceeds a limit."""
        now = monotonic()
        if now < self.due:
            return []
        total = self._limits.total_seconds
        if self.child is None:
            if now > self._began + total:
                raise WorkerLost(f"there was no room for a process for {total:g} s")
            self._begin()
            return []
        self.due = now + LOOK_SECONDS
        if self._killed is not None:
            # The zygote may not have introduced the child before `_kill` was called.
            self.child.kill()
            # Not every worker has a descriptor that reports its end.
            return self._perhaps_ended()
        child = self.child
        found = self._read_out(child)
        if self.child is not child or self._killed is not None:
            return found
        if child.too_large():
            self._kill(OutOfMemory(self._limits.memory_bytes))
            return found
        usage = child.usage()
        self._clock.look(now, usage)
        if usage is not None and usage.threads > THREADS_MAX:
            # Without the number of threads, which depends on the moment.
            self._kill(Refused(f"more than {THREADS_MAX} threads"))
            self._floods += 1
            return found
        if self._clock.seconds > total:
            return found + self._rest(TimedOut(total, whole_batch=True))
        self._watch_the_call(child, now)
        return found

    def _watch_the_call(self, child: Worker, now: float) -> None:
        """Kill a child that has been at something for too long."""
        loading = self._seen == wire.LOADING
        seconds = self._limits.load_seconds if loading else self._limits.call_seconds
        grace = self._source.start_seconds if loading else GRACE_SECONDS
        under_way = self._under_way(child)
        # Only a rise counts: a program that moved it up and down would never run out of time.
        if under_way > self._seen:
            self._seen = under_way
            self._clock.mark(now)
        elif self._clock.overstays(seconds, grace):
            self._kill(slow_load(self._limits) if loading else TimedOut(seconds))
        elif self._clock.is_starved(now, seconds, grace):
            raise WorkerLost("other processes leave this machine no time for a program")

    def _read_out(self, child: Worker) -> list[Answers]:
        """Take what has arrived: the page is believed only as far as answers have arrived."""
        found: list[Answers] = []
        for _ in range(READS_AT_ONCE):
            data = child.read()
            found += self._receive(data)
            if not data or self.child is not child or self._killed is not None:
                break
        return found

    def _under_way(self, child: Worker) -> int:
        assert self._frames is not None
        return self._frames.under_way(child.held_back())

    def cancel(self) -> list[Answers]:
        """Stop now; every call without an observation counts as timed out."""
        return self._rest(TimedOut(self._limits.total_seconds, whole_batch=True))

    def close(self) -> None:
        if self.child is not None:
            self.child.close()
            self.child = None

    def _kill(self, because: Observation) -> None:
        assert self.child is not None
        self._killed = because
        self.child.kill()

    def _take(self, answers: Answers, found: list[Answers]) -> None:
        """Move answers to `found`, up to one that ends the batch."""
        assert self._frames is not None
        answers = answers.beyond(self._next)
        kept = len(answers.observations)
        ending: Observation | None = None
        if self._frames.alarming:
            for position, observation in enumerate(answers.observations):
                if isinstance(observation, LoadFailed):
                    kept, ending = position, observation
                    break
                if isinstance(observation, TimedOut) and self._is_one_too_many():
                    kept, ending = position + 1, self._given_up
                    break
        if kept:
            found.append(Answers(answers.first, answers.observations[:kept], answers.told[:kept]))
        self._next = max(self._next, answers.first + kept)
        if ending is not None:
            found += self._rest(ending)
        elif answers.done:
            self._finish()

    def _is_one_too_many(self) -> bool:
        self._timeouts += 1
        return self._timeouts >= self._limits.timeouts_before_giving_up

    def _rest(self, observation: Observation) -> list[Answers]:
        """Give every call that has no observation yet this one, and finish."""
        first, self._next = self._next, self._task.count
        self._finish()
        return [Answers(first, [observation] * (self._task.count - first), [])]

    def _finish(self) -> None:
        self.done = True
        self.close()

    def _perhaps_ended(self) -> list[Answers]:
        child = self.child
        if child is None or not child.finished_writing:
            return []
        if child.no_room:
            self.close()
            self.due = monotonic() + ROOM_SECONDS
            return []
        if child.exit_status is None and not child.zygote_lost:
            return []
        assert self._frames is not None
        found: list[Answers] = []
        page = child.left_behind()
        if page is not None:
            self._read_page(self._frames, page, found)
        if self.done:
            return found
        reached = max(self._seen, self._under_way(child))
        loading = reached == wire.LOADING
        self.close()
        if self._next >= self._task.count:
            self.done = True
            return found
        if self._next < self._seen:
            # Whenever an honest child is killed, it has counted no answer that it has not given.
            return found + self._rest(Crashed("nonsense on the wire: answers that are not there"))
        if self._excused(child):
            self._clock.take_back()
            self._begin()
            return found
        if not loading and reached < self._next:
            # It ended in a call that the child for which it stood in had answered.
            self._go_on()
            return found
        blamed = self._killed or how_it_ended(child, self._limits, loading)
        return found + self._blame(blamed, loading)

    def _read_page(self, frames: Frames, page: Page, found: list[Answers]) -> None:
        """Move to `found` the answers that a child has left on its page."""
        self._bytes += len(page.text)
        # The child has ended anyway; nonsense on its page is no answer.
        with suppress(ProtocolError):
            try:
                for answers in frames.left_behind(page):
                    self._take(answers, found)
                    if self.done:
                        return
            except UnreadableAnswer as error:
                # The unreadable answer's call precedes the one in which the child ended.
                self._killed = nonsense(error)

    def _excused(self, child: Worker) -> bool:
        """Whether the child ended with its zygote, and nothing blames the program for it yet."""
        if child.exit_status is not None or self._killed is not None:
            return False
        self._source.lost(child)
        self._losses += 1
        return self._losses <= LOSSES_BEFORE_BLAME

    def _blame(self, observation: Observation, loading: bool) -> list[Answers]:
        """Take what ended the child as the observation of the call that was under way."""
        if loading or isinstance(observation, LoadFailed):
            return self._rest(observation)
        found = [Answers(self._next, [observation], [])]
        self._next += 1
        if isinstance(observation, TimedOut) and self._is_one_too_many():
            return found + self._rest(self._given_up)
        if self._floods >= FLOODS_MAX:
            return found + self._rest(observation)
        self._go_on()
        return found

    def _go_on(self) -> None:
        """Make the next call in another child, if there is one left."""
        self._first = self._next
        if self._next >= self._task.count:
            self.done = True
        else:
            self._begin()
