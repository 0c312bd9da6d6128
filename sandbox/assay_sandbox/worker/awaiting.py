"""What comes of awaiting what a call returned."""

from __future__ import annotations

from types import AsyncGeneratorType, CoroutineType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, List, Tuple

    from .depth import Depth
    from .encoding import Encoder


def is_awaited(value: object) -> bool:
    kind = type(value)
    return kind is CoroutineType or kind is AsyncGeneratorType


def text(value: Any, encoder: Encoder, depth: Depth, items_max: int) -> str:
    """The result, or what an asynchronous generator yields. Raises what that raises."""
    import asyncio

    seen: object = value
    depth.give_back()
    if type(seen) is CoroutineType:
        result = asyncio.run(value)
        depth.make_room()
        return encoder.value(result, drawing=True)
    items, complete = asyncio.run(_collected(value, items_max))
    depth.make_room()
    return encoder.drawn("async_generator", items, complete)


async def _collected(source: Any, limit: int) -> Tuple[List[Any], bool]:
    items: List[Any] = []
    async for item in source:
        if len(items) >= limit:
            return items, False
        items.append(item)
    return items, True
