"""The model at an endpoint: the place to add one that is asked in another way."""

from __future__ import annotations

from assay_engine.config.settings import Endpoint, Sampling
from assay_engine.models.command import CommandModel
from assay_engine.models.editor import EditorModel
from assay_engine.models.learning import LearntDialect
from assay_engine.models.openai import OpenAIModel


def model_at(
    endpoint: Endpoint, sampling: Sampling, learnt: LearntDialect | None = None
) -> OpenAIModel | CommandModel | EditorModel:
    """The model of this endpoint. Raises `ConfigurationError` for one that cannot be asked."""
    if endpoint.editor is not None:
        return EditorModel(endpoint, endpoint.editor, sampling)
    if endpoint.command:
        return CommandModel(endpoint, sampling)
    return OpenAIModel(endpoint, sampling, learnt)
