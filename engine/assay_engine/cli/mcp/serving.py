"""Serves the tools on standard input and output, by all versions of the Model Context Protocol.

Standard output belongs to the protocol: the SDK leads whatever else is printed to standard error.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, NoReturn

import anyio
import msgspec
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)
from msgspec import Struct

from assay_engine.cli.mcp.answers import (
    Answer,
    Explanation,
    Settled,
    text_of_answer,
    text_of_explanation,
    text_of_settled,
)
from assay_engine.cli.mcp.tools import (
    CheckChanges,
    CheckFunction,
    Compare,
    Explain,
    Settle,
    Tools,
)
from assay_engine.errors import AssayError
from assay_engine.types import Listener, Progress
from assay_engine.version import own_version
from assay_engine.words import short, visible

log = logging.getLogger(__name__)

CLOSE_SECONDS = 5.0
# An error's text, which may quote what an agent or a project has written.
ERROR_CHARACTERS = 1_500

INSTRUCTIONS = (
    "Assay puts Python functions on trial. It has a model write other implementations from a "
    "function's docstring alone, runs them and the function in a sandbox on the same inputs, and "
    "shows an input on which they differ. Call check_changes before you say that a task is done. "
    "`suspect` comes with an input that was run: trust it over your reading of the code. `not "
    "checked` is not a pass: say so to your user. Unchanged functions cost nothing."
)


class _Tool(Struct, frozen=True):
    title: str
    description: str
    takes: type[Struct]
    gives: type[Struct]
    call: Callable[[Any, Listener], Awaitable[Any]]
    worded: Callable[[Any], str]
    writes: bool = False
    asks: bool = False


def serve(tools: Tools) -> NoReturn:
    """Serve one client until it leaves, or until a signal.

    Ends the process without Python's own cleanup, which would wait for the thread that reads
    standard input. By then all checks are ended and all engines closed.
    """
    status = asyncio.run(_serve(tools))
    logging.shutdown()
    os._exit(status)


async def _serve(tools: Tools) -> int:
    loop = asyncio.get_running_loop()
    stopped: asyncio.Future[int] = loop.create_future()

    def stop(number: int, _frame: object) -> None:
        loop.call_soon_threadsafe(lambda: stopped.done() or stopped.set_result(128 + number))

    for name in ("SIGTERM", "SIGINT", "SIGHUP"):
        with suppress(AttributeError):  # Windows has no SIGHUP.
            signal.signal(getattr(signal, name), stop)
    serving = asyncio.create_task(_speak(tools))
    await asyncio.wait({serving, stopped}, return_when=asyncio.FIRST_COMPLETED)
    with suppress(TimeoutError):
        await asyncio.wait_for(tools.close(), CLOSE_SECONDS)
    if stopped.done():
        # The task waits for the client's next line, and cannot be ended.
        os._exit(stopped.result())
    if failure := serving.exception():
        log.error("the server failed", exc_info=failure)
        return 2
    return 0


async def _speak(tools: Tools) -> None:
    table = _table(tools)

    async def list_tools(
        _context: object, _params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        return ListToolsResult(tools=[_described(name, tool) for name, tool in table.items()])

    async def call_tool(context: Any, params: CallToolRequestParams) -> CallToolResult:
        tool = table.get(params.name)
        if tool is None:
            raise MCPError(INVALID_PARAMS, f"There is no tool {short(params.name)!r}.")
        try:
            arguments = msgspec.convert(params.arguments or {}, tool.takes)
            answer = await _followed(tool, arguments, context.session.report_progress)
        except msgspec.ValidationError as fault:
            takes = ", ".join(tool.takes.__struct_fields__)
            return _failed(f"{params.name} cannot be called like this: {fault}. It takes: {takes}.")
        except AssayError as failure:
            return _failed(f"NOT CHECKED: {failure}" if tool.asks else str(failure))
        except Exception as failure:
            log.exception("%s failed", params.name)
            return _failed(
                f"NOT CHECKED: internal error: {type(failure).__name__}: {failure}. Please report "
                "this, with the server's standard error output."
            )
        return CallToolResult(
            content=[TextContent(text=visible(tool.worded(answer)))],
            structured_content=msgspec.to_builtins(answer),
        )

    server = Server(
        "assay",
        version=own_version(),
        title="Assay",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


async def _followed(
    tool: _Tool, arguments: Struct, report: Callable[[float, None, str], Awaitable[None]]
) -> object:
    """Call the tool in a task of its own, and report its progress meanwhile.

    The protocol's own scope cancels whatever waits in it again and again, so that nothing in it
    could end its processes in order; the task is cancelled once, and waited for.
    """
    steps: asyncio.Queue[Progress | None] = asyncio.Queue()
    told = 0

    async def work() -> object:
        return await tool.call(arguments, steps.put_nowait)

    task = asyncio.create_task(work())
    task.add_done_callback(lambda _: steps.put_nowait(None))
    try:
        while (step := await steps.get()) is not None:
            # The protocol wants each number to be larger than the one before.
            told += 1
            at = f"{step.done + 1} of {step.total}" if step.total else ""
            await report(told, None, f"{step.qualname} ({at}): {step.stage}".replace(" ()", ""))
        return task.result()
    finally:
        task.cancel()
        with anyio.CancelScope(shield=True):
            await asyncio.wait({task}, timeout=CLOSE_SECONDS)


def _failed(sentence: str) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(text=short(sentence, ERROR_CHARACTERS))], is_error=True
    )


def _described(name: str, tool: _Tool) -> Tool:
    return Tool(
        name=name,
        title=tool.title,
        description=tool.description,
        input_schema=_schema_of(tool.takes),
        output_schema=_schema_of(tool.gives),
        annotations=ToolAnnotations(
            read_only_hint=not tool.writes,
            destructive_hint=False,
            idempotent_hint=not tool.writes,
            open_world_hint=tool.asks,
        ),
    )


def _schema_of(kind: type[Struct]) -> dict[str, Any]:
    """Its JSON Schema, an object at the root, as older versions of the protocol want it."""
    _, kinds = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    root = kinds.pop(kind.__name__)
    return {**root, **({"$defs": kinds} if kinds else {})}


def _table(tools: Tools) -> dict[str, _Tool]:
    return {
        "check_function": _Tool(
            "Check a function",
            "Check whether a Python function does what its docstring says, by running it and "
            "other implementations that a model writes from the docstring alone. Returns a "
            "verdict, and the input that shows it, with every outcome. Takes from seconds to a "
            "minute. Sends signature and docstring to the model that the user has set up, not the "
            "function's body.",
            CheckFunction,
            Answer,
            tools.check_function,
            text_of_answer,
            asks=True,
        ),
        "check_changes": _Tool(
            "Check what changed",
            "Check every Python function that is new or changed since a Git revision (the last "
            "commit, unless another is named), as check_function does. Call it before you say that "
            "a task is done.",
            CheckChanges,
            Answer,
            tools.check_changes,
            text_of_answer,
            asks=True,
        ),
        "compare": _Tool(
            "Compare with another version",
            "Run a Python function and another version of it (at the last commit, unless another "
            "revision or function is named) on the same inputs, including generated ones. Returns "
            "the smallest input on which they differ, with both outcomes, or that there is no "
            "difference. Call it after a refactoring. Sends nothing.",
            Compare,
            Answer,
            tools.compare,
            text_of_answer,
        ),
        "explain": _Tool(
            "Explain a verdict",
            "The evidence of the last check of a function: what was tried, who agrees, a candidate "
            "to put in its place as a diff, and examples that would settle an open question. Sends "
            "and runs nothing.",
            Explain,
            Explanation,
            tools.explain,
            text_of_explanation,
        ),
        "settle": _Tool(
            "Settle an open question",
            "Once whoever wants the function has said which outcome is meant on the input that a "
            "check showed, add it to the docstring as an example. `choice` is the number that the "
            "check's answer lists. Shows the edit; with `apply`, writes it.",
            Settle,
            Settled,
            tools.settle,
            text_of_settled,
            writes=True,
        ),
    }
