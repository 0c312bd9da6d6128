"""The baseline that selects by generated tests: CodeT (Chen et al., arXiv:2207.10397).

Samples and tests form a consensus if each of the samples passes each of the tests. A sample is
found right if it is in the consensus with the highest score.
"""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Iterator, Sequence

from assay_bench.judges.baselines.prompting import BaselineQuestions
from assay_bench.judges.baselines.zero_shot import of_one_vote
from assay_engine.compare.executor import Executor, program_of
from assay_engine.compare.materialising import is_carried
from assay_engine.compare.same_values import same_value
from assay_engine.fixes.asserting import asserting, passes
from assay_engine.inputs.calls import read_call
from assay_engine.methods.trails.values import Judgement, JudgeSettings, JudgeVote, Jury, Question
from assay_engine.methods.triangulation.selection import ransac
from assay_engine.sampling.asking import Asking
from assay_engine.sampling.reply_blocks import code_blocks
from assay_engine.syntax.expressions import NotLiteral, literal
from assay_engine.syntax.parsing import parse
from assay_engine.types import Opinion, Specification
from assay_engine.values.carried import call_key, value_of
from assay_engine.words import share
from assay_sandbox import Call, Program, Returned, Value

BY_ASSERTIONS, BY_OUTPUTS = "codet", "codet-io"
TEST_REPLIES = 3
TESTS_ASKED = 10
# The tests used of one reply: a reply that goes on and on tells nothing more.
TESTS_PER_REPLY = 20


async def judge_by_codet(
    asking: Asking,
    executor: Executor,
    specification: Specification,
    jury: Jury,
    settings: JudgeSettings,
    *,
    asserted: bool = True,
) -> Judgement:
    """One vote on the code, by tests that a model made from the specification alone. An abstention
    if no sample passes a test. `asserted`: tests are assertions, or else inputs and outputs.
    """
    questions = BaselineQuestions.about(specification, settings)
    prompt = questions.tests(asserted=asserted, count=TESTS_ASKED)
    read = _read_assertions if asserted else _read_expectations
    replies = await asking.answers(
        *(
            asking.dialogue(prompt, lambda reply: read(reply, specification), vote=number)
            for number in range(TEST_REPLIES)
        )
    )
    tests = {key: test for reply in replies if reply is not None for key, test in reply.items()}
    programs = [
        program_of(specification),
        *(program_of(specification, source) for source in jury.sources),
    ]
    passed = await _passed(executor, programs, list(tests.values()))
    weights = (1, *jury.weights)
    drawn = [passed[n] for n, weight in enumerate(weights) for _ in range(weight)]
    consensus = ransac(drawn)
    if consensus is None:
        vote = JudgeVote(Question.TESTS, None, "")
    else:
        block = consensus.block
        # The first of the samples is the one on trial.
        opinion = Opinion.CORRECT if 0 in block.programs else Opinion.INCORRECT
        selected = share(len(block.programs), len(drawn), "sample")
        agreed = share(len(block.witnesses), len(tests), "test")
        own = share(len(passed[0]), len(tests), "test")
        vote = JudgeVote(
            Question.TESTS, opinion, f"{selected} and {agreed} agree; this passes {own}."
        )
    return of_one_vote(BY_ASSERTIONS if asserted else BY_OUTPUTS, asking, vote)


# The text of an assertion, or a call and the result it should have.
_Test = str | tuple[Call, Value]


async def _passed(
    executor: Executor, programs: Sequence[Program], tests: Sequence[_Test]
) -> list[frozenset[int]]:
    """For each program, the tests it passes."""
    texts = [(n, test) for n, test in enumerate(tests) if isinstance(test, str)]
    pairs = [(n, test) for n, test in enumerate(tests) if not isinstance(test, str)]
    asserted, returned = await asyncio.gather(
        executor.run(list(map(asserting, programs)), [Call((text,)) for _, text in texts]),
        executor.run(programs, [call for _, (call, _) in pairs]),
    )
    return [
        frozenset(n for (n, _), seen in zip(texts, held, strict=True) if passes(seen))
        | frozenset(
            n
            for (n, (_, expected)), seen in zip(pairs, row, strict=True)
            if isinstance(seen, Returned) and same_value(value_of(seen.value), expected)
        )
        for held, row in zip(asserted, returned, strict=True)
    ]


def _read_assertions(reply: str, specification: Specification) -> dict[str, _Test] | None:
    """The assertions that name the function, by their text; None if there are none."""
    name = specification.unit.name
    found: dict[str, _Test] = {}
    for statement in _statements(reply):
        if isinstance(statement, ast.Assert) and name in _names(statement):
            text = ast.unparse(statement)
            found.setdefault(text, text)
    return dict(list(found.items())[:TESTS_PER_REPLY]) or None


def _read_expectations(reply: str, specification: Specification) -> dict[str, _Test] | None:
    """Tests like ``f(1) == 2``, with literals as arguments and results; None if there are none."""
    found: dict[str, _Test] = {}
    for statement in _statements(reply):
        match statement:
            case ast.Expr(value=ast.Compare(left=made, ops=[ast.Eq()], comparators=[said])):
                call = read_call(ast.unparse(made), specification)
                try:
                    expected = literal(said)
                except NotLiteral:
                    continue
                if call is not None and is_carried(call):
                    found.setdefault(f"{call_key(call)} {expected!r}", (call, expected))
            case _:
                pass
    return dict(list(found.items())[:TESTS_PER_REPLY]) or None


def _statements(reply: str) -> Iterator[ast.stmt]:
    """The statements in the first way of reading the reply that gives any."""
    for blocks in code_blocks(reply):
        trees = [tree for tree in map(parse, blocks) if isinstance(tree, ast.Module)]
        if trees:
            for tree in trees:
                yield from tree.body
            return


def _names(statement: ast.stmt) -> set[str]:
    return {
        node.id if isinstance(node, ast.Name) else node.attr
        for node in ast.walk(statement)
        if isinstance(node, ast.Name | ast.Attribute)
    }
