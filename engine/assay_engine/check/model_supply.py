"""Supplies the model for everything else: replayed, configured, or found here and agreed to."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from assay_engine.check.model_sources import (
    NOTHING_STORED,
    PanelMember,
    another_accounts_problem,
    declined_problem,
    no_model_problem,
    not_offered_problem,
)
from assay_engine.config.configuration import EngineOptions, ResolvedSettings
from assay_engine.config.endpoints import OWN, endpoints_from
from assay_engine.config.settings import Endpoint
from assay_engine.errors import StoreError
from assay_engine.models import (
    CircuitBreaker,
    Day,
    Forbidden,
    LearntDialect,
    LocalServer,
    ReplayModel,
    find_local_servers,
    give_consent,
    has_consent,
    is_billed_by_request,
    is_of_another_account,
    last_used,
    model_at,
    note_use,
    panel_name,
    withdraw_consent,
)
from assay_engine.status import Supplied
from assay_engine.store import Store
from assay_engine.types import Model, Problem

# A function that looks for model servers on this machine.
Look = Callable[[], Awaitable[tuple[LocalServer, ...]]]


class ModelSupply:
    """Looks for a model when one is first wanted. Use from one thread with a running loop.

    A model that was found is kept. If none was found, the supply looks again only after
    `options.look_again_seconds`. `consents` keeps what the user says yes to. `clock` gives seconds
    from any start. Raises `ConfigurationError` for options that cannot be used.
    """

    def __init__(
        self,
        options: EngineOptions,
        resolved: ResolvedSettings,
        store: Store,
        consents: Store,
        clock: Callable[[], float],
        look: Look = find_local_servers,
    ) -> None:
        self._options = options
        self._settings = resolved.settings
        self._store = store
        self._consents = consents
        self._clock = clock
        self._look = look
        self._replay = ReplayModel(Path(options.replay)) if options.replay else None
        self._configured = ()
        if not self._replay:
            chosen = (Endpoint("", each.id, editor=each) for each in options.editor_models)
            self._configured = tuple(chosen) or endpoints_from(
                options.environment, resolved.endpoint
            )
        self._refused: set[str] = set()
        self._looking = asyncio.Lock()
        self._servers: tuple[LocalServer, ...] = ()
        self._servers_until = float("-inf")
        self._models: tuple[Model, ...] = ()
        self._breakers: tuple[CircuitBreaker, ...] = ()
        self._until = float("-inf")
        # The endpoints that were found, one for each model, or why none was.
        self.endpoints = self._configured
        self.problem: Problem | None = None
        # The models that were found, in the form that all functions of a check share.
        self.members: tuple[PanelMember, ...] = ()

    @property
    def transcribed(self) -> Model | None:
        """The model of the transcript that all replies come from, once it is found; else None."""
        return self.members[0].model if self._replay is not None and self.members else None

    @property
    def name(self) -> str:
        """What a report calls the models, if they are known without looking; else empty."""
        if self._models:
            return panel_name([model.name for model in self._models])
        known = self._configured or self._remembered()
        return panel_name([each.name for each in known])

    async def find(self) -> tuple[Model, ...]:
        """The models, to be asked in turn. If there are none, `problem` says why."""
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
            return self._models

    def try_again(self) -> None:
        """Prepare for a new check: the cause of earlier refusals may have been mended."""
        for breaker in self._breakers:
            breaker.try_again()
        for member in self.members:
            if member.learnt is not None:
                member.learnt.try_again()

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

    async def supplied(self, spent: Day | None) -> Supplied:
        """What a check would ask now, beside what this day has cost."""
        models = await self.find()
        asked = self.endpoints if models else ()
        name = self.name if models else None
        pending = () if models else await self.pending()
        if pending:
            name = self.model_at(pending[0]) or None
            asked = (Endpoint(pending[0].base_url, name or ""),)
        hosts = dict.fromkeys(
            urlsplit(each.base_url).netloc.rpartition("@")[2] for each in asked if each.base_url
        )
        return Supplied(
            model=name,
            host=" and ".join(hosts) or None,
            waits=bool(pending),
            problem=self.problem.message if self.problem else None,
            spent=spent,
            tokens_per_day=self._settings.budget.tokens_per_day,
        )

    def answer(self, base_url: str, yes: bool) -> None:
        """Remember a yes for good, and a no as long as this object lives. Raises `StoreError`."""
        if yes:
            give_consent(self._consents, base_url)
        else:
            self._refused.add(base_url)
        self._until = float("-inf")

    def reconsider(self) -> None:
        """Forget every no, so that the user is asked again."""
        self._refused.clear()
        self._until = float("-inf")

    def withdraw(self, address: str) -> None:
        """Forget a yes. Raises `StoreError`."""
        withdraw_consent(self._consents, address)
        self._until = float("-inf")

    async def _look_anew(self) -> None:
        learnt = list[LearntDialect | None]()
        if self._replay is not None:
            self._models, learnt = (self._replay,), [None]
        else:
            found = self._configured or await self._found()
            self.problem = found if isinstance(found, Problem) else None
            self.endpoints = () if isinstance(found, Problem) else found
            learnt += [
                LearntDialect(each, self._store) if each.base_url else None
                for each in self.endpoints
            ]
            self._models = tuple(map(self._model_of, self.endpoints, learnt))
        self._breakers = tuple(map(CircuitBreaker, self._models))
        prices = [each.prices for each in self.endpoints] or [None]
        by_request = list(map(is_billed_by_request, self.endpoints)) or [False]
        self.members = tuple(map(PanelMember, self._breakers, learnt, prices, by_request))

    def _model_of(self, endpoint: Endpoint, learnt: LearntDialect | None) -> Model:
        """The model at the endpoint, or one that refuses requests if nothing may be sent."""
        if self._options.offline:
            return Forbidden(endpoint.name)
        return model_at(endpoint, self._settings.sampling, learnt)

    async def _found(self) -> tuple[Endpoint, ...] | Problem:
        """An endpoint that the user has agreed to, found here or known from an earlier time."""
        environment, remembered = self._options.environment, self._remembered()
        if self._options.offline:
            return remembered or NOTHING_STORED
        agreed = [
            server
            for server in await self._local_servers()
            if server.models and self._agreed(server.base_url)
        ]
        for server in agreed:
            if model := self.model_at(server):
                with suppress(StoreError):
                    note_use(self._consents, server.base_url, model)
                return (Endpoint(server.base_url, model),)
        for endpoint in remembered:
            if is_of_another_account(endpoint.base_url):
                self._until = self._clock() + self._options.look_again_seconds
                return another_accounts_problem(endpoint.base_url)
        # A server may be started at any moment.
        self._until = self._clock() + self._options.look_again_seconds
        if agreed:
            return not_offered_problem(agreed, environment[OWN.model])
        waiting = [f"{each.product} at {each.base_url}" for each in await self.pending()]
        declined = [
            f"{each.product} at {each.base_url}"
            for each in await self._local_servers()
            if each.base_url in self._refused
        ]
        if declined and not waiting and not remembered:
            return declined_problem(declined)
        if waiting or not remembered:
            return no_model_problem(tuple(waiting), environment)
        # The server does not run, which an error will say later. Its stored replies still count.
        return remembered

    def _is_withdrawn(self) -> bool:
        """Whether a yes was taken back, perhaps by another process, or another account's server
        has the place of the one that it was for."""
        found = () if self._configured else self.endpoints
        return any(
            not self._agreed(each.base_url) or is_of_another_account(each.base_url)
            for each in found
        )

    def _remembered(self) -> tuple[Endpoint, ...]:
        if self._replay is not None:
            return ()
        with suppress(StoreError):
            last = last_used(self._consents)
            if last is not None:
                base_url, model = last
                return (Endpoint(base_url, self._options.environment.get(OWN.model) or model),)
        return ()

    async def _local_servers(self) -> tuple[LocalServer, ...]:
        if self._clock() >= self._servers_until:
            found = await self._look()
            self._servers = tuple(e for e in found if not is_of_another_account(e.base_url))
            self._servers_until = self._clock() + self._options.look_again_seconds
        return self._servers

    def _agreed(self, base_url: str) -> bool:
        return has_consent(self._consents, base_url)
