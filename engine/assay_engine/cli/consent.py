"""The user's consent to model servers on this machine, and to interpreters of projects."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import click
from msgspec.structs import replace

from assay_engine.cli.output import COULD_NOT_RUN, DONE, complain, confirmed, say
from assay_engine.config.configuration import options_from, project_root
from assay_engine.engine import Engine
from assay_engine.errors import AssayError


@click.command(short_help="Say yes to a local model server, or take it back.")
@click.option(
    "--withdraw",
    metavar="ADDRESS",
    multiple=True,
    help="Take back a yes to an address or interpreter, as `assay consent` lists them.",
)
def consent(withdraw: tuple[str, ...]) -> None:
    """Say yes to a local model server (Ollama, LM Studio, vLLM, llama.cpp), or to the interpreter
    that this project brings along; or take it back. Lists what was agreed to."""
    options = replace(options_from(os.environ), root=str(project_root(Path("."))))
    try:
        with Engine.open(options) as engine:
            if engine.store_problem is not None:
                # A new answer would be forgotten, and earlier answers cannot be read.
                complain(engine.store_problem)
                sys.exit(COULD_NOT_RUN)
            if withdraw:
                sys.exit(_withdraw(engine, withdraw))
            if engine.store_came_along:
                raise AssayError(
                    "A yes would be kept where the project could have brought it along: the store "
                    "is not in your own home, or in the project. Name a file in ASSAY_STORE."
                )
            unasked = () if _somebody_is_there() else asyncio.run(_waiting(engine))
            asked = ask_for_consent(engine) + _ask_about_interpreter(engine)
            agreed = engine.consents()
    except AssayError as failure:
        complain(str(failure))
        sys.exit(COULD_NOT_RUN)
    if not asked and not unasked:
        none = "." if agreed else ", and you have agreed to none."
        say(f"No server is waiting for your consent{none}")
    for address in agreed:
        say(f"agreed: {address} (take it back: assay consent --withdraw {address})")
    if unasked:
        complain(
            f"{' and '.join(unasked)} may not be used yet, and there is nobody to ask; run "
            "`assay consent` in a terminal."
        )
        sys.exit(COULD_NOT_RUN)


def ask_for_consent(engine: Engine) -> int:
    """Ask about each server found, if somebody is there to answer; return how many were found.

    Do not call this in an event loop: there, a Ctrl-C at the question would take effect later.
    """
    if not _somebody_is_there():
        return 0
    pending = asyncio.run(engine.pending_consent())
    for server in pending:
        model = engine.model_at(server) or server.models[0]
        question = (
            f"{server.product} answers at {server.base_url} with {model}. Send it signature and "
            "docstring of the functions that are checked, the definitions that they use "
            "(with bodies only those of the same file) and, for a function in doubt, what it does "
            "on a few inputs?"
        )
        engine.give_consent(server.base_url, confirmed(question))
    return len(pending)


async def _waiting(engine: Engine) -> tuple[str, ...]:
    """The names of the servers and of the interpreter that the user would be asked about."""
    servers = [f"{each.product} at {each.base_url}" for each in await engine.pending_consent()]
    program = engine.interpreter.left_aside
    return (*servers, *(() if program is None else (str(program),)))


def _ask_about_interpreter(engine: Engine) -> int:
    program, doubt = engine.interpreter.left_aside, engine.interpreter.doubt
    if program is None or not _somebody_is_there():
        return 0
    question = (
        f"{program} {doubt}. Run it, unconfined, whenever functions of the project are checked?"
    )
    engine.give_consent(program.as_uri(), confirmed(question))
    return 1


def _withdraw(engine: Engine, named: tuple[str, ...]) -> int:
    """The exit status: `DONE` if everything named had been agreed to."""
    status = DONE
    for name in named:
        address = name if "://" in name else Path(name).absolute().as_uri()
        before = engine.consents()
        engine.withdraw_consent(address)
        if engine.consents() == before:
            complain(f"you have not agreed to {name}; see `assay consent`")
            status = COULD_NOT_RUN
        else:
            say(f"{name} may no longer be used.")
    return status


def _somebody_is_there() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()
