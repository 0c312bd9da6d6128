"""Puts a function on trial as the engine does, with candidates and inputs written down."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from assay_engine.filing import Filing
from assay_engine.models import CountingModel
from assay_engine.reading.modules import NO_MODULES
from assay_engine.running.laboratory import Laboratory
from assay_engine.settings import Settings
from assay_engine.trial.check import Apparatus, check_unit
from assay_engine.types import Report, SourceText
from support.scripted_model import ScriptedModel, fenced, preferring
from support.specifying import specified

CALLS = 360


def scripted(candidates: Sequence[str], inputs: Sequence[str]) -> ScriptedModel:
    """A model that answers with these candidates in turn, proposes these calls, and reads the
    docstring as the candidates do."""
    return ScriptedModel(
        {
            "[candidate]": [fenced(each) for each in candidates],
            "[inputs]": [fenced("\n".join(inputs))],
            "[preference]": [preferring("SECOND")],
        }
    )


async def put_on_trial(
    laboratory: Laboratory, text: str, qualname: str, model: ScriptedModel, calls: int = CALLS
) -> Report:
    """The report on one function of a module's text."""
    settings = Settings()
    settings = replace(settings, execution=replace(settings.execution, calls=calls))
    filing = Filing(SourceText("module.py", text), specified(text, qualname), "digest", ())
    apparatus = Apparatus(
        CountingModel(model), None, laboratory, settings, lambda _: True, lambda _: None
    )
    return await check_unit(apparatus, filing, NO_MODULES)
