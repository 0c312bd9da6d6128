"""The model at an endpoint: the place to add one that speaks another protocol."""

from __future__ import annotations

from assay_engine.config.settings import Endpoint, Sampling
from assay_engine.models.learning import LearntDialect
from assay_engine.models.openai import OpenAIModel


def model_at(
    endpoint: Endpoint, sampling: Sampling, learnt: LearntDialect | None = None
) -> OpenAIModel:
    """The model of this endpoint. Raises `ConfigurationError` for one that cannot be asked."""
    return OpenAIModel(endpoint, sampling, learnt)
