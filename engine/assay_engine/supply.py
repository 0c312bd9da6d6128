"""The model behind everything else: replayed, configured, or found here and agreed to."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

from assay_engine.configuration import EngineOptions
from assay_engine.endpoints import OWN, endpoint_from
from assay_engine.errors import StoreError
from assay_engine.models import (
    LocalServer,
    RememberingModel,
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
from assay_engine.status import MODELS_NAMED
from assay_engine.store import Store
from assay_engine.types import Model, Problem

# Looks for model servers on this machine.
Look = Callable[[], Awaitable[tuple[LocalServer, ...]]]


class ModelSupply:
    """Looks for a model when one is first wanted. Used from one thread with a running loop.

    What was found stays; that nothing was found holds for `options.look_again_seconds`. `clock`
    says seconds from any start. Raises `ConfigurationError` for options that cannot be used.
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
        self._configured = None if self._replay else endpoint_from(options.environment)
        self._refused: set[str] = set()
        self._looking = asyncio.Lock()
        self._servers: tuple[LocalServer, ...] = ()
        self._servers_until = float("-inf")
        self._model: Model | None = None
        self._remembering: RememberingModel | None = None
        self._until = float("-inf")
        # Of what was found, or why nothing was.
        self.endpoint = self._configured
        self.problem: Problem | None = None

    @property
    def replays(self) -> bool:
        """Whether replies come from a transcript alone."""
        return self._replay is not None

    @property
    def name(self) -> str:
        """The model's name as far as it is known without looking; empty if it is not."""
        if self._model is not None:
            return self._model.name
        known = self._configured or self._remembered()
        return known.model if known is not None else ""

    async def find(self) -> Model | None:
        """The model, or None; then `problem` says why there is none."""
        async with self._looking:
            if self._clock() >= self._until or self._is_withdrawn():
                self._until = float("inf")
                try:
                    await self._look_anew()
                except BaseException:
                    # Cut short, or told of what cannot be used: the next one has to find out.
                    self._until = float("-inf")
                    raise
            return self._model

    @property
    def for_checks(self) -> Model | None:
        """The model that was found, as all functions of a check share it."""
        return self._remembering

    def try_again(self) -> None:
        """For a new check: what was refused before may have been mended."""
        if self._remembering is not None:
            self._remembering.try_again()

    async def pending(self) -> tuple[LocalServer, ...]:
        """Local servers that were found and not yet answered for; none if a model is configured."""
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
        """The model that would be used there; empty if it does not offer the one asked for."""
        wanted = self._options.environment.get(OWN.model)
        if not wanted:
            return server.models[0]
        return wanted if wanted in server.models else ""

    def answer(self, base_url: str, yes: bool) -> None:
        """Remembers a yes for good, and a no for as long as this lives. Raises `StoreError`."""
        if yes:
            give_consent(self._store, base_url)
        else:
            self._refused.add(base_url)
        self._until = float("-inf")

    def withdraw(self, address: str) -> None:
        """Forgets a yes. Raises `StoreError`."""
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
                self._model = endpoint_model(found, self._options, self._settings)
        model = self._model
        self._remembering = None if model is None else RememberingModel(model)

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
        # One may be started at any moment.
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
        # It does not run, which its error will say; what is stored of it still counts.
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
