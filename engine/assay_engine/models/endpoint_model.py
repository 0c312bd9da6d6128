"""The model at an endpoint, whichever protocol that speaks: the place to add another one."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from assay_engine.config.settings import Endpoint, Sampling
from assay_engine.models.dialect import Dialect
from assay_engine.models.learning import LearntDialect
from assay_engine.models.openai import OpenAIModel
from assay_engine.types import Model


@runtime_checkable
class EndpointModel(Model, Protocol):
    """A model that can also be asked what its endpoint says of it."""

    @property
    def dialect(self) -> Dialect:
        """What the model takes, as far as it is known by now."""
        ...

    async def listing(self) -> bytes:
        """What the endpoint says of its models, of any shape. Sends no code and costs nothing.

        Raises `ModelUnavailable`, soon and without retries since somebody is waiting.
        """
        ...

    async def offered(self) -> tuple[str, ...]:
        """The models that the endpoint lists.

        Raises as `listing` does, and `ReplyUnusable` for an answer that is not a list of models.
        """
        ...


def model_at(
    endpoint: Endpoint, sampling: Sampling, learnt: LearntDialect | None = None
) -> EndpointModel:
    """The model of this endpoint. Raises `ConfigurationError` for one that cannot be asked."""
    return OpenAIModel(endpoint, sampling, learnt)
