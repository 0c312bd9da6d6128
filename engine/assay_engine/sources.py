"""Finds the model that a check may use, or says why there is none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path

from assay_engine.advice import Advice
from assay_engine.configuration import EngineOptions
from assay_engine.drawing.candidates import rivals
from assay_engine.drawing.prompting import CANDIDATE, INPUTS
from assay_engine.endpoints import OPENAI, OWN
from assay_engine.inputs.proposed import proposals_in
from assay_engine.judging.preferring import read_preference
from assay_engine.judging.prompting import PREFERENCE
from assay_engine.models import (
    Allowance,
    CachedModel,
    Forbidden,
    Ledger,
    MeteredModel,
    OpenAIModel,
    RationedModel,
    Recorder,
    RecordingModel,
    ReplayModel,
)
from assay_engine.settings import Endpoint, Settings
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
from assay_engine.underway import UnderWay

# A slow request holds up no other until so many were made after it: with the default concurrency,
# none of a draw of twenty candidates. More would let a server that counts more than was set aside
# pass a limit by more.
UNCOUNTED_PER_SLOT = 3


def replaying(options: EngineOptions) -> Model | None:
    """The transcript's model, if one is to be replayed. Raises `ConfigurationError`."""
    return ReplayModel(Path(options.replay)) if options.replay else None


def endpoint_model(endpoint: Endpoint, options: EngineOptions, settings: Settings) -> Model:
    """The endpoint itself, or what stands in its place when nothing may be sent."""
    if options.offline:
        return Forbidden(endpoint.model)
    return OpenAIModel(endpoint, settings.sampling)


def model_for_check(
    endpoint_model: Model,
    settings: Settings,
    store: Store,
    *,
    recorder: Recorder | None,
    spent: Usage | None,
    today: Callable[[], date],
    usable: Callable[[Prompt, str], bool],
    requests: UnderWay[Reply],
) -> Model:
    """The endpoint's model behind budget, cache and recorder, in that order.

    Only what the cache does not have is paid for; what is recorded includes what it has. `spent`
    is what an earlier part of the same check took of its budget. Kept replies that are not
    `usable` are asked for anew; `requests` are shared with whoever may want the same.
    """
    budget, uncounted = settings.budget, UNCOUNTED_PER_SLOT * settings.sampling.concurrency
    metered = MeteredModel(endpoint_model, Ledger(store, budget.tokens_per_day, today=today))
    rationed = RationedModel(metered, Allowance.of_check(budget), uncounted, spent)
    cached = CachedModel(rationed, store, usable, requests)
    return cached if recorder is None else RecordingModel(cached, recorder)


def usable_for(specification: Specification) -> Callable[[Prompt, str], bool]:
    """Whether a reply holds what a check of this function asks for: a program that can stand in
    its place, any input, or a verdict. Replies to other prompts are taken as they are."""

    def usable(prompt: Prompt, text: str) -> bool:
        if prompt.name == CANDIDATE:
            alone = Draw((Reply(text, 0, Usage(), cached=True),), ())
            return bool(rivals(specification, alone)[0])
        if prompt.name == PREFERENCE:
            return read_preference(text) is not None
        return prompt.name != INPUTS or bool(proposals_in(text, specification))

    return usable


def as_kept(_prompt: Prompt, _text: str) -> bool:
    """For what follows a check in the same run: it rests on the very replies of the check."""
    return True


def not_offered_problem(where: str, wanted: str, offered: Sequence[str]) -> Problem:
    """The model that was asked for is not there; another one is not taken in its place."""
    return Problem(
        ProblemKind.MODEL_UNAVAILABLE,
        f"{where} does not offer {wanted}. Set ASSAY_MODEL to one of {', '.join(offered)}, "
        "or leave it out.",
    )


def declined_problem(servers: Sequence[str]) -> Problem:
    """The user was asked about them, and said no."""
    return Problem(
        ProblemKind.NO_CONSENT,
        f"Nothing is sent to {' and '.join(servers)}, as you said; {Advice.TAKE_NO_BACK}. "
        "ASSAY_BASE_URL and ASSAY_MODEL name another model.",
    )


def nothing_stored_problem() -> Problem:
    """Nothing may be sent, and it is not even known whose replies to look for."""
    return Problem(ProblemKind.OFFLINE, str(Advice.NOTHING_STORED))


def no_model_problem(found: tuple[str, ...], environment: Mapping[str, str]) -> Problem:
    """Why there is no model, and what to do. `found` names local servers not yet agreed to.

    What the environment has is named; no value of it is ever said.
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
