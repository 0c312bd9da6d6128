"""The engine as the server sees it: opened on first use, on its own thread, awaited from here."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Any, Protocol

import msgspec

from assay_engine.types import Listener, Progress, Report, SourceText, Tier, Unit
from assay_lsp.background import Background


class LocalServer(Protocol):
    """A model server found on this machine."""

    @property
    def product(self) -> str: ...
    @property
    def base_url(self) -> str: ...


class Engine(Protocol):
    """What the server needs of `assay_engine.engine.Engine`, so that tests can script it."""

    def check(
        self,
        source: SourceText,
        *,
        only: Callable[[Unit], bool] | None = None,
        listen: Listener | None = None,
        again: bool = False,
        tier: Tier = Tier.STANDARD,
        begun: Callable[[], None] | None = None,
    ) -> AsyncGenerator[Report, None]: ...
    def judge(
        self,
        source: SourceText,
        reports: Sequence[Report],
        *,
        listen: Listener | None = None,
        tier: Tier = Tier.STANDARD,
    ) -> AsyncGenerator[Report, None]: ...
    def recall(self, source: SourceText) -> tuple[Report, ...]: ...
    def needs_model(
        self,
        source: SourceText,
        *,
        only: Callable[[Unit], bool] | None = None,
        again: bool = False,
        tier: Tier = Tier.STANDARD,
    ) -> bool: ...
    async def outdated(
        self, source: SourceText, reports: Sequence[Report]
    ) -> tuple[Report, ...]: ...
    def excludes(self, path: str) -> bool: ...
    @property
    def is_current(self) -> bool: ...
    @property
    def notices(self) -> tuple[str, ...]: ...
    async def status(self) -> Any: ...
    async def pending_consent(self) -> tuple[LocalServer, ...]: ...
    def give_consent(self, address: str, yes: bool) -> None: ...
    def close(self) -> None: ...


class EngineAccess:
    """Every method hops to the engine's thread; the engine itself is touched there alone."""

    def __init__(self, open_engine: Callable[[], Engine]) -> None:
        self._open = open_engine
        self._engine: Engine | None = None
        self._background = Background()

    async def check(
        self,
        source: SourceText,
        names: frozenset[str] | None,
        *,
        again: bool,
        tier: Tier,
        on_report: Callable[[Report], None],
        on_opinion: Callable[[Report], None],
        on_progress: Callable[[Progress], None],
        on_begun: Callable[[], None],
    ) -> None:
        """Check the named functions, or all that have a docstring. Callbacks run on this loop.

        `on_begun` is called when it has taken over what another check has on trial in the same
        state.
        `on_opinion` gets reports once more, with what the judge says, when all have been given.
        """
        here = asyncio.get_running_loop()

        def listen(progress: Progress, /) -> None:
            here.call_soon_threadsafe(on_progress, progress)

        def begun() -> None:
            here.call_soon_threadsafe(on_begun)

        async def work() -> None:
            reports = self._opened().check(
                source,
                only=_selecting(names),
                listen=listen,
                again=again,
                tier=tier,
                begun=begun,
            )
            found: list[Report] = []
            async with contextlib.aclosing(reports):
                async for report in reports:
                    found.append(report)
                    here.call_soon_threadsafe(on_report, report)
            opinions = self._opened().judge(source, found, listen=listen, tier=tier)
            async with contextlib.aclosing(opinions):
                async for report in opinions:
                    here.call_soon_threadsafe(on_opinion, report)

        await self._background.run(work)

    async def recall(self, source: SourceText) -> tuple[Report, ...]:
        async def work() -> tuple[Report, ...]:
            return self._opened().recall(source)

        return await self._background.run(work)

    async def outdated(self, source: SourceText, reports: Sequence[Report]) -> tuple[Report, ...]:
        async def work() -> tuple[Report, ...]:
            return await self._opened().outdated(source, reports)

        return await self._background.run(work)

    async def needs_model(
        self, source: SourceText, names: frozenset[str] | None, *, again: bool, tier: Tier
    ) -> bool:
        """Whether `check` of the same would ask a model."""

        async def work() -> bool:
            return self._opened().needs_model(
                source, only=_selecting(names), again=again, tier=tier
            )

        return await self._background.run(work)

    async def excludes(self, path: str) -> bool:
        async def work() -> bool:
            return self._opened().excludes(path)

        return await self._background.run(work)

    async def is_current(self) -> bool:
        """Whether opening it anew would change nothing; what is not open yet is."""

        async def work() -> bool:
            return self._engine is None or self._engine.is_current

        return await self._background.run(work)

    async def notices(self) -> tuple[str, ...]:
        async def work() -> tuple[str, ...]:
            return self._opened().notices

        return await self._background.run(work)

    async def status(self) -> dict[str, Any]:
        async def work() -> Any:
            return await self._opened().status()

        return msgspec.to_builtins(await self._background.run(work))

    async def pending_consent(self) -> tuple[LocalServer, ...]:
        async def work() -> tuple[LocalServer, ...]:
            return await self._opened().pending_consent()

        return await self._background.run(work)

    async def give_consent(self, address: str, yes: bool) -> None:
        async def work() -> None:
            self._opened().give_consent(address, yes)

        await self._background.run(work)

    async def reopen(self, open_engine: Callable[[], Engine]) -> None:
        """Use another engine from the next call on."""
        self._open = open_engine

        async def work() -> None:
            self._close()

        await self._background.run(work)

    def stop(self, seconds: float) -> None:
        """Cancel what runs and close the engine; blocks, but not for longer than `seconds`."""
        self._background.stop(seconds, self._close)

    def _opened(self) -> Engine:
        if self._engine is None:
            self._engine = self._open()
        return self._engine

    def _close(self) -> None:
        if self._engine is not None:
            engine, self._engine = self._engine, None
            engine.close()


def _selecting(names: frozenset[str] | None) -> Callable[[Unit], bool] | None:
    return None if names is None else lambda unit: unit.qualname in names
