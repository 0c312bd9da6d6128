"""Does semantic triangulation select the right sample, and abstain where there is none?

    python -m benchmarks.triangulation DATA --replies FILE.jsonl
    python -m benchmarks.triangulation DATA --replies FILE.jsonl --base-url URL --model NAME

DATA is a folder in the layout of the data pack. Forward samples are recorded ones of a real model;
which tasks are taken is said in `triangulation_tasks`. Everything else (questions, rewritings,
witnesses, enumerators, tests) comes from FILE, replies by digest without their prompts. With a URL
what FILE lacks is asked for and added to it: no prompt waits for another that it does not rest on,
so that hundreds are in flight at once; a run that was broken off goes on where it was.

Every scheme that fits a task is tried to its end, so that each can be measured; the decision is the
first scheme's that selects. Baselines select on the same samples and inputs.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay_bench.selection import (
    AbstentionCounts,
    abstention_metrics,
    majority,
    plurality,
)
from assay_engine.compare.executor import Executor
from assay_engine.config.settings import Sampling, Thorough
from assay_engine.fixes.asserting import asserting, passes
from assay_engine.methods.triangulation.attempts import Attempt
from assay_engine.methods.triangulation.formulas.evaluate import carried_out
from assay_engine.methods.triangulation.formulas.outcomes import Memo
from assay_engine.methods.triangulation.samples import observed, usable_inputs
from assay_engine.methods.triangulation.selection import ransac
from assay_engine.methods.triangulation.triangulating import Bounds, Triangulation, triangulate
from assay_engine.sampling.prompting import context_part, filled, stub, template
from assay_engine.sampling.sampling import draw
from assay_engine.syntax.parsing import SyntaxFault, parse
from assay_engine.types import Model, Prompt
from assay_sandbox import Call, Limits, Sandbox
from benchmarks.readers import readers
from benchmarks.triangulation_tasks import Ready, all_tasks, chosen, named

TESTS_VERSION = 1
TESTS_ASKED = 10
TEST_REPLIES = 5
TESTS_TOKENS = 1_000
METHODS = ("triangulation", "plurality", "majority", "codet")
# As short as small inputs allow: of hundreds of samples some always hang.
LIMITS = Limits(call_seconds=0.5, total_seconds=6.0)


@dataclass(frozen=True)
class Outcome:
    """What each method selected, as index of a distinct program; None for an abstention."""

    ready: Ready
    triangulation: Triangulation
    selected: dict[str, int | None]


async def judged(ready: Ready, model: Model, executor: Executor, bounds: Bounds) -> Outcome:
    inputs = usable_inputs(ready.inputs, len(ready.task.specification.parameters))
    found, passed, seen = await asyncio.gather(
        triangulate(
            model, executor, ready.task.specification, ready.forwards, ready.inputs, bounds
        ),
        tests_passed(ready, model, executor, bounds),
        carried_out(observed(ready.forwards, inputs, Memo()), executor),
    )
    samples = [i for i, each in enumerate(ready.forwards) for _ in range(each.weight)]
    alike = [
        [
            at
            for at, j in enumerate(samples)
            if seen.classes[i] >= 0 and seen.classes[j] == seen.classes[i]
        ]
        for i in samples
    ]
    tested = ransac([passed[i] for i in samples])

    def first(members: Iterable[int]) -> int | None:
        return next((samples[at] for at in members), None)

    return Outcome(
        ready,
        found,
        {
            "triangulation": found.selected,
            "plurality": first(plurality(alike)),
            "majority": first(majority(alike)),
            "codet": None if tested is None else first(tested.block.programs),
        },
    )


async def tests_passed(
    ready: Ready, model: Model, executor: Executor, bounds: Bounds
) -> list[list[int]]:
    """By distinct program: the generated assertions it passes."""
    specification = ready.task.specification
    system, user = template("benchmarks", "tests", TESTS_VERSION)
    fields = {
        "context_part": context_part(specification),
        "stub": stub(specification),
        "count": str(TESTS_ASKED),
    }
    prompt = Prompt("tests", TESTS_VERSION, system, filled(user, fields), 1.0, TESTS_TOKENS)
    drawn = await draw(
        model,
        prompt,
        range(TEST_REPLIES),
        deadline_seconds=bounds.sampling.draw_seconds,
        concurrency=bounds.sampling.concurrency,
    )
    lines = [line.strip() for reply in drawn.replies for line in reply.text.splitlines()]
    tests = [
        line
        for line in lines
        if line.startswith("assert ")
        and specification.unit.name in line
        and not isinstance(parse(line), SyntaxFault)
    ]
    programs = [asserting(each.program) for each in ready.forwards]
    rows = await executor.run(programs, [Call((test,)) for test in tests])
    return [[at for at, seen in enumerate(row) if passes(seen)] for row in rows]


def counts(outcomes: Sequence[Outcome], method: str) -> AbstentionCounts:
    found = Counter[tuple[bool, str]]()
    for outcome in outcomes:
        found[outcome.ready.is_solvable, verdict(outcome, method)] += 1
    return AbstentionCounts(
        found[True, "right"],
        found[True, "wrong"],
        found[True, "abstained"],
        found[False, "wrong"],
        found[False, "abstained"],
    )


def verdict(outcome: Outcome, method: str) -> str:
    index = outcome.selected[method]
    if index is None:
        return "abstained"
    return "right" if outcome.ready.truth[index] else "wrong"


def agreeing_pairs(outcome: Outcome, attempt: Attempt) -> tuple[int, int]:
    """Pairs of a sample and a witness sample that agree, of right samples and of all."""
    right = total = 0
    for forward, truth, found in zip(
        outcome.ready.forwards, outcome.ready.truth, attempt.agreement, strict=True
    ):
        total += forward.weight * len(found)
        right += forward.weight * len(found) * truth
    return right, total


def report(outcomes: Sequence[Outcome]) -> str:
    rows = ["| task | kind | samples | right | " + " | ".join(METHODS) + " | scheme | tokens |"]
    rows.append("|---|---|---|---:|" + "---|" * len(METHODS) + "---|---:|")
    for each in outcomes:
        said = " | ".join(verdict(each, method) for method in METHODS)
        decisive = each.triangulation.decisive
        scheme = "" if decisive is None else decisive.plan.name
        rows.append(
            f"| {each.ready.task.name} | {each.ready.task.kind} | {each.ready.standing} | "
            f"{each.ready.share_right:.2f} | {said} | {scheme} | "
            f"{each.triangulation.drawn.tokens:,} |"
        )
    rows += ["", "| method | selected right | wrong | abstained | reliable accuracy |"]
    rows.append("|---|---:|---:|---:|---:|")
    for method in METHODS:
        n = counts(outcomes, method)
        accuracy = abstention_metrics(n)["reliable_accuracy"]
        rows.append(
            f"| {method} | {n.solvable_right} | {n.solvable_wrong + n.unsolvable_selected} | "
            f"{n.solvable_abstained + n.unsolvable_abstained} | "
            f"{'-' if accuracy is None else f'{accuracy:.2f}'} |"
        )
    rows += ["", "| scheme | tasks | selected | agreeing pairs | P(right given agreement) |"]
    rows.append("|---|---:|---:|---:|---:|")
    schemes = dict.fromkeys(a.plan.name for each in outcomes for a in each.triangulation.attempts)
    for name in schemes:
        tried = [
            (each, attempt)
            for each in outcomes
            for attempt in each.triangulation.attempts
            if attempt.plan.name == name
        ]
        pairs = [agreeing_pairs(*each) for each in tried]
        right, total = (sum(column) for column in zip(*pairs, strict=True))
        selected = sum(attempt.trusted.chosen is not None for _, attempt in tried)
        share = f"{right / total:.2f}" if total else "-"
        rows.append(f"| {name} | {len(tried)} | {selected} | {total:,} | {share} |")
    unconditional = sum(each.ready.share_right for each in outcomes) / len(outcomes)
    tokens = sum(each.triangulation.drawn.tokens for each in outcomes) / len(outcomes)
    rows += ["", f"A sample is right with {unconditional:.2f}. Tokens per verdict: {tokens:,.0f}."]
    return "\n".join(rows)


async def run(options: argparse.Namespace) -> None:
    with Sandbox() as sandbox:
        executor = Executor(sandbox, sandbox, LIMITS)
        tasks = all_tasks(options.data, options.samples, options.seed)
        if options.tasks:
            ready = await named(tasks, options.tasks.split(","), executor)
        else:
            ready = await chosen(tasks, executor)
        for each in ready:
            print(f"{each.task.name}: {each.task.kind}, {each.standing}", flush=True)
        if options.only_choose:
            return
        model = _model(options)
        bounds = Bounds(
            Thorough(
                witnesses=options.witnesses,
                requests=100_000,
                tokens=100_000_000,
                seconds=10 * options.patience,
            ),
            Sampling(draw_seconds=options.patience, concurrency=options.concurrency),
            exhaust=True,
        )
        outcomes = await asyncio.gather(*(judged(each, model, executor, bounds) for each in ready))
    for each in outcomes:
        for problem in each.triangulation.problems:
            print(f"{each.ready.task.name}: {problem.message}")
    print(report(outcomes))
    if options.json:
        options.json.write_text(json.dumps([_as_json(each) for each in outcomes], indent=1))


def _model(options: argparse.Namespace) -> Model:
    sampling = Sampling(request_seconds=options.patience, retries=options.retries)
    return readers(options.replies, options.base_url, options.model, sampling)


def _as_json(outcome: Outcome) -> dict[str, object]:
    return {
        "task": outcome.ready.task.name,
        "kind": outcome.ready.task.kind,
        "standing": outcome.ready.standing,
        "methods": {method: verdict(outcome, method) for method in METHODS},
        "schemes": {
            attempt.plan.name: {
                "inverted": attempt.plan.view.header.names[attempt.plan.inverted],
                "witnesses": len(attempt.witnesses),
                "enumerators": len(attempt.enumerators),
                "agreement": attempt.agreement,
                "trusted": attempt.trusted.programs,
                "chosen": attempt.trusted.chosen,
                "problems": [problem.message for problem in attempt.problems],
            }
            for attempt in outcome.triangulation.attempts
        },
        "truth": outcome.ready.truth,
        "weights": [each.weight for each in outcome.ready.forwards],
        "tokens": outcome.triangulation.drawn.tokens,
        "problems": [problem.message for problem in outcome.triangulation.problems],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument(
        "--replies", type=Path, default=Path("benchmarks/recorded/triangulation.jsonl")
    )
    parser.add_argument("--samples", default="mbpp/gpt_4o@1")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tasks", default="", help="names with commas, instead of the rule")
    parser.add_argument("--witnesses", type=int, default=20)
    parser.add_argument("--base-url", default="")
    parser.add_argument("--model", default="readers")
    parser.add_argument("--patience", type=float, default=14_400.0, help="seconds for one reply")
    parser.add_argument("--concurrency", type=int, default=1_000)
    parser.add_argument("--retries", type=int, default=8)
    parser.add_argument("--json", type=Path, help="write details here")
    parser.add_argument("--only-choose", action="store_true", help="print the tasks and stop")
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
