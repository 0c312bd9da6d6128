"""The sources of replies (an endpoint, a cache, a transcript) and the limits on their cost."""

from assay_engine.models.cached import CachedModel
from assay_engine.models.circuit_breaker import CircuitBreaker
from assay_engine.models.command import CommandModel, FoundCommand, find_commands
from assay_engine.models.commands import is_billed_by_request
from assay_engine.models.counting import CountedModel, CountedTogether, CountingModel, ProgressModel
from assay_engine.models.discovery import (
    LocalServer,
    consents,
    find_local_servers,
    give_consent,
    has_consent,
    is_of_another_account,
    last_used,
    note_use,
    withdraw_consent,
)
from assay_engine.models.endpoint_model import model_at
from assay_engine.models.leading import LeadingModel
from assay_engine.models.learning import LearntDialect
from assay_engine.models.ledger import Day, Ledger, MeteredModel
from assay_engine.models.openai import OpenAIModel
from assay_engine.models.panel import PanelModel, panel_name
from assay_engine.models.probing import Probe, probed
from assay_engine.models.rationing import Allowance, Ration, RationedModel
from assay_engine.models.recording import Forbidden, Recorder, RecordingModel, ReplayModel
from assay_engine.models.request_log import LoggedModel, on_trial
from assay_engine.models.thinking import ThinkingModel

__all__ = [
    "Allowance",
    "CachedModel",
    "CircuitBreaker",
    "CommandModel",
    "CountedModel",
    "CountedTogether",
    "CountingModel",
    "Day",
    "Forbidden",
    "FoundCommand",
    "LeadingModel",
    "LearntDialect",
    "Ledger",
    "LocalServer",
    "LoggedModel",
    "MeteredModel",
    "OpenAIModel",
    "PanelModel",
    "Probe",
    "ProgressModel",
    "Ration",
    "RationedModel",
    "Recorder",
    "RecordingModel",
    "ReplayModel",
    "ThinkingModel",
    "consents",
    "find_commands",
    "find_local_servers",
    "give_consent",
    "has_consent",
    "is_billed_by_request",
    "is_of_another_account",
    "last_used",
    "model_at",
    "note_use",
    "on_trial",
    "panel_name",
    "probed",
    "withdraw_consent",
]
