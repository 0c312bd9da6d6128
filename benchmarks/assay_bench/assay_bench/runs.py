"""Measures many tasks, several at a time, each in its own process with its own sandbox."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import cache
from itertools import islice
from multiprocessing import active_children, get_context, parent_process
from pathlib import Path
from time import monotonic

from msgspec import Struct

from assay_bench.datasets import SeededTask
from assay_bench.measurement import Measurement, MeasurementBudget
from assay_bench.modes import SandboxPair, measure, sandbox_pair


class Job(Struct, frozen=True):
    """One task to measure; `interpreter` runs the programs, by default our own."""

    task: SeededTask
    samples: tuple[str, ...]
    budget: MeasurementBudget
    interpreter: Path | None = None


class JobOutcome(Struct, frozen=True):
    """A measurement and its wall time. `passing`: the machine's problem, worth another try."""

    measurement: Measurement
    seconds: float
    passing: bool = False


Measure = Callable[[Job], JobOutcome]


def run_jobs(
    jobs: Sequence[Job], workers: int, measuring: Measure | None = None
) -> Iterator[JobOutcome]:
    """Yield outcomes as they come, in no order; one for each job.

    If a process dies, the jobs that it and its neighbours had begun are lost, and are `passing`.
    """
    work = measuring or measure_job
    waiting = iter(jobs)
    while batch := list(islice(waiting, workers)):
        yield from _run_pool(batch, waiting, workers, work)


def measure_job(job: Job) -> JobOutcome:
    """Measure in this process. Any failure on our side is recorded with the task."""
    started = monotonic()
    try:
        measurement = measure(_pair(job.interpreter), job.task, job.samples, job.budget)
    except Exception as error:
        return failed(job, f"{type(error).__name__}: {error}", monotonic() - started)
    return JobOutcome(measurement, monotonic() - started)


def _run_pool(
    first: Sequence[Job], waiting: Iterator[Job], workers: int, work: Measure
) -> Iterator[JobOutcome]:
    """Run jobs until all are done or the pool is broken. No more are handed over than can run."""
    context = get_context("spawn")
    with (
        ProcessPoolExecutor(workers, mp_context=context, initializer=_begin) as pool,
        _ending_children(),
    ):
        with _deaf():
            running = {pool.submit(work, job): job for job in first}
        while running:
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            broken = False
            for future in done:
                job = running.pop(future)
                outcome = _outcome(future, job)
                broken = broken or outcome is None
                yield outcome or failed(job, "the measuring process died", 0.0)
            if broken:
                for job in running.values():
                    yield failed(job, "a neighbouring process died", 0.0)
                return
            for job in islice(waiting, len(done)):
                try:
                    with _deaf():
                        running[pool.submit(work, job)] = job
                except BrokenProcessPool:
                    # The pool broke since the last look; the next look finds the running jobs lost.
                    yield failed(job, "a neighbouring process died", 0.0)


def _outcome(future: Future[JobOutcome], job: Job) -> JobOutcome | None:
    """The outcome of a job; None if the process has gone."""
    try:
        return future.result()
    except BrokenProcessPool:
        return None
    except Exception as error:
        return failed(job, f"{type(error).__name__}: {error}", 0.0)


def failed(job: Job, problem: str, seconds: float) -> JobOutcome:
    """The outcome to record if our side failed."""
    count = len(job.samples[: job.budget.candidates])
    return JobOutcome(Measurement(job.task.task_id, count, problem=problem), seconds, passing=True)


@cache
def _pair(interpreter: Path | None) -> SandboxPair:
    """The pair of sandboxes of a measuring process, which lives as long as the process."""
    return sandbox_pair(interpreter)


@contextmanager
def _ending_children() -> Generator[None]:
    """Kill the measuring processes if the run is stopped, so that nobody waits for them."""
    try:
        yield
    except BaseException:
        for child in active_children():
            child.kill()
        raise


@contextmanager
def _deaf() -> Generator[None]:
    """Make processes that start meanwhile deaf to Ctrl-C, which is for us to obey: a process that
    is still importing could only print where it was."""
    if sys.platform == "win32":
        yield
        return
    former = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, former)


def _begin() -> None:
    """Begin a measuring process. It ends with its parent: a killed parent cannot tell its children,
    which would wait for work for ever."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT,))
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_await_end, args=(parent.join,), daemon=True).start()


def _await_end(join: Callable[[], None]) -> None:
    join()
    os._exit(1)
