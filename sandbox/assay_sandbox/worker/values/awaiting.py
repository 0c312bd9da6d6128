"""Awaits what a call, and the steps before it, gave: all of it in one event loop."""

from __future__ import annotations

import sys
from types import AsyncGeneratorType, CoroutineType, GeneratorType

from ..inspecting import kind_of, lineage, namespace
from .iterating import iterated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    from ..bounds.depth import Depth
    from .encoding import Encoder

_KIND = "async_generator"
# The flag of code that `types.coroutine` has made awaitable.
_ITERABLE_COROUTINE = 0x100


def is_awaited(value: object) -> bool:
    kind = type(value)
    return kind is AsyncGeneratorType or _is_coroutine(value)


def _is_coroutine(value: object) -> bool:
    """Whether nothing at all happens to a value before it is awaited."""
    kind = type(value)
    if kind is GeneratorType:
        generator: Any = value
        return bool(generator.gi_code.co_flags & _ITERABLE_COROUTINE)
    return kind is CoroutineType


def _is_awaitable(value: object) -> bool:
    return _is_coroutine(value) or any(
        "__await__" in namespace(each) for each in lineage(type(value))
    )


class Loop:
    """The event loop of a call: made when something is first awaited, closed at the call's end."""

    def __init__(self) -> None:
        self._loop: Any = None
        # The variables of the context are those of one task.
        self._options: dict[str, Any] = {}
        self._stands = False

    def stand(self) -> None:
        """Let code that is not awaited find the loop running, as it would in a coroutine."""
        import asyncio

        self._open()
        self._stands = True
        asyncio._set_running_loop(self._loop)

    def awaited(self, value: Any, asked: bool = False, into: Any = None) -> Any:
        """What a value gives when awaited; the value itself if there is nothing to wait for.

        `asked`: somebody wrote `await`, or ``async for`` to collect items `into` something. Else
        only coroutines are awaited: tasks go on by themselves, and objects may be awaited later.
        """
        if into is not None:
            return self._run(_collected(value, into))
        if not (_is_awaitable(value) if asked else _is_coroutine(value)):
            return value
        if self._loop is not None and self._loop.is_running():
            # Called by a coroutine of the program, which will await it.
            return value
        return self._run(_outcome(value))

    def entered(self, manager: Any) -> Entered:
        """The asynchronous context manager for a plain ``with``."""
        return Entered(self, manager)

    def text(self, value: Any, encoder: Encoder, depth: Depth, items_max: int) -> str:
        """The text of the result of awaiting, or of an asynchronous generator's items.

        Raises what these raise.
        """
        depth.give_back()
        if kind_of(value) is not AsyncGeneratorType:
            try:
                result = self._run(_outcome(value))
            finally:
                self.close()
            depth.make_room()
            return encoder.value(result, drawing=True)
        texts: list[str] = []
        try:
            try:
                complete = self._run(_written(value, items_max, encoder, depth, texts))
            finally:
                self.close()
            depth.make_room()
            return iterated(_KIND, texts, complete=complete)
        finally:
            encoder.forget()

    def close(self) -> None:
        """End what still runs in the loop, as `asyncio.run` does."""
        loop = self._loop
        if loop is None:
            return
        self.drop()
        import asyncio

        try:
            left = asyncio.all_tasks(loop)
            for task in left:
                task.cancel()
            if left:
                loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.run_until_complete(loop.shutdown_default_executor())
        finally:
            asyncio.set_event_loop(None)
            loop.close()

    def drop(self) -> None:
        """Have nothing more to do with it, whatever still runs."""
        if self._stands:
            import asyncio

            asyncio._set_running_loop(None)
        self._loop, self._options, self._stands = None, {}, False

    def _open(self) -> None:
        import asyncio

        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            asyncio.set_event_loop(self._loop)
            if sys.version_info >= (3, 11):
                import contextvars

                self._options = {"context": contextvars.copy_context()}

    def _run(self, coroutine: Any) -> Any:
        import asyncio

        self._open()
        if self._stands:
            asyncio._set_running_loop(None)
        try:
            return self._loop.run_until_complete(self._loop.create_task(coroutine, **self._options))
        finally:
            if self._stands:
                asyncio._set_running_loop(self._loop)


class Entered:
    """An asynchronous context manager that a plain ``with`` enters."""

    def __init__(self, loop: Loop, manager: Any) -> None:
        self._loop = loop
        self._manager = manager
        self._kind: Any = type(manager)

    def __enter__(self) -> Any:
        return self._loop.awaited(self._kind.__aenter__(self._manager), True)

    def __exit__(self, *failed: Any) -> Any:
        return self._loop.awaited(self._kind.__aexit__(self._manager, *failed), True)


async def _outcome(value: Any) -> Any:
    return await value


async def _collected(source: Any, into: Callable[[list[Any]], Any]) -> Any:
    return into([item async for item in source])


async def _written(
    source: Any, limit: int, encoder: Encoder, depth: Depth, texts: list[str]
) -> bool:
    """Write each item before requesting the next, which may change it. Returns whether it ended."""
    length = len(iterated(_KIND, texts, complete=False))
    async for item in source:
        if len(texts) >= limit:
            return False
        depth.make_room()
        texts.append(encoder.item(item, _KIND, length))
        length += len(texts[-1]) + 1
        depth.give_back()
    return True
