"""`assay doctor`: tells what works here, and what to do about missing parts."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import click
from msgspec.structs import replace

from assay_engine.cli.exit_status import COULD_NOT_RUN, DONE
from assay_engine.configuration import options_from, project_root
from assay_engine.engine import Engine, EngineStatus
from assay_engine.errors import AssayError
from assay_engine.models import LocalServer
from assay_engine.words import count


@click.command()
@click.option("--interpreter", metavar="PATH", help="The Python that the checked code runs under.")
def doctor(interpreter: str | None) -> None:
    """Say what works here. Exits with 0 if a check could run, 2 if not."""
    options = replace(
        options_from(os.environ), interpreter=interpreter, root=str(project_root(Path(".")))
    )
    try:
        with Engine.open(options) as engine:
            status, waiting = asyncio.run(_look(engine))
    except AssayError as failure:
        click.echo(f"problem      {failure}")
        sys.exit(COULD_NOT_RUN)
    for line in _lines(status, waiting):
        click.echo(line)
    works = status.model and status.confinement and not status.endpoint_problem
    sys.exit(DONE if works else COULD_NOT_RUN)


def _endpoint(status: EngineStatus) -> str:
    if status.endpoint is None:
        return "none"
    if status.endpoint_is_local:
        return f"{status.endpoint} (on this machine)"
    unprotected = "" if status.endpoint.startswith("https:") else ", unencrypted"
    return f"{status.endpoint} (code leaves this machine{unprotected})"


async def _look(engine: Engine) -> tuple[EngineStatus, tuple[LocalServer, ...]]:
    return await engine.status(), await engine.pending_consent()


def _lines(status: EngineStatus, waiting: tuple[LocalServer, ...]) -> Iterator[str]:
    yield f"interpreter  {status.interpreter}"
    yield f"confinement  {status.confinement or 'none'}"
    if status.canaries:
        held = sum(canary.held for canary in status.canaries)
        of_all = "" if held == len(status.canaries) else f" of {len(status.canaries)}"
        found = f"found in {status.canary_seconds * 1000:.0f} ms"
        yield f"             {held}{of_all} canaries held, {found}"
    yield from (f"             {limit}" for limit in status.confinement_limits)
    for tier in status.passed_over:
        yield f"             stronger, but does not hold here: {tier.name}: {tier.reason}"
        yield from (f"             {remedy}" for remedy in tier.remedies)
    if status.confinement_problem:
        yield f"             {status.confinement_problem}"
        yield from (f"             {remedy}" for remedy in status.remedies)
    yield f"endpoint     {_endpoint(status)}"
    if status.endpoint_problem:
        yield f"             {status.endpoint_problem}"
    yield f"model        {status.model or 'none'}"
    if status.model_problem:
        yield f"             {status.model_problem}"
    yield from (f"             found: {s.product} at {s.base_url}" for s in waiting)
    yield f"cache        {status.store}"
    yield (
        f"budget       {status.tokens_today:,} of {status.tokens_per_day:,} tokens spent today, in "
        f"{count(status.requests_today, 'request')}"
    )
    yield from (f"note         {notice}" for notice in status.notices)
