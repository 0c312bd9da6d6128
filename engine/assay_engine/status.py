"""The status of the engine as plain data: what it has to work with."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from msgspec import Struct

from assay_engine.config.settings import Budget
from assay_engine.errors import ModelError, StoreError
from assay_engine.models import CommandModel, Day, Ledger, OpenAIModel
from assay_engine.store import Store
from assay_engine.types import Model
from assay_sandbox import Canary, PassedOver

MODELS_NAMED = 5


class ModelStatus(Struct, frozen=True):
    """A model, the address of its endpoint if it has one, and why that cannot be used.

    The address of a `command` is how it would be typed.
    """

    name: str
    endpoint: str | None = None
    is_local: bool = False
    is_command: bool = False
    problem: str | None = None


class EngineStatus(Struct, frozen=True):
    """What the engine has to work with. Nothing here is secret.

    `models` are asked in turn; if there are none, `model_problem` says why.
    """

    interpreter: str
    models: tuple[ModelStatus, ...]
    model_problem: str | None
    confinement: str | None
    confinement_limits: tuple[str, ...]
    canaries: tuple[Canary, ...]
    canary_seconds: float
    passed_over: tuple[PassedOver, ...]
    confinement_problem: str | None
    remedies: tuple[str, ...]
    store: str
    notices: tuple[str, ...]
    today: Day
    budget: Budget


class Outlook(Struct, frozen=True):
    """How many functions a check would ask about, and how many requests that takes at most."""

    functions: int
    requests: int


class Supplied(Struct, frozen=True):
    """The model that a check would ask now, and what this day has cost: None if the store fails.

    `host` is the endpoint's host and port. If `waits`, model and host are those of a server that
    was found and that the user has not decided on yet. `problem` says why there is no model.
    """

    model: str | None
    host: str | None
    waits: bool
    problem: str | None
    spent: Day | None
    tokens_per_day: int


async def endpoint_problem(model: Model) -> str | None:
    """Why an endpoint cannot be used; None if it can. Only its list of models is asked for.

    Of a command it is only known whether it is installed.
    """
    if isinstance(model, CommandModel):
        return model.problem()
    if not isinstance(model, OpenAIModel):
        return None
    try:
        offered = await model.offered()
    except ModelError as failure:
        return str(failure)
    if offered and model.name not in offered:
        names = ", ".join(offered[:MODELS_NAMED])
        return f"It does not list {model.name}. Set ASSAY_MODEL to one of {names}."
    return None


def spent_today(store: Store, budget: Budget, today: Callable[[], date]) -> Day | None:
    """What was spent today; None if the store cannot tell."""
    try:
        return Ledger(store, budget, today=today).day()
    except StoreError:
        return None
