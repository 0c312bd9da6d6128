"""`assay doctor`: tells what works here, and what to do about missing parts."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice, zip_longest
from pathlib import Path

import click
from msgspec.structs import replace

from assay_engine.cli.output import COULD_NOT_RUN, DONE, say
from assay_engine.cli.targets import FILES_MAX
from assay_engine.config.configuration import (
    EngineOptions,
    excluded,
    options_from,
    project_root,
)
from assay_engine.engine import Engine, EngineStatus
from assay_engine.errors import AssayError
from assay_engine.files.source_files import UnreadableFile, read_file
from assay_engine.messages.at_a_glance import reach
from assay_engine.messages.phrases import priced
from assay_engine.models import FoundCommand, LocalServer, Probe, find_commands
from assay_engine.status import ModelStatus
from assay_engine.syntax.ignoring import Ignoring
from assay_engine.types import ProblemKind, SourceText
from assay_engine.words import count

# How many files of a project are loaded, which takes a part of a second each.
FILES_LOADED = 20


@click.command()
@click.option("--interpreter", metavar="PATH", help="The Python that the checked code runs under.")
@click.option("--probe", is_flag=True, help="Send the model a tiny request; show the result.")
def doctor(interpreter: str | None, probe: bool) -> None:
    """Say what works here. Exits with 0 if a check could run, 2 if not."""
    options = replace(
        options_from(os.environ), interpreter=interpreter, root=str(project_root(Path(".")))
    )
    try:
        with Engine.open(options) as engine:
            status, waiting, probes, commands = asyncio.run(_look(engine, options, probe=probe))
            project = (
                asyncio.run(_reach(engine, Path(options.root or "."))) if status.confinement else ""
            )
    except AssayError as failure:
        say(f"problem      {failure}")
        sys.exit(COULD_NOT_RUN)
    for line in (*_lines(status, waiting, probes, commands), *filter(None, [project])):
        say(line)
    answers = [
        not (model.problem or (probed is not None and probed.problem))
        for model, probed in zip_longest(status.models, probes)
    ]
    sys.exit(DONE if any(answers) and status.confinement else COULD_NOT_RUN)


def _endpoint(model: ModelStatus) -> str:
    if model.endpoint is None:
        return "none"
    # Some endpoints take the key in the query.
    address, query, _ = model.endpoint.partition("?")
    shown = f"{address}?…" if query else address
    if model.is_local:
        return f"{shown} (on this machine)"
    if model.is_command:
        return f"{model.endpoint} (a command; code goes wherever it sends it)"
    unprotected = "" if address.startswith("https:") else ", unencrypted"
    return f"{shown} (code leaves this machine{unprotected})"


async def _look(
    engine: Engine, options: EngineOptions, *, probe: bool
) -> tuple[EngineStatus, tuple[LocalServer, ...], tuple[Probe, ...], tuple[FoundCommand, ...]]:
    # The requests come first, so that the status counts them.
    probes = await engine.probe() if probe else ()
    commands = await find_commands(options.environment)
    return await engine.status(), await engine.pending_consent(), probes, commands


async def _reach(engine: Engine, root: Path) -> str:
    """How many of the project's functions can be tried, by files from all over it."""
    every = sorted(islice(Ignoring(root, excluded(str(root))).python_files(root), FILES_MAX))
    files = every[:: -(-len(every) // FILES_LOADED) or 1]
    found: list[ProblemKind | None] = []
    for file in files:
        with suppress(UnreadableFile):
            text = read_file(file).text
            found += await engine.refusals(SourceText(str(file), text, str(root)))
    if not found:
        return ""
    some = f" (in {len(files)} of its {count(len(every), 'file')})" if files != every else ""
    return f"project      {reach(found)}{some}"


def probe_lines(probed: Probe, *, local: bool) -> Iterator[str]:
    """What a tiny request showed of a model, one thing a line."""
    if probed.problem is not None:
        yield probed.problem
        return
    tokens = f" ({probed.usage.tokens:,} tokens)" if probed.usage.tokens else ""
    yield f"answered in {probed.seconds:.1f} s{tokens}"
    if probed.thinks is None:
        # A command tells no more.
        return
    effort = f", and is asked to think little ({probed.effort})" if probed.effort else ""
    yield f"thinks before it answers{effort}" if probed.thinks else "answers without thinking"
    context = f"{probed.context:,} tokens" if probed.context else "not reported by the endpoint"
    yield f"context: {context}"
    if probed.slots is not None:
        yield f"slots: {probed.slots} (sampling.concurrency may be higher: other requests wait)"
    if local:
        yield "price: none, it runs on this machine"
    elif probed.price is not None:
        prompt, reply = probed.price
        yield f"price: ${prompt:,.2f} per million tokens of prompts, ${reply:,.2f} of replies"


def _signed_in(command: FoundCommand) -> str:
    choose = f": assay setup --command {command.name}"
    if command.signed_in is None:
        return choose
    return f", signed in{choose}" if command.signed_in else f": sign in with `{command.sign_in}`"


def _lines(
    status: EngineStatus,
    waiting: tuple[LocalServer, ...],
    probes: tuple[Probe, ...],
    commands: tuple[FoundCommand, ...],
) -> Iterator[str]:
    yield f"interpreter  {status.interpreter}"
    yield f"confinement  {status.confinement or 'none'}"
    if status.canaries:
        held = sum(canary.held for canary in status.canaries)
        of_all = "" if held == len(status.canaries) else f" of {len(status.canaries)}"
        found = f"found in {status.canary_seconds * 1000:.0f} ms"
        yield f"             {held}{of_all} canaries held, {found}"
    yield from (f"             {limit}" for limit in status.confinement_limits)
    for tier in status.passed_over:
        yield f"             stronger, but does not work here: {tier.name}: {tier.reason}"
        yield from (f"             {remedy}" for remedy in tier.remedies)
    if status.confinement_problem:
        yield f"             {status.confinement_problem}"
        yield from (f"             {remedy}" for remedy in status.remedies)
    for model, probed in zip_longest(status.models, probes):
        yield f"endpoint     {_endpoint(model)}"
        if model.problem:
            yield f"             {model.problem}"
        yield f"model        {model.name}"
        if probed is not None:
            told = probe_lines(probed, local=model.is_local)
            yield from (f"             {line}" for line in told)
    if not status.models:
        yield from ("endpoint     none", "model        none")
    if status.model_problem:
        yield f"             {status.model_problem}"
    used = {model.endpoint for model in status.models}
    for each in commands:
        if each.name not in used:
            yield f"             found: {each.product}{_signed_in(each)}"
    yield from (f"             found: {s.product} at {s.base_url}" for s in waiting)
    yield f"cache        {status.store}"
    today = status.today
    parts = [f"{today.prompt_tokens:,} read", f"{today.completion_tokens:,} written"]
    if today.cached_tokens:
        parts.insert(1, f"{today.cached_tokens:,} of them from the provider's cache")
    if today.reserved_tokens:
        parts.append(f"{today.reserved_tokens:,} more set aside")
    of_these = f" ({', '.join(parts)})" if today.tokens or today.reserved_tokens else ""
    requests = count(today.requests, "request")
    by_request = any(model.is_command for model in status.models)
    if by_request:
        most = status.budget.requests_per_day
        yield f"budget       {today.requests:,} of {most:,} requests made today"
    if today.tokens or today.reserved_tokens or not by_request:
        yield (
            f"budget       {today.tokens:,} of {status.budget.tokens_per_day:,} tokens spent "
            f"today, in {priced(f'{requests}{of_these}', today.price)}"
        )
    yield from (f"note         {notice}" for notice in status.notices)
