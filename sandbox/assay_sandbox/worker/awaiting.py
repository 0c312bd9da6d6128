"""Awaits the coroutine or asynchronous generator that a call returned."""

from __future__ import annotations

from types import AsyncGeneratorType, CoroutineType

from .iterating import iterated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, List

    from .depth import Depth
    from .encoding import Encoder


_KIND = "async_generator"


def is_awaited(value: object) -> bool:
    kind = type(value)
    return kind is CoroutineType or kind is AsyncGeneratorType


def text(value: Any, encoder: Encoder, depth: Depth, items_max: int) -> str:
    """The text of the result, or of an asynchronous generator's items. Raises what these raise."""
    import asyncio

    seen: object = value
    depth.give_back()
    if type(seen) is CoroutineType:
        result = asyncio.run(value)
        depth.make_room()
        return encoder.value(result, drawing=True)
    texts: List[str] = []
    try:
        complete = asyncio.run(_written(value, items_max, encoder, depth, texts))
        depth.make_room()
        return iterated(_KIND, texts, complete=complete)
    finally:
        encoder.forget()


async def _written(
    source: Any, limit: int, encoder: Encoder, depth: Depth, texts: List[str]
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
