"""The baseline that walks through the code with Hoare logic in natural language.

The judge works as TRAILS uses it (section 3.3): precondition extraction, natural strongest
postconditions step by step without unrolling, then a verdict. The prompts are our own. A step is a
run of simple statements, or one compound statement with all that is in it, so that there are few
steps. The original goes into branches and loops statement by statement.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import groupby

from assay_bench.judges.baselines.prompting import BaselineQuestions
from assay_bench.judges.baselines.zero_shot import of_one_vote
from assay_engine.methods.trails.assay_judge import opinion_on
from assay_engine.methods.trails.prompting import FREE_TEXT_CHARACTERS
from assay_engine.methods.trails.values import Judgement, JudgeSettings, JudgeVote, Question
from assay_engine.sampling.asking import Asking
from assay_engine.settling.serialising import bounded
from assay_engine.syntax.identifiers import FunctionNode
from assay_engine.syntax.parsing import SyntaxFault, parse
from assay_engine.syntax.text import statements_after_docstring
from assay_engine.types import Specification

NAME = "hoare"
STEPS_MAX = 8

_COMPOUND = (ast.If, ast.For, ast.While, ast.With, ast.Try, ast.Match, ast.AsyncFor, ast.AsyncWith)


async def judge_by_hoare(
    asking: Asking,
    specification: Specification,
    code: str,
    settings: JudgeSettings,
    *,
    steps: int = STEPS_MAX,
) -> Judgement:
    """A vote on specification, code, and the conditions that hold at up to `steps` places in it.

    Sends the code. Abstains if a reply is missing.
    """
    questions = BaselineQuestions.about(specification, settings)
    state = await asking.answer(asking.dialogue(questions.hoare_precondition(), _condition))
    conditions = [f"Before the first step: {state}"]
    for step in steps_of(code, specification.unit.name, steps):
        if state is None:
            break
        prompt = questions.hoare_step(code, state, step)
        state = await asking.answer(asking.dialogue(prompt, _condition))
        conditions.append(f"After\n{step}\nholds: {state}")
    if state is None:
        return of_one_vote(NAME, asking, JudgeVote(Question.CODE, None, ""))
    prompt = questions.hoare_verdict(code, "\n\n".join(conditions))
    vote = await asking.answer(opinion_on(asking, prompt, Question.CODE))
    return of_one_vote(NAME, asking, vote)


def steps_of(code: str, name: str, limit: int) -> tuple[str, ...]:
    """The body of the function of that name as at most `limit` pieces of source, in order.

    The whole text is one step if it holds no such function.
    """
    body = _body(code, name)
    pieces = ["\n".join(map(ast.unparse, group)) for group in _grouped(body)]
    # All pieces beyond the limit go into the last step.
    if len(pieces) > limit:
        pieces[limit - 1 :] = ["\n".join(pieces[limit - 1 :])]
    return tuple(pieces) or (code,)


def _body(code: str, name: str) -> Sequence[ast.stmt]:
    tree = parse(code)
    if isinstance(tree, SyntaxFault):
        return ()
    found = [
        node for node in ast.walk(tree) if isinstance(node, FunctionNode) and node.name == name
    ]
    return statements_after_docstring(found[-1]) if found else ()


def _grouped(body: Sequence[ast.stmt]) -> Iterator[list[ast.stmt]]:
    """The statements in groups: neighbouring simple ones together, every compound one by itself."""
    numbered = enumerate(body)
    for _, group in groupby(
        numbered, key=lambda each: each[0] if isinstance(each[1], _COMPOUND) else -1
    ):
        yield [statement for _, statement in group]


def _condition(reply: str) -> str | None:
    return bounded(reply.strip(), FREE_TEXT_CHARACTERS) or None
