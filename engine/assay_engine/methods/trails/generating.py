"""Generates inputs that exercise one scenario, and repairs unusable ones (section 2.5)."""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

from assay_engine.compare.executor import Executor, program_of
from assay_engine.compare.materialising import is_carried, materialised
from assay_engine.compare.votes import acceptance, accepts
from assay_engine.inputs.calls import assignments, read_call
from assay_engine.inputs.staging import MOCKS, SETTINGS, answered, placed, setting
from assay_engine.methods.trails.framing import Framing, Properties, mockable_in
from assay_engine.methods.trails.prompting import JudgeQuestions
from assay_engine.methods.trails.values import Jury
from assay_engine.sampling.asking import Asking
from assay_engine.sampling.reply_blocks import code_blocks
from assay_engine.settling.serialising import input_text, output_text
from assay_engine.syntax.parsing import parse
from assay_engine.types import Specification
from assay_engine.values.carried import call_key
from assay_sandbox import Call, Covered, Observation, Refused

# Deduplication drops inputs, so the prompt asks for this many more than may be kept.
SPARE_INPUTS = 2
TRIED_SHOWN = 3
# After this many scenarios in a row without a valid input, the others are not tried.
EMPTY_SCENARIOS_MAX = 2


class TriedInput(Struct, frozen=True):
    """An input and what the function did on it."""

    call: Call
    observation: Observation


class Bench(Struct, frozen=True):
    """The programs that inputs are tried on, and where they run.

    Without a jury, an input that the function crashes on is not valid.
    """

    executor: Executor
    specification: Specification
    jury: Jury
    exceptions: tuple[str, ...]

    async def valid(self, seen: Sequence[Covered], calls: Sequence[Call]) -> tuple[bool, ...]:
        """Whether each input is valid: the function accepts it, or a consensus of the jury does.

        A crash of the function on an input that candidates accept tells against the function.
        """
        accepted = [accepts(entry.observation, self.exceptions) for entry in seen]
        crashed = [
            index
            for index, entry in enumerate(seen)
            if not accepted[index] and not isinstance(entry.observation, Refused)
        ]
        if crashed and self.jury.sources:
            programs = [program_of(self.specification, source) for source in self.jury.sources]
            rows = await self.executor.run(
                programs, [calls[index] for index in crashed], self.exceptions
            )
            for position, index in enumerate(crashed):
                found = [row[position] for row in rows]
                accepted[index] = acceptance(found, self.jury.weights, self.exceptions).by_consensus
        return tuple(accepted)


def bench_for(
    executor: Executor, specification: Specification, jury: Jury, framing: Framing
) -> Bench:
    """The bench for a function. Exceptions that the docstring or the model's reading of it
    announces count as outcomes."""
    announced = (*specification.documented_exceptions, *framing.properties.exceptions)
    return Bench(executor, specification, jury, tuple(dict.fromkeys(announced)))


async def exercised_in_turn(
    asking: Asking,
    questions: JudgeQuestions,
    bench: Bench,
    scenarios: Sequence[str],
    properties: Properties,
) -> tuple[tuple[TriedInput, ...], ...]:
    """The valid inputs of each scenario that was tried, in order. After consecutive scenarios that
    gave none, the others are not tried (the paper's early stop)."""
    found: list[tuple[TriedInput, ...]] = []
    while len(found) < len(scenarios) and not stopped_early(found):
        # These scenarios are tried in any case, so they are tried at once.
        batch = scenarios[len(found) : len(found) + EMPTY_SCENARIOS_MAX]
        found += await _exercised(asking, questions, bench, batch, properties)
    return tuple(found)


def stopped_early(found: Sequence[tuple[TriedInput, ...]]) -> bool:
    """Whether so many scenarios in a row gave no valid input that no more are tried."""
    last = found[-EMPTY_SCENARIOS_MAX:]
    return len(last) == EMPTY_SCENARIOS_MAX and not any(last)


async def _exercised(
    asking: Asking,
    questions: JudgeQuestions,
    bench: Bench,
    scenarios: Sequence[str],
    properties: Properties,
) -> list[tuple[TriedInput, ...]]:
    """The valid inputs of each scenario, one for each set of lines that they run through.

    A scenario has none if g replies, the first with inputs and the others with repairs, gave none.
    The scenarios keep in step.
    """
    settings = questions.settings
    count = settings.inputs_per_scenario + SPARE_INPUTS
    mockable = mockable_in(questions.specification, properties)
    found: list[tuple[TriedInput, ...]] = [() for _ in scenarios]
    prompts = {
        number: questions.inputs(scenario, properties.text(), count, mockable)
        for number, scenario in enumerate(scenarios)
    }
    for step in range(settings.steps):
        dialogues = (
            asking.dialogue(prompt, lambda text: text, vote=step) for prompt in prompts.values()
        )
        replies = zip(prompts, await asking.answers(*dialogues), strict=True)
        told = {number: reply for number, reply in replies if reply is not None}
        tries = await asyncio.gather(
            *(
                _tried(bench, read_inputs(each, bench.specification, mockable))
                for each in told.values()
            )
        )
        prompts = {}
        for number, each in zip(told, tries, strict=True):
            found[number] = each.kept[: settings.inputs_per_scenario]
            if not each.kept:
                prompts[number] = questions.inputs(
                    scenarios[number], properties.text(), count, mockable, tried=each.shown
                )
    return found


class _Tried(Struct, frozen=True):
    """One valid input per path of a reply, and the reply's first inputs as a repair shows them."""

    kept: tuple[TriedInput, ...]
    shown: str


async def _tried(bench: Bench, read: Sequence[Call]) -> _Tried:
    specification = bench.specification
    made = await materialised(bench.executor, specification, answered(read, specification))
    # Calls that cannot be carried could not be shown as they are.
    calls = tuple(filter(is_carried, made))
    seen = await bench.executor.covered(program_of(specification), calls, bench.exceptions)
    valid = await bench.valid(seen, calls)
    # Calls that did not end by themselves have no lines; they are told apart by their outputs.
    kept: dict[tuple[tuple[int, ...], str], TriedInput] = {}
    for call, entry, usable in zip(calls, seen, valid, strict=True):
        if usable:
            key = (entry.lines, "" if entry.lines else output_text(entry.observation))
            kept.setdefault(key, TriedInput(call, entry.observation))
    pairs = [
        f"{input_text(call, specification)}\n{output_text(entry.observation)}"
        for call, entry in zip(calls, seen, strict=True)
    ]
    shown = "\n\n".join(pairs[:TRIED_SHOWN]) or "The reply held no call that could be read."
    return _Tried(tuple(kept.values()), shown)


def with_scenarios(
    framing: Framing, found: Sequence[tuple[TriedInput, ...]]
) -> list[tuple[str | None, TriedInput]]:
    """Each input once, with the first scenario that it was found for."""
    distinct: dict[str, tuple[str | None, TriedInput]] = {}
    # Scenarios after an early stop were not tried.
    for scenario, inputs in zip(framing.scenarios, found, strict=False):
        for tried in inputs:
            distinct.setdefault(call_key(tried.call), (scenario, tried))
    return list(distinct.values())


CALLS_MAX = 20
STATEMENTS_MAX = 500


def read_inputs(
    reply: str, specification: Specification, mockable: Collection[str] = ()
) -> tuple[Call, ...]:
    """The calls of the function, from the first way of reading the reply that gives any.

    ``stdin = "…"`` before a call is the standard input of that call. ``files = {…}`` and similar
    settings hold for all calls that follow, and so does ``mocks = {…}`` if names may be mocked.
    Other plain assignments name values that a call mentions. Everything else is ignored.
    """
    for blocks in code_blocks(reply):
        distinct: dict[str, Call] = {}
        for block in blocks:
            for call in _calls(block, specification, mockable):
                distinct.setdefault(call_key(call), call)
        if distinct:
            return tuple(distinct.values())[:CALLS_MAX]
    return ()


def _calls(block: str, specification: Specification, mockable: Collection[str]) -> Iterator[Call]:
    tree = parse(block)
    if not isinstance(tree, ast.Module):
        return
    bound: dict[str, str] = {}
    settings: dict[str, object] = {}
    names = (*SETTINGS, MOCKS) if mockable else SETTINGS
    for statement in tree.body[:STATEMENTS_MAX]:
        match statement:
            case ast.Assign():
                written = ast.unparse(statement)
                said = setting(written, names)
                if said is not None:
                    settings[said[0]] = said[1]
                else:
                    bound |= assignments((written,)) or {}
            case ast.Expr(value=expression):
                call = read_call(ast.unparse(expression), specification, bound)
                call = None if call is None else placed(call, settings, mockable)
                if call is not None:
                    yield call
                    settings.pop("stdin", None)
            case _:
                pass
