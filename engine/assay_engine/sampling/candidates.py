"""Draws candidates and makes them runnable: each is spliced into the specification's program.

Reads candidates from a model's replies: leniently, and with a reason where it cannot.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from msgspec import Struct

from assay_engine.config.settings import Settings
from assay_engine.dependencies.normalising import normalised_digest
from assay_engine.sampling.prompting import candidate_prompt, inputs_prompt
from assay_engine.sampling.reply_blocks import code_blocks
from assay_engine.sampling.reply_programs import Rejection, candidate_from, provided_by
from assay_engine.sampling.sampling import Drawing, draw
from assay_engine.specification.specification import running_unit
from assay_engine.splicing import apply_edits, splice
from assay_engine.types import (
    Candidate,
    Draw,
    Model,
    Problem,
    ProblemKind,
    Reply,
    Specification,
    Usage,
)
from assay_engine.words import count

# Inputs are drawn at a lower temperature than candidates: varied readings matter less for inputs.
INPUTS_TEMPERATURE = 0.7
INPUT_TRIES = 3


class Voter(Struct, frozen=True):
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


async def draw_proposals(
    model: Model, specification: Specification, settings: Settings, usable: Callable[[str], bool]
) -> Draw:
    """Ask for inputs, and again as long as no reply is `usable`: no other reply has any.

    Each time it is another sample, so the next member of a panel is asked. A model that took all
    the time there is takes it again, and is not.
    """
    prompt = inputs_prompt(specification, temperature=INPUTS_TEMPERATURE)
    drawn: list[Draw] = []
    for sample in range(INPUT_TRIES):
        seconds = settings.sampling.draw_seconds
        drawn.append(await draw(model, prompt, [sample], deadline_seconds=seconds, concurrency=1))
        if any(usable(reply.text) for reply in drawn[-1].replies):
            # What was asked for in vain was made up for.
            return drawn[-1]
        if any(problem.kind is ProblemKind.DEADLINE for problem in drawn[-1].problems):
            break
    replies = tuple(reply for each in drawn for reply in each.replies)
    problems = tuple(dict.fromkeys(problem for each in drawn for problem in each.problems))
    return Draw(replies, problems, sum((each.unused for each in drawn), Usage()))


def voters(
    specification: Specification, drawn: Draw
) -> tuple[tuple[Voter, ...], tuple[Problem, ...]]:
    """The candidates that can replace the original function, and why the others cannot."""
    candidates, rejected = gather(drawn.replies, specification)
    text, place = specification.running_text, running_unit(specification)
    if place is None:
        raise LookupError(f"{specification.entry} is missing from its own program")
    runnable: list[Voter] = []
    unfit: dict[str, list[int]] = {}
    for candidate in candidates:
        edits = splice(text, place, candidate.source)
        if isinstance(edits, Problem):
            unfit.setdefault(edits.message, []).extend(candidate.samples)
            continue
        runnable.append(Voter(candidate, apply_edits(text, edits)))
    problems: list[Problem] = []
    for why, samples in unfit.items():
        numbers = ", ".join(str(sample + 1) for sample in sorted(samples))
        said = f"{count(len(samples), 'sample')} ({numbers}) cannot be put in place: {why}"
        problems.append(Problem(ProblemKind.REPLY_REJECTED, said))
    return tuple(runnable), (*rejected, *problems)


# Longer replies are not read: no function is that long, and a model that rambles has lost track.
REPLY_BYTES_MAX = 200_000


def gather(
    replies: Sequence[Reply], specification: Specification
) -> tuple[tuple[Candidate, ...], tuple[Problem, ...]]:
    """The candidates in order of first appearance, and a problem for each reply that gave none.

    Equal programs count as one candidate. A candidate is a module text: imports, helpers, the
    function at top level. Never raises, whatever the texts.
    """
    sources: dict[str, str] = {}
    drawn: dict[str, list[Reply]] = {}
    problems: list[Problem] = []
    for reply in replies:
        source = _read(reply.text, specification)
        if isinstance(source, Rejection):
            message = f"Sample {reply.sample + 1}: the reply is left out: {source.reason}."
            problems.append(Problem(ProblemKind.REPLY_REJECTED, message))
            continue
        digest = normalised_digest(source, specification.unit.name)
        sources.setdefault(digest, source)
        drawn.setdefault(digest, []).append(reply)
    candidates = tuple(
        Candidate(
            source,
            digest,
            tuple(reply.sample for reply in drawn[digest]),
            tuple(reply.model for reply in drawn[digest] if reply.model),
        )
        for digest, source in sources.items()
    )
    return candidates, tuple(problems)


# The second look reads the replies of the first again.
@lru_cache(maxsize=64)
def _read(text: str, specification: Specification) -> str | Rejection:
    """The first candidate in a reply, or why there is none.

    Of each way of reading, the last block comes first, since models correct themselves. Names that
    a block lacks are looked for in the other blocks.
    """
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > REPLY_BYTES_MAX:
        return Rejection(f"it has {size:,} bytes, more than the {REPLY_BYTES_MAX:,} that are read")
    provided, name = provided_by(specification), specification.unit.name
    rejection: Rejection | None = None
    saw_code = False
    for blocks in code_blocks(text):
        saw_code = saw_code or bool(blocks)
        for place in reversed(range(len(blocks))):
            outcome = candidate_from(blocks[place], specification, provided)
            if isinstance(outcome, Rejection) and outcome.missing and len(blocks) > 1:
                ordered = [*blocks[:place], *blocks[place + 1 :], blocks[place]]
                joined = candidate_from("\n\n".join(ordered), specification, provided)
                outcome = joined if isinstance(joined, str) else outcome
            if isinstance(outcome, str):
                return outcome
            rejection = rejection or outcome
    if rejection is not None:
        return rejection
    if re.search(rf"\bdef\s+{re.escape(name)}\b", text):
        return Rejection(f"its `{name}` does not parse")
    return Rejection(f"it does not define `{name}`" if saw_code else "it holds no Python code")
