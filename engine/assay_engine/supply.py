"""Supplies the model for everything else: replayed, configured, or found here and agreed to."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from urllib.parse import urlsplit

from assay_engine.configuration import EngineOptions, user_endpoint
from assay_engine.endpoints import OWN, endpoint_from
from assay_engine.errors import StoreError
from assay_engine.models import (
    CircuitBreaker,
    Day,
    LearntDialect,
    LocalServer,
    find_local_servers,
    give_consent,
    has_consent,
    last_used,
    note_use,
    withdraw_consent,
)
from assay_engine.settings import Endpoint, Settings
from assay_engine.sources import (
    declined_problem,
    endpoint_model,
    no_model_problem,
    not_offered_problem,
    nothing_stored_problem,
    replaying,
)
from assay_engine.status import MODELS_NAMED, Supplied
from assay_engine.store import Store
from assay_engine.types import Model, Problem

# A function that looks for model servers on this machine.
Look = Callable[[], Awaitable[tuple[LocalServer, ...]]]


class ModelSupply:
    """Looks for a model when one is first wanted. Use from one thread with a running loop.

    A model that was found is kept. If none was found, the supply looks again only after
    `options.look_again_seconds`. `clock` gives seconds from any start. Raises `ConfigurationError`
    for options that cannot be used.
    """

    def __init__(
        self,
        options: EngineOptions,
        settings: Settings,
        store: Store,
        clock: Callable[[], float],
        look: Look = find_local_servers,
    ) -> None:
        self._options = options
        self._settings = settings
        self._store = store
        self._clock = clock
        self._look = look
        self._replay = replaying(options)
        self._configured = (
            None if self._replay else endpoint_from(options.environment, user_endpoint(options))
        )
        self._refused: set[str] = set()
        self._looking = asyncio.Lock()
        self._servers: tuple[LocalServer, ...] = ()
        self._servers_until = float("-inf")
        self._model: Model | None = None
        self._breaker: CircuitBreaker | None = None
        self._until = float("-inf")
        # The endpoint that was found, or why none was.
        self.endpoint = self._configured
        self.problem: Problem | None = None
        # What is known of what the endpoint's model takes.
        self.learnt: LearntDialect | None = None

    @property
    def replays(self) -> bool:
        """Whether replies come only from a transcript."""
        return self._replay is not None

    @property
    def name(self) -> str:
        """The model's name, if it is known without looking; else empty."""
        if self._model is not None:
            return self._model.name
        known = self._configured or self._remembered()
        return known.model if known is not None else ""

    async def find(self) -> Model | None:
        """The model, or None. If None, `problem` says why there is no model."""
        async with self._looking:
            if self._clock() >= self._until or self._is_withdrawn():
                self._until = float("inf")
                try:
                    await self._look_anew()
                except BaseException:
                    # The search was cut short, or met something unusable: the next caller has to
                    # search again.
                    self._until = float("-inf")
                    raise
            return self._model

    @property
    def for_checks(self) -> Model | None:
        """The model that was found, in the form that all functions of a check share."""
        return self._breaker

    def try_again(self) -> None:
        """Prepare for a new check: the cause of earlier refusals may have been mended."""
        if self._breaker is not None:
            self._breaker.try_again()
        if self.learnt is not None:
            self.learnt.try_again()

    async def pending(self) -> tuple[LocalServer, ...]:
        """Local servers that were found, and on which the user has not decided yet.

        There are none if a model is configured.
        """
        if self._replay or self._configured or self._options.offline:
            return ()
        return tuple(
            server
            for server in await self._local_servers()
            if server.models
            and server.base_url not in self._refused
            and not self._agreed(server.base_url)
        )

    def model_at(self, server: LocalServer) -> str:
        """The model that would be used at a server; empty if it lacks the one asked for."""
        wanted = self._options.environment.get(OWN.model)
        if not wanted:
            return server.models[0]
        return wanted if wanted in server.models else ""

    async def supplied(self, spent: Day) -> Supplied:
        """What a check would ask now, beside what this day has cost."""
        model = await self.find()
        base_url = self.endpoint.base_url if model and self.endpoint else None
        name = model.name if model else None
        pending = () if model else await self.pending()
        if pending:
            base_url, name = pending[0].base_url, self.model_at(pending[0]) or None
        return Supplied(
            model=name,
            host=urlsplit(base_url).netloc.rpartition("@")[2] if base_url else None,
            waits=bool(pending),
            problem=self.problem.message if self.problem else None,
            spent=spent,
            tokens_per_day=self._settings.budget.tokens_per_day,
        )

    def answer(self, base_url: str, yes: bool) -> None:
        """Remember a yes for good, and a no as long as this object lives. Raises `StoreError`."""
        if yes:
            give_consent(self._store, base_url)
        else:
            self._refused.add(base_url)
        self._until = float("-inf")

    def reconsider(self) -> None:
        """Forget every no, so that the user is asked again."""
        self._refused.clear()
        self._until = float("-inf")

    def withdraw(self, address: str) -> None:
        """Forget a yes. Raises `StoreError`."""
        withdraw_consent(self._store, address)
        self._until = float("-inf")

    async def _look_anew(self) -> None:
        if self._replay is not None:
            self._model = self._replay
        else:
            found = self._configured or await self._found()
            if isinstance(found, Problem):
                self.endpoint, self.problem, self._model = None, found, None
            else:
                self.endpoint, self.problem = found, None
                self.learnt = LearntDialect(found, self._store)
                self._model = endpoint_model(found, self._options, self._settings, self.learnt)
        model = self._model
        self._breaker = None if model is None else CircuitBreaker(model)

    async def _found(self) -> Endpoint | Problem:
        """An endpoint that the user has agreed to, found here or known from an earlier time."""
        environment, remembered = self._options.environment, self._remembered()
        if self._options.offline:
            return remembered or nothing_stored_problem()
        agreed = [
            server
            for server in await self._local_servers()
            if server.models and self._agreed(server.base_url)
        ]
        for server in agreed:
            if model := self.model_at(server):
                with suppress(StoreError):
                    note_use(self._store, server.base_url, model)
                return Endpoint(server.base_url, model)
        # A server may be started at any moment.
        self._until = self._clock() + self._options.look_again_seconds
        if agreed:
            return _not_offered(agreed, environment[OWN.model])
        waiting = [f"{each.product} at {each.base_url}" for each in await self.pending()]
        declined = [
            f"{each.product} at {each.base_url}"
            for each in await self._local_servers()
            if each.base_url in self._refused
        ]
        if declined and not waiting and remembered is None:
            return declined_problem(declined)
        if waiting or remembered is None:
            return no_model_problem(tuple(waiting), environment)
        # The server does not run, which an error will say later. Its stored replies still count.
        return remembered

    def _is_withdrawn(self) -> bool:
        """Whether a yes was taken back, perhaps by another process."""
        found = None if self._configured else self.endpoint
        return found is not None and not self._agreed(found.base_url)

    def _remembered(self) -> Endpoint | None:
        if self._replay is not None:
            return None
        with suppress(StoreError):
            last = last_used(self._store)
            if last is not None:
                base_url, model = last
                return Endpoint(base_url, self._options.environment.get(OWN.model) or model)
        return None

    async def _local_servers(self) -> tuple[LocalServer, ...]:
        if self._clock() >= self._servers_until:
            self._servers = await self._look()
            self._servers_until = self._clock() + self._options.look_again_seconds
        return self._servers

    def _agreed(self, base_url: str) -> bool:
        with suppress(StoreError):
            return has_consent(self._store, base_url)
        return False


def _not_offered(servers: Sequence[LocalServer], wanted: str) -> Problem:
    names = " and ".join(f"{each.product} at {each.base_url}" for each in servers)
    offered = [model for server in servers for model in server.models]
    return not_offered_problem(names, wanted, offered[:MODELS_NAMED])
