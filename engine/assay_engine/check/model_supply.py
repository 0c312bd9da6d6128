"""Supplies the model for everything else: replayed, configured, or found here and agreed to."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import date
from pathlib import Path
from urllib.parse import urlsplit

from assay_engine.advice import Advice
from assay_engine.config.configuration import EngineOptions, ResolvedSettings
from assay_engine.config.endpoints import OPENAI, OWN, endpoints_from
from assay_engine.config.settings import Endpoint, Settings
from assay_engine.errors import StoreError
from assay_engine.inputs.proposed import proposals_in
from assay_engine.models import (
    Allowance,
    CircuitBreaker,
    Day,
    Forbidden,
    LearntDialect,
    Ledger,
    LocalServer,
    PanelMember,
    Ration,
    Recorder,
    ReplayModel,
    Session,
    Usable,
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
from assay_engine.sampling.candidates import voters
from assay_engine.sampling.prompting import CANDIDATE, INPUTS
from assay_engine.settling.questions import PREFERENCE, read_preference
from assay_engine.single_flight import SingleFlight
from assay_engine.status import MODELS_NAMED, Supplied
from assay_engine.store import Store
from assay_engine.types import (
    Draw,
    Model,
    Problem,
    ProblemKind,
    Prompt,
    Reply,
    Specification,
    Usage,
)

# A slow request holds up no other request until this many per slot were made after it. With the
# default concurrency, it holds up none in a draw of twenty candidates. A server may count more
# tokens than were set aside for a request; with a greater number here, it could pass a limit by
# more.
UNCOUNTED_PER_SLOT = 3

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
        self._members: tuple[PanelMember, ...] = ()
        self._recorder: Recorder | None = None
        self._until = float("-inf")
        # The endpoints that were found, one for each model, or why none was.
        self.endpoints = self._configured
        self.problem: Problem | None = None

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
        for member in self._members:
            if isinstance(member.model, CircuitBreaker):
                member.model.try_again()
            if member.learnt is not None:
                member.learnt.try_again()

    async def session(
        self,
        settings: Settings,
        today: Callable[[], date],
        *,
        usable: Usable | None = None,
        requests: SingleFlight[Reply] | None = None,
        spent: Usage | None = None,
    ) -> Session | None:
        """What one check asks; None if there is no model.

        `spent` is what an earlier part of the same check took of its budget. Stored replies that
        are not `usable` are asked for anew. `requests` are shared with other checks that may want
        the same replies.
        """
        await self.find()
        if self._replay is not None or not self._members:
            return self.kept()
        if self._recorder is None and self._options.record:
            self._recorder = Recorder(Path(self._options.record), self.name)
        budget, uncounted = settings.budget, UNCOUNTED_PER_SLOT * settings.sampling.concurrency
        return Session(
            self._members,
            store=self._store,
            usable=usable,
            requests=requests,
            ration=Ration(Allowance.of_check(budget), uncounted, spent),
            ledger=Ledger(self._store, budget, today=today),
            recorder=self._recorder,
            led=CANDIDATE,
        )

    def kept(self) -> Session | None:
        """A session that gives only stored replies, or those of the transcript; None without a
        model."""
        if not self._members:
            return None
        if self._replay is not None:
            return Session(self._members)
        forbidden = (PanelMember(Forbidden(each.model.name)) for each in self._members)
        return Session(tuple(forbidden), store=self._store)

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
            and not has_consent(self._consents, server.base_url)
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
        if self._replay is not None:
            self._models = (self._replay,)
            self._members = (PanelMember(CircuitBreaker(self._replay)),)
            return
        found = self._configured or await self._found()
        self.problem = found if isinstance(found, Problem) else None
        self.endpoints = () if isinstance(found, Problem) else found
        models, members = list[Model](), list[PanelMember]()
        for endpoint in self.endpoints:
            learnt = LearntDialect(endpoint, self._store) if endpoint.base_url else None
            if self._options.offline:
                model = Forbidden(endpoint.name)
            else:
                model = model_at(endpoint, self._settings.sampling, learnt)
            by_request = is_billed_by_request(endpoint)
            models.append(model)
            members.append(PanelMember(CircuitBreaker(model), learnt, endpoint.prices, by_request))
        self._models, self._members = tuple(models), tuple(members)

    async def _found(self) -> tuple[Endpoint, ...] | Problem:
        """An endpoint that the user has agreed to, found here or known from an earlier time."""
        environment, remembered = self._options.environment, self._remembered()
        if self._options.offline:
            # Without a remembered model, none is known whose replies to look for.
            return remembered or Problem(ProblemKind.OFFLINE, str(Advice.NOTHING_STORED))
        agreed = [
            server
            for server in await self._local_servers()
            if server.models and has_consent(self._consents, server.base_url)
        ]
        for server in agreed:
            if model := self.model_at(server):
                with suppress(StoreError):
                    note_use(self._consents, server.base_url, model)
                return (Endpoint(server.base_url, model),)
        for endpoint in remembered:
            if is_of_another_account(endpoint.base_url):
                self._until = self._clock() + self._options.look_again_seconds
                return Problem(
                    ProblemKind.MODEL_UNAVAILABLE,
                    f"The server that now listens at {endpoint.base_url} belongs to another "
                    "account on this machine. Nothing was sent there. Start your own at another "
                    f"address, or use that one with {OWN.base_url}.",
                )
        # A server may be started at any moment.
        self._until = self._clock() + self._options.look_again_seconds
        if agreed:
            # No other model is taken in the place of the one that was asked for.
            where = " and ".join(f"{each.product} at {each.base_url}" for each in agreed)
            offered = [model for server in agreed for model in server.models]
            return Problem(
                ProblemKind.MODEL_UNAVAILABLE,
                f"{where} does not offer {environment[OWN.model]}. Set ASSAY_MODEL to one of "
                f"{', '.join(offered[:MODELS_NAMED])}, or leave it out.",
            )
        waiting = [f"{each.product} at {each.base_url}" for each in await self.pending()]
        declined = [
            f"{each.product} at {each.base_url}"
            for each in await self._local_servers()
            if each.base_url in self._refused
        ]
        if declined and not waiting and not remembered:
            return Problem(
                ProblemKind.NO_CONSENT,
                f"Nothing is sent to {' and '.join(declined)}, since you declined; "
                f"{Advice.TAKE_NO_BACK}. To use another model, set ASSAY_BASE_URL and ASSAY_MODEL.",
            )
        if waiting or not remembered:
            return no_model_problem(tuple(waiting), environment)
        # The server does not run, which an error will say later. Its stored replies still count.
        return remembered

    def _is_withdrawn(self) -> bool:
        """Whether a yes was taken back, perhaps by another process, or another account's server
        has the place of the one that it was for."""
        found = () if self._configured else self.endpoints
        return any(
            not has_consent(self._consents, each.base_url) or is_of_another_account(each.base_url)
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


def usable_for(specification: Specification) -> Usable:
    """A test of whether a reply holds what a check of this function asks for.

    That is a program that can stand in the function's place, any input, or a preference, depending
    on the prompt. Replies to other prompts are always usable.
    """

    def usable(prompt: Prompt, text: str) -> bool:
        if prompt.name == CANDIDATE:
            alone = Draw((Reply(text, 0, Usage(), cached=True),), ())
            return bool(voters(specification, alone)[0])
        if prompt.name == PREFERENCE:
            return read_preference(text) is not None
        return prompt.name != INPUTS or bool(proposals_in(text, specification))

    return usable


def no_model_problem(found: tuple[str, ...], environment: Mapping[str, str]) -> Problem:
    """Why there is no model, and what to do.

    `found` names the local servers that the user has not agreed to yet. The message names variables
    that the environment has, but never their values.
    """
    if found:
        return Problem(
            ProblemKind.NO_CONSENT,
            f"{' and '.join(found)} may not be used yet. {Advice.CONSENT}.",
        )
    for family in (OWN, OPENAI):
        given = [name for name in (family.api_key, family.model) if environment.get(name)]
        if not given:
            continue
        model = family.model in given
        return Problem(
            ProblemKind.MODEL_UNAVAILABLE,
            f"No model is configured: {' and '.join(given)} {'is' if len(given) == 1 else 'are'} "
            f"set, and {family.base_url} is not{'' if model else f', nor {family.model}'}. "
            f"{Advice.SET_IT if model else Advice.SET_BOTH} an OpenAI-compatible API, such as "
            f"https://host/v1{'' if model else ', and the name of one of its models'}.",
        )
    return Problem(
        ProblemKind.MODEL_UNAVAILABLE,
        f"No model is configured. {Advice.CONFIGURE}",
    )
