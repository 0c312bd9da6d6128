"""The engine as the server sees it: opened on first use, on its own thread, awaited from here.

The server's loop never waits for that thread. The engine's texts arrive in the words of an editor.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

import msgspec
from msgspec.structs import replace

from assay_engine.advice import for_editors
from assay_engine.errors import AssayError
from assay_engine.status import Outlook, Supplied
from assay_engine.types import Progress, Report, SourceText, Tier, Unit, Wanted
from assay_lsp.lifetime import have_a_folder

if TYPE_CHECKING:
    from assay_engine.engine import Engine


log = logging.getLogger(__name__)

# How long a cancelled piece of work may take to close its connections and kill its children before
# the server goes on without it.
CANCEL_SECONDS = 5.0


class Background:
    """Runs coroutines on a loop of its own, in one daemon thread that starts with the first.

    Created and used on the server's loop. Results and cancellations cross by
    `call_soon_threadsafe`, and in no other way.
    """

    def __init__(self) -> None:
        self._there: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    async def run(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run `work()` on the engine's loop. When the caller is cancelled, so is the work.

        Returns only when the work has ended, so that a caller that starts the next piece knows that
        the last one's requests and processes are gone.
        """
        here = asyncio.get_running_loop()
        if self._there is None:
            self._there = asyncio.new_event_loop()
            # A daemon: a stuck engine must not keep alive a process that has no client.
            self._thread = threading.Thread(
                target=self._there.run_forever, name="assay-engine", daemon=True
            )
            self._thread.start()
        there = self._there
        outcome: asyncio.Future[T] = here.create_future()
        tasks: list[asyncio.Task[T]] = []

        def settle(task: asyncio.Task[T]) -> None:
            if outcome.done():
                return
            if task.cancelled():
                outcome.cancel()
            elif (error := task.exception()) is not None:
                outcome.set_exception(error)
            else:
                outcome.set_result(task.result())

        def start() -> None:
            task = there.create_task(work())
            tasks.append(task)
            task.add_done_callback(finish)

        def finish(task: asyncio.Task[T]) -> None:
            with contextlib.suppress(RuntimeError):  # The server's loop is closed.
                here.call_soon_threadsafe(settle, task)

        there.call_soon_threadsafe(start)
        try:
            return await asyncio.shield(outcome)
        except asyncio.CancelledError:
            there.call_soon_threadsafe(lambda: [task.cancel() for task in tasks])
            await asyncio.wait([outcome], timeout=CANCEL_SECONDS)
            if outcome.done() and not outcome.cancelled():
                outcome.exception()  # Retrieved, or asyncio complains that it never was.
            raise

    def stop(self, seconds: float, last: Callable[[], None]) -> None:
        """Cancel everything, run `last` on that loop and end the thread; blocks at most `seconds`.

        Called when the server's loop has ended.
        """
        there, thread = self._there, self._thread
        if there is None or thread is None:
            return

        async def wind_up() -> None:
            others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)
            try:
                last()
            except Exception:
                log.exception("the engine did not close")
            there.stop()

        with contextlib.suppress(RuntimeError):
            asyncio.run_coroutine_threadsafe(wind_up(), there)
        thread.join(seconds)


T = TypeVar("T")

# A client waits for the status that it requests; eglot does so with the editor frozen.
STATUS_SECONDS = 5.0


class Pending(msgspec.Struct, frozen=True):
    """A model server that was found and not decided on; `model` is empty if it lacks the one asked
    for."""

    product: str
    base_url: str
    model: str


class EngineAccess:
    """Every method runs on the engine's thread; the engine itself is touched only there."""

    def __init__(self, open_engine: Callable[[], Engine]) -> None:
        self._open = open_engine
        self._engine: Engine | None = None
        self._background = Background()
        # About how many requests one function may take, by tier; empty before the engine is open.
        self.costs: Mapping[Tier, int] = {}

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
        """Check the named functions, or all that are somebody's interface. Callbacks run on
        this loop.

        `on_begun` is called when the check has taken over the trials that another check runs in
        the same state.
        `on_opinion` gets reports once more, with the judge's opinion, when all have been given.
        """
        here = asyncio.get_running_loop()

        def listen(progress: Progress, /) -> None:
            here.call_soon_threadsafe(on_progress, progress)

        def begun() -> None:
            here.call_soon_threadsafe(on_begun)

        async def work() -> None:
            have_a_folder()
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
                    here.call_soon_threadsafe(on_report, report_for_editors(report))
            opinions = self._opened().judge(source, found, listen=listen, tier=tier)
            async with contextlib.aclosing(opinions):
                async for report in opinions:
                    here.call_soon_threadsafe(on_opinion, report_for_editors(report))

        await self._run(work)

    async def recall(self, source: SourceText) -> tuple[Report, ...]:
        found = await self._told(lambda engine: engine.recall(source))
        return tuple(map(report_for_editors, found))

    async def files_with_findings(self, most: int) -> tuple[str, ...]:
        return await self._told(lambda engine: engine.files_with_findings(most))

    async def outdated(self, source: SourceText, reports: Sequence[Report]) -> tuple[Report, ...]:
        return await self._found(lambda engine: engine.outdated(source, reports))

    async def outlook(
        self, source: SourceText, names: frozenset[str] | None, *, again: bool, tier: Tier
    ) -> Outlook:
        """What `check` with the same arguments would ask a model for."""
        only = _selecting(names)
        return await self._told(
            lambda engine: engine.outlook(source, only=only, again=again, tier=tier)
        )

    async def compared(self, source: SourceText, name: str) -> Report:
        """The report on a function beside what it was in the last commit."""
        found = await self._found(lambda engine: engine.compare_with_commit(source, name))
        return report_for_editors(found)

    async def changed(self, source: SourceText) -> frozenset[str]:
        return await self._found(lambda engine: engine.changed(source))

    async def settled(self, source: SourceText, earlier: str) -> frozenset[str]:
        return await self._found(lambda engine: engine.settled(source, earlier))

    async def supplied(self) -> Supplied:
        found = await self._found(lambda engine: engine.supplied())
        return replace(found, problem=found.problem and for_editors(found.problem))

    async def note_wanted(self, source: SourceText, wanted: Wanted | None) -> None:
        await self._told(lambda engine: engine.note_wanted(source, wanted))

    async def wanted(self, source: SourceText) -> Wanted | None:
        return await self._told(lambda engine: engine.wanted(source))

    async def excludes(self, path: str) -> bool:
        return await self._found(lambda engine: engine.excludes(path))

    async def is_current(self) -> bool:
        """Whether reopening the engine would change nothing; true if it is not open yet."""

        async def work() -> bool:
            return self._engine is None or self._engine.is_current

        return await self._background.run(work)

    async def notices(self) -> tuple[str, ...]:
        return tuple(map(for_editors, await self._told(lambda engine: engine.notices)))

    async def status(self) -> dict[str, Any]:
        """The engine's status as plain data, within `STATUS_SECONDS`."""
        found = await self._found(lambda engine: engine.status(STATUS_SECONDS))
        return data_for_editors(msgspec.to_builtins(found))

    async def pending_consent(self) -> tuple[Pending, ...]:
        """The servers to ask about, each with the model that would be used there."""

        async def find(engine: Engine) -> tuple[Pending, ...]:
            servers = await engine.pending_consent()
            return tuple(
                Pending(each.product, each.base_url, engine.model_at(each)) for each in servers
            )

        return await self._found(find)

    async def give_consent(self, address: str, yes: bool) -> None:
        await self._told(lambda engine: engine.give_consent(address, yes))

    async def reconsider(self) -> None:
        await self._told(lambda engine: engine.reconsider())

    async def reopen(self, open_engine: Callable[[], Engine]) -> None:
        """Use another engine from the next call on."""
        self._open = open_engine

        async def work() -> None:
            self._close()

        await self._background.run(work)

    def stop(self, seconds: float) -> None:
        """Cancel all work and close the engine; blocks, but not for longer than `seconds`."""
        self._background.stop(seconds, self._close)

    async def _told(self, tell: Callable[[Engine], T]) -> T:
        """The result of a call that the engine answers at once."""

        async def work() -> T:
            return tell(self._opened())

        return await self._run(work)

    async def _found(self, find: Callable[[Engine], Awaitable[T]]) -> T:
        """The result of a call that the engine awaits; repeated if the engine was replaced."""

        async def work() -> T:
            while True:
                engine = self._opened()
                try:
                    found = await find(engine)
                except AssayError:
                    if engine is self._engine:
                        raise
                    continue
                # If another engine has replaced it meanwhile, this answer is of a closed engine.
                if engine is self._engine:
                    return found

        return await self._run(work)

    async def _run(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Do the work on the engine's thread; reword the `AssayError` that it may raise."""
        try:
            return await self._background.run(work)
        except AssayError as error:
            raise AssayError(for_editors(str(error))) from error

    def _opened(self) -> Engine:
        if self._engine is None:
            self._engine = engine = self._open()
            self.costs = {tier: engine.requests_of_one(tier) for tier in Tier}
        return self._engine

    def _close(self) -> None:
        if self._engine is not None:
            engine, self._engine = self._engine, None
            engine.close()


def _selecting(names: frozenset[str] | None) -> Callable[[Unit], bool] | None:
    return None if names is None else lambda unit: unit.qualname in names


def report_for_editors(report: Report) -> Report:
    """The report with its problems, and the findings made of them, reworded for editors."""
    return replace(
        report,
        findings=tuple(
            replace(each, message=for_editors(each.message)) for each in report.findings
        ),
        problems=tuple(
            replace(each, message=for_editors(each.message), brief=for_editors(each.brief))
            for each in report.problems
        ),
    )


def data_for_editors(data: Any) -> Any:
    """Plain data with all its texts reworded for editors."""
    if isinstance(data, str):
        return for_editors(data)
    if isinstance(data, dict):
        entries = cast("dict[str, Any]", data)
        return {name: data_for_editors(value) for name, value in entries.items()}
    if isinstance(data, list | tuple):
        return [data_for_editors(value) for value in cast("list[Any]", data)]
    return data
