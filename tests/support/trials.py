"""Puts a function on trial as the engine does, with candidates and inputs written down."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from assay_engine.check.context import CheckContext
from assay_engine.check.pipeline import check_unit
from assay_engine.check_unit import CheckUnit
from assay_engine.compare.executor import Executor
from assay_engine.config.settings import Settings
from assay_engine.dependencies.modules import NO_MODULES
from assay_engine.types import Report, SourceText
from support.scripted_model import ScriptedModel, Siding, fenced
from support.sessions import session_of
from support.specifying import specified

CALLS = 360


def scripted(
    candidates: Sequence[str], inputs: Sequence[str], reading: str = "SECOND"
) -> ScriptedModel:
    """A model that answers with these candidates in turn, proposes these calls, and reads the
    docstring as the candidates do, or as `reading` says (see `Siding`)."""
    return ScriptedModel(
        {
            "[candidate]": [fenced(each) for each in candidates],
            "[inputs]": [fenced("\n\n".join(inputs))],
            "[preference]": Siding(reading),
        }
    )


async def put_on_trial(
    executor: Executor, text: str, qualname: str, model: ScriptedModel, calls: int = CALLS
) -> Report:
    """The report on one function of a module's text."""
    settings = Settings()
    settings = replace(settings, execution=replace(settings.execution, calls=calls))
    subject = CheckUnit(SourceText("module.py", text), specified(text, qualname), "digest", ())
    context = CheckContext(
        session_of(model), None, executor, settings, lambda _: True, lambda _: None
    )
    return (await check_unit(context, subject, NO_MODULES))[-1]
