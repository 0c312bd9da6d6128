"""Measures many tasks on a Ray cluster: the same outcomes as `runs`, from many machines.

Needs the extra `ray`, and Assay installed for the same interpreter on every machine. The cluster is
the one that RAY_ADDRESS names, or else a cluster of this machine alone that ends with the run.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import islice
from typing import Any

from assay_bench.runs import Job, JobOutcome, failed, measure_job
from assay_engine.errors import AssayError


class RayUnavailable(AssayError):
    """Ray is not installed."""


def run_jobs_on_ray(jobs: Sequence[Job], workers: int) -> Iterator[JobOutcome]:
    """Yield outcomes as they come, in no order; one for each job. Raises RayUnavailable.

    At most `workers` tasks are under way at a time, if there are so many processors.
    """
    if not jobs:
        return
    ray = _ray()
    cluster = os.environ.get("RAY_ADDRESS")
    own = {} if cluster else {"num_cpus": workers, "include_dashboard": False}
    ray.init(address=cluster or "local", log_to_driver=False, logging_level="error", **own)
    try:
        # A worker that died may have been killed by its task. The death is recorded as an outcome:
        # trying again would let the task kill another worker.
        measuring = ray.remote(num_cpus=1, max_retries=0)(measure_job)
        waiting = iter(jobs)
        running = {measuring.remote(job): job for job in islice(waiting, workers)}
        while running:
            (done, *_), _rest = ray.wait(list(running), num_returns=1)
            job = running.pop(done)
            try:
                outcome: JobOutcome = ray.get(done)
            except ray.exceptions.RayError as error:
                outcome = failed(job, f"the measuring process died ({type(error).__name__})", 0.0)
            yield outcome
            following = next(waiting, None)
            if following is not None:
                running[measuring.remote(following)] = following
    finally:
        ray.shutdown()


def _ray() -> Any:
    try:
        return import_module("ray")
    except ImportError:
        raise RayUnavailable(
            "--executor ray needs Ray; `pip install ray` into Assay's own environment"
        ) from None
