"""The model at an endpoint, and what one tiny request shows of it before it is used."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import date
from time import monotonic
from typing import cast
from urllib.parse import urlsplit

from msgspec import Struct

from assay_engine.config.settings import Endpoint, Sampling, Settings
from assay_engine.errors import ModelError
from assay_engine.models.budgets import Ledger
from assay_engine.models.command import CommandModel
from assay_engine.models.commands import is_billed_by_request
from assay_engine.models.discovery import local_answer
from assay_engine.models.editor import EditorModel
from assay_engine.models.failures import ThoughtAway
from assay_engine.models.learning import LearntDialect
from assay_engine.models.openai import OpenAIModel
from assay_engine.models.session import PanelMember, Session
from assay_engine.store import Store
from assay_engine.types import Prompt, Usage

PROMPT = Prompt("probe", 1, "", "Reply with the one word: ready", 1.0, 64)
LOCAL_SECONDS = 2.0

# Under which names lists of models, and the pages of local servers, tell how many tokens a model
# takes at once. What is loaded counts for more than what would be possible.
_CONTEXTS = (
    "loaded_context_length",  # LM Studio
    "n_ctx",  # llama.cpp
    "max_model_len",  # vLLM
    "context_length",  # OpenRouter, Ollama
    "context_window",  # Groq
    "max_context_length",  # Mistral, LM Studio
    "n_ctx_train",  # llama.cpp
)
_SLOTS = ("total_slots",)  # llama.cpp
# Pages of local servers that tell it, if their list of models does not.
_PAGES = ("/props", "/api/ps", "/api/v0/models")


class Probe(Struct, frozen=True):
    """What one request showed; None for what nobody tells. `problem` says why there is no reply.

    `price` is in dollars for a million tokens of prompt and reply.
    """

    model: str
    seconds: float
    usage: Usage = Usage()
    thinks: bool | None = None
    effort: str | None = None
    context: int | None = None
    slots: int | None = None
    price: tuple[float, float] | None = None
    problem: str | None = None


def model_at(
    endpoint: Endpoint, sampling: Sampling, learnt: LearntDialect | None = None
) -> OpenAIModel | CommandModel | EditorModel:
    """The model of this endpoint. Raises `ConfigurationError` for one that cannot be asked."""
    if endpoint.editor is not None:
        return EditorModel(endpoint, endpoint.editor, sampling)
    if endpoint.command:
        return CommandModel(endpoint, sampling)
    return OpenAIModel(endpoint, sampling, learnt)


async def probe(
    endpoint: Endpoint, settings: Settings, store: Store, today: Callable[[], date]
) -> Probe:
    """What one tiny request, and what the server tells, show of the model at the endpoint. The
    request counts for the day's budget."""
    model = model_at(endpoint, settings.sampling, LearntDialect(endpoint, store, anew=True))
    asked = Session(
        # Without the dialect, there is no room for thoughts: the request is tiny.
        [PanelMember(model, None, endpoint.prices, is_billed_by_request(endpoint))],
        ledger=Ledger(store, settings.budget, today=today),
    )
    # The list comes first, so that the time is that of the model alone.
    told = await _told(endpoint, model) if isinstance(model, OpenAIModel) else {}
    began = monotonic()
    usage, problem, thinks = Usage(), None, None
    try:
        usage = (await asked.reply(PROMPT, 0)).usage
    except ThoughtAway as cut:
        thinks, usage = True, Usage(1, cut.prompt_tokens or 0, cut.completion_tokens or 0)
    except ModelError as failure:
        problem = str(failure)
    seconds = monotonic() - began
    if not isinstance(model, OpenAIModel):
        return Probe(endpoint.name, seconds, usage, problem=problem)
    dialect = model.dialect
    return Probe(
        endpoint.model,
        seconds,
        usage,
        thinks=None if problem else bool(thinks or dialect.effort),
        effort=dialect.effort if dialect.takes_effort else None,
        context=_number(told, _CONTEXTS),
        slots=_number(told, _SLOTS),
        price=_price(told),
        problem=problem,
    )


async def _told(endpoint: Endpoint, model: OpenAIModel) -> dict[str, object]:
    """All that the server tells of the model, by name."""
    found: dict[str, object] = {}
    with suppress(ModelError):
        found |= _about(await model.listing(), endpoint.model)
    address = urlsplit(endpoint.base_url)
    if endpoint.is_local and address.scheme == "http":
        for page in _PAGES:
            body = await local_answer(address.port or 80, page, LOCAL_SECONDS)
            found |= {} if body is None else _about(body, endpoint.model)
    return found


def _about(body: bytes, model: str) -> dict[str, object]:
    """The members of the entry about the model in a list, or of the whole page if it is none."""
    try:
        page: object = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(page, dict):
        return {}
    page = cast("dict[str, object]", page)
    listed = page.get("data", page.get("models"))
    if not isinstance(listed, list):
        return _flat(page)
    for entry in cast("list[object]", listed):
        if isinstance(entry, dict):
            of_model = cast("dict[str, object]", entry)
            if model in (of_model.get("id"), of_model.get("name"), of_model.get("model")):
                return _flat(of_model)
    return {}


def _flat(entry: dict[str, object]) -> dict[str, object]:
    """The members, and those of members that are tables themselves."""
    found: dict[str, object] = {}
    for name, value in entry.items():
        found[name] = value
        if isinstance(value, dict):
            found |= cast("dict[str, object]", value)
    return found


def _number(told: Mapping[str, object], names: tuple[str, ...]) -> int | None:
    for name in names:
        value = told.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return value
    return None


def _price(told: Mapping[str, object]) -> tuple[float, float] | None:
    pricing = told.get("pricing")
    if not isinstance(pricing, dict):
        return None
    given = cast("dict[str, object]", pricing)
    try:
        # OpenRouter's are dollars for one token, as texts.
        return float(str(given["prompt"])) * 1e6, float(str(given["completion"])) * 1e6
    except (KeyError, ValueError):
        return None
