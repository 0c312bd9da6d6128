"""Finds the model that a check may use, or says why there is none."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import date

from msgspec import Struct

from assay_engine.advice import Advice
from assay_engine.config.endpoints import OPENAI, OWN
from assay_engine.config.settings import Endpoint, Prices, Settings
from assay_engine.inputs.proposed import proposals_in
from assay_engine.models import (
    Allowance,
    CachedModel,
    CountedModel,
    CountedTogether,
    CountingModel,
    LeadingModel,
    LearntDialect,
    Ledger,
    LocalServer,
    LoggedModel,
    MeteredModel,
    PanelModel,
    Probe,
    Ration,
    RationedModel,
    Recorder,
    RecordingModel,
    ThinkingModel,
    is_billed_by_request,
    model_at,
    probed,
)
from assay_engine.sampling.candidates import voters
from assay_engine.sampling.prompting import CANDIDATE, INPUTS
from assay_engine.settling.questions import PREFERENCE, read_preference
from assay_engine.single_flight import SingleFlight
from assay_engine.status import MODELS_NAMED
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


class PanelMember(Struct, frozen=True):
    """A model that a check may ask; what is known of what it takes, if it is at an endpoint, and
    costs: `by_request` if nobody pays for its tokens."""

    model: Model
    learnt: LearntDialect | None = None
    prices: Prices | None = None
    by_request: bool = False


async def probe(
    endpoint: Endpoint, settings: Settings, store: Store, today: Callable[[], date]
) -> Probe:
    """What one tiny request shows of the model at the endpoint. It counts for the day's budget."""
    model = model_at(endpoint, settings.sampling, LearntDialect(endpoint, store, anew=True))
    ledger = Ledger(store, settings.budget, today=today)
    counted = not is_billed_by_request(endpoint)
    return await probed(
        endpoint, MeteredModel(model, ledger, endpoint.prices, counted=counted), model
    )


def model_for_check(
    members: Sequence[PanelMember],
    settings: Settings,
    store: Store,
    *,
    recorder: Recorder | None,
    spent: Usage | None,
    today: Callable[[], date],
    usable: Callable[[Prompt, str], bool],
    requests: SingleFlight[Reply],
) -> CountedModel:
    """The model behind budget, cache and recorder, in that order; several by turns. It counts.

    Between budget and cache, it is learnt how much room a model needs for its thoughts, and the
    first candidate is asked for ahead where that saves tokens.

    Only replies that the cache does not have are paid for. Replies from the cache are recorded as
    well. `spent` is what an earlier part of the same check took of its budget. Stored replies that
    are not `usable` are asked for anew. `requests` are shared with other checks that may want the
    same replies.
    """
    budget, uncounted = settings.budget, UNCOUNTED_PER_SLOT * settings.sampling.concurrency
    ledger = Ledger(store, budget, today=today)
    ration = Ration(Allowance.of_check(budget), uncounted, spent)
    turn = asyncio.Lock()

    def bounded(member: PanelMember) -> CountingModel:
        counted = not member.by_request
        metered = MeteredModel(LoggedModel(member.model), ledger, member.prices, counted=counted)
        rationed = RationedModel(metered, ration, counted=counted)
        learnt, asked = member.learnt, rationed
        if learnt is not None:
            asked = LeadingModel(ThinkingModel(rationed, learnt), learnt, CANDIDATE, turn)
        return CountingModel(CachedModel(asked, store, usable, requests), member.prices)

    bounded_members = list(map(bounded, members))
    model = bounded_members[0] if len(bounded_members) == 1 else PanelModel(bounded_members)
    recorded = model if recorder is None else RecordingModel(model, recorder)
    return CountedTogether(recorded, bounded_members)


def usable_for(specification: Specification) -> Callable[[Prompt, str], bool]:
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


def as_kept(_prompt: Prompt, _text: str) -> bool:
    """Accept every stored reply.

    This is for steps that follow a check in the same run, and depend on the very replies of the
    check.
    """
    return True


def not_offered_problem(servers: Sequence[LocalServer], wanted: str) -> Problem:
    """The problem that the model asked for is not there. No other model is taken in its place."""
    where = " and ".join(f"{each.product} at {each.base_url}" for each in servers)
    offered = [model for server in servers for model in server.models]
    return Problem(
        ProblemKind.MODEL_UNAVAILABLE,
        f"{where} does not offer {wanted}. Set ASSAY_MODEL to one of "
        f"{', '.join(offered[:MODELS_NAMED])}, or leave it out.",
    )


def declined_problem(servers: Sequence[str]) -> Problem:
    """The problem that the user was asked about these servers and said no."""
    return Problem(
        ProblemKind.NO_CONSENT,
        f"Nothing is sent to {' and '.join(servers)}, as you said; {Advice.TAKE_NO_BACK}. "
        "ASSAY_BASE_URL and ASSAY_MODEL name another model.",
    )


# Nothing may be sent, and no model is known whose replies to look for.
NOTHING_STORED = Problem(ProblemKind.OFFLINE, str(Advice.NOTHING_STORED))


def another_accounts_problem(base_url: str) -> Problem:
    """Why a server that the user has agreed to is not used: another person's has its address."""
    return Problem(
        ProblemKind.MODEL_UNAVAILABLE,
        f"At {base_url}, a server of another account of this machine listens now. Nothing was sent "
        f"there. Start your own at another address, or use that one by {OWN.base_url}.",
    )


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
