"""Asks, once, whether a model server found on this machine may be used."""

from __future__ import annotations

import asyncio
import os
import sys

import click

from assay_engine.configuration import EngineOptions
from assay_engine.engine import Engine
from assay_engine.errors import AssayError


@click.command()
def consent() -> None:
    """Choose a local model server (Ollama, LM Studio, vLLM, llama.cpp)."""
    options = EngineOptions(store_path=os.environ.get("ASSAY_STORE"), environment=dict(os.environ))
    try:
        with Engine.open(options) as engine:
            asked = asyncio.run(ask_for_consent(engine))
    except AssayError as failure:
        click.echo(f"assay: {failure}", err=True)
        sys.exit(2)
    if not asked:
        click.echo("No local model server is waiting for an answer.")


async def ask_for_consent(engine: Engine) -> int:
    """Asks about each server found, if somebody is there to answer. Returns how many were asked."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return 0
    pending = await engine.pending_consent()
    for server in pending:
        question = (
            f"{server.product} answers at {server.base_url} with {server.models[0]}. "
            "Send it the functions that are checked, without their bodies?"
        )
        engine.give_consent(server.base_url, click.confirm(question, default=False, err=True))
    return len(pending)
