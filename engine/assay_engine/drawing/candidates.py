"""Draws candidates and makes them runnable: each is spliced into the specification's program."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from msgspec import Struct

from assay_engine.drawing.prompting import candidate_prompt, inputs_prompt
from assay_engine.drawing.replies import gather
from assay_engine.drawing.sampling import Drawing, draw
from assay_engine.reading.specification import unit_in_program
from assay_engine.settings import Settings
from assay_engine.splicing import apply_edits, splice
from assay_engine.types import (
    Candidate,
    Draw,
    Model,
    Problem,
    ProblemKind,
    Specification,
)
from assay_engine.words import count

# Inputs are drawn at a lower temperature than candidates: varied readings matter less for inputs.
INPUTS_TEMPERATURE = 0.7


class Rival(Struct, frozen=True):
    """A candidate, and the program text in which it replaces the original function."""

    candidate: Candidate
    source: str


def candidate_drawing(model: Model, specification: Specification, settings: Settings) -> Drawing:
    """A drawing of candidates, in rounds; their samples are numbered from 0."""
    prompt = candidate_prompt(
        specification,
        temperature=settings.sampling.temperature,
        max_tokens=settings.sampling.max_tokens,
    )
    slots = asyncio.Semaphore(settings.sampling.concurrency)
    return Drawing(model, prompt, settings.sampling.draw_seconds, slots)


async def draw_proposals(model: Model, specification: Specification, settings: Settings) -> Draw:
    prompt = inputs_prompt(specification, temperature=INPUTS_TEMPERATURE)
    return await draw(
        model,
        prompt,
        [0],
        deadline_seconds=settings.sampling.draw_seconds,
        concurrency=1,
    )


def rivals(
    specification: Specification, drawn: Draw
) -> tuple[tuple[Rival, ...], tuple[Problem, ...]]:
    """The candidates that can replace the original function, and why the others cannot."""
    candidates, rejected = gather(drawn.replies, specification)
    place = unit_in_program(specification)
    if place is None:
        raise LookupError(f"{specification.entry} is missing from its own program")
    runnable: list[Rival] = []
    unfit: dict[str, list[int]] = {}
    for candidate in candidates:
        edits = splice(specification.program, place, candidate.source)
        if isinstance(edits, Problem):
            unfit.setdefault(edits.message, []).extend(candidate.samples)
            continue
        runnable.append(Rival(candidate, apply_edits(specification.program, edits)))
    problems = [
        Problem(
            ProblemKind.REPLY_REJECTED,
            f"{_samples(sorted(samples))} cannot be put in place: {why}",
        )
        for why, samples in unfit.items()
    ]
    return tuple(runnable), (*rejected, *problems)


def _samples(samples: Sequence[int]) -> str:
    numbers = ", ".join(str(sample + 1) for sample in samples)
    return f"{count(len(samples), 'sample')} ({numbers})"
