"""The sources of replies (an endpoint, a store, a transcript) and the limits on their cost."""

from assay_engine.models.budgets import Allowance, Day, Ledger, Ration, RationedModel
from assay_engine.models.command import CommandModel, FoundCommand, find_commands
from assay_engine.models.commands import is_billed_by_request
from assay_engine.models.counting import CountedModel, ProgressModel
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
from assay_engine.models.endpoint import Probe, model_at, probe
from assay_engine.models.learning import CircuitBreaker, LearntDialect
from assay_engine.models.openai import OpenAIModel
from assay_engine.models.session import (
    Forbidden,
    PanelMember,
    Session,
    Usable,
    on_trial,
    panel_name,
)
from assay_engine.models.transcript import Recorder, ReplayModel

__all__ = [
    "Allowance",
    "CircuitBreaker",
    "CommandModel",
    "CountedModel",
    "Day",
    "Forbidden",
    "FoundCommand",
    "LearntDialect",
    "Ledger",
    "LocalServer",
    "OpenAIModel",
    "PanelMember",
    "Probe",
    "ProgressModel",
    "Ration",
    "RationedModel",
    "Recorder",
    "ReplayModel",
    "Session",
    "Usable",
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
    "probe",
    "withdraw_consent",
]
