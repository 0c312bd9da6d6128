"""A session with one model, as a check has it, with as many of its parts as a test is about."""

from __future__ import annotations

from typing import Any

from assay_engine.models import PanelMember, Session
from assay_engine.types import Model


def session_of(model: Model, **parts: Any) -> Session:
    """The session with this model; `parts` are those of `Session`."""
    return Session([PanelMember(model)], **parts)
