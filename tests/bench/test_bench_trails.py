"""TRAILS and its additions on real programs in the sandbox, judged through a loopback endpoint."""

from __future__ import annotations

import re

from assay_bench.judges.baselines import judge_by_trails
from assay_engine.compare.executor import Executor
from assay_engine.methods.trails.assay_judge import judge_by_assay
from assay_engine.methods.trails.values import Judgement, JudgeSettings, Jury, Question
from assay_engine.types import Input, Opinion, Origin, Ruling
from assay_sandbox import Call
from support.judging_court import run
from support.judging_reader import Data, Reader, scenarios, verdict
from support.openai_server import Behaviour, Request, status
from support.specifying import specified

# After the paper's Listing 2: right for x <= y, and an endless recursion for x > y.
CRASHES = '''\
def steps_to_equal(x: int, y: int) -> int:
    """The least number of steps of one up or one down that turn x into y."""
    if x <= y:
        return y - x

    def steps(n):
        if n == y:
            return 0
        return 1 + min(steps(n + 1), steps(n - 1))

    return steps(x)
'''
RIGHT_STEPS = CRASHES.replace("if x <= y:\n        return y - x", "return abs(y - x)")

# After the paper's Listing 3: only substrings that begin at the start are counted.
MISSES = '''\
def vowel_substrings(s: str) -> int:
    """How many non-empty substrings of s hold vowels (a, e, i, o, u) and nothing else."""
    count = 0
    for end in range(1, len(s) + 1):
        if all(c in "aeiou" for c in s[:end]):
            count += 1
    return count
'''
RIGHT_SUBSTRINGS = '''\
def vowel_substrings(s: str) -> int:
    """How many non-empty substrings of s hold vowels (a, e, i, o, u) and nothing else."""
    places = range(len(s))
    return sum(set(s[i : j + 1]) <= set("aeiou") for i in places for j in places if i <= j)
'''


def numbers(text: str) -> list[int]:
    return [int(found) for found in re.findall(r"-?\d+", text)]


def steps_right(data: Data) -> str:
    x, y = numbers(data["input"])
    return verdict("CORRECT" if data["output"] == f"returned: {abs(y - x)}" else "INCORRECT")


def steps_better(data: Data) -> str:
    x, y = numbers(data["input"])
    right = f"returned: {abs(y - x)}"
    return verdict("FIRST" if data["first"] == right else "SECOND")


STEPS_READER = {
    "scenarios": lambda _: scenarios("x below y", "x equals y", "x above y"),
    "inputs": lambda data: {
        "x below y": "steps_to_equal(1, 4)\nsteps_to_equal(2, 9)",
        "x equals y": "steps_to_equal(3, 3)",
        "x above y": "steps_to_equal(5, 2)",
    }[data["scenario"]],
    "repair": lambda _: "steps_to_equal(8, 2)",
    "conforms": steps_right,
    "preference": steps_better,
}


def jury(source: str, *calls: Call) -> Jury:
    return Jury((source,), (8,), tuple(Input(call, Origin.PROPOSED) for call in calls))


def test_trails_itself_cannot_see_a_crash_on_valid_input(executor: Executor) -> None:
    reader = Reader(STEPS_READER)
    judgement = run(
        reader,
        lambda asking: judge_by_trails(asking, executor, specified(CRASHES), JudgeSettings()),
    )
    assert judgement.ruling is Ruling.CORRECT
    assert judgement.score == 1.0
    # Of two inputs through the same lines one is left; the third scenario never has any, though it
    # is repaired twice, as the budget has it.
    assert [pair.input for pair in judgement.pairs] == [
        "steps_to_equal(1, 4)",
        "steps_to_equal(3, 3)",
    ]
    assert reader.asked["repair"] == 2


def test_a_crash_on_input_that_candidates_accept_is_caught(executor: Executor) -> None:
    reader = Reader(STEPS_READER)
    judgement = run(
        reader,
        lambda asking: judge_by_assay(
            asking, executor, specified(CRASHES), jury(RIGHT_STEPS), JudgeSettings()
        ),
    )
    assert judgement.ruling is Ruling.INCORRECT
    assert judgement.objection is not None
    assert judgement.objection.output.startswith("raised: RecursionError")
    assert reader.asked["repair"] == 0
    assert [(vote.question, vote.opinion) for vote in judgement.objection.votes] == [
        (Question.CONFORMS, Opinion.INCORRECT),
        (Question.OWN_FIRST, Opinion.INCORRECT),
        (Question.OWN_SECOND, Opinion.INCORRECT),
    ]


def test_what_the_partitioning_misses_is_caught_where_candidates_disagree(
    executor: Executor,
) -> None:
    def count(text: str) -> int:
        s = text.partition('"')[2].partition('"')[0] or text.partition("'")[2].partition("'")[0]
        places = range(len(s))
        return sum(set(s[i : j + 1]) <= set("aeiou") for i in places for j in places if i <= j)

    reader = Reader(
        {
            "scenarios": lambda _: scenarios("s is empty", "s has one letter", "no vowels at all"),
            "inputs": lambda data: {
                "s is empty": 'vowel_substrings("")',
                "s has one letter": 'vowel_substrings("a")',
                "no vowels at all": 'vowel_substrings("xyz")',
            }[data["scenario"]],
            "conforms": lambda data: verdict(
                "CORRECT" if data["output"] == f"returned: {count(data['input'])}" else "INCORRECT"
            ),
            "preference": lambda data: verdict(
                "FIRST" if data["first"] == f"returned: {count(data['input'])}" else "SECOND"
            ),
        }
    )
    specification = specified(MISSES)
    trails = run(
        reader, lambda asking: judge_by_trails(asking, executor, specification, JudgeSettings())
    )
    assert trails.ruling is Ruling.CORRECT
    candidates = jury(RIGHT_SUBSTRINGS, Call(("xy",)), Call(("aea",)))
    mended = run(
        reader,
        lambda asking: judge_by_assay(asking, executor, specification, candidates, JudgeSettings()),
    )
    assert mended.ruling is Ruling.INCORRECT
    assert mended.objection is not None
    assert mended.objection.scenario is None
    assert mended.objection.input == "vowel_substrings('aea')"


def by_trails(reader: Reader, executor: Executor, source: str) -> Judgement:
    settings = JudgeSettings(scenarios=4)
    return run(
        reader, lambda asking: judge_by_trails(asking, executor, specified(source), settings)
    )


def test_a_function_that_crashes_on_everything_is_ruled_out_early(executor: Executor) -> None:
    source = 'def nothing(x: int) -> int:\n    """x."""\n    raise KeyError(x)\n'
    reader = Reader(
        {
            "scenarios": lambda _: scenarios("one", "two", "three", "four"),
            "inputs": lambda _: "nothing(1)",
            "repair": lambda _: "nothing(2)",
        }
    )
    judgement = by_trails(reader, executor, source)
    assert (judgement.ruling, judgement.score) == (Ruling.INCORRECT, 0.0)
    # Two scenarios of three replies each; the others are not tried.
    assert (reader.asked["inputs"], reader.asked["repair"]) == (2, 4)


def test_scenarios_in_a_row_without_input_rule_it_out_whatever_came_before(
    executor: Executor,
) -> None:
    source = 'def odd(x: int) -> int:\n    """x."""\n    return x if x == 1 else {}[x]\n'
    reader = Reader(
        {
            "scenarios": lambda _: scenarios("one", "two", "three", "four"),
            "inputs": lambda data: "odd(1)" if "one" in data["scenario"] else "odd(2)",
            "repair": lambda _: "odd(3)",
        }
    )
    judgement = by_trails(reader, executor, source)
    assert (judgement.ruling, judgement.score) == (Ruling.INCORRECT, 0.0)
    # Nobody is asked what it gives for the first: no more is computed for what is ruled out.
    assert "conforms" not in reader.asked


def test_a_model_that_stops_answering_accuses_nobody(executor: Executor) -> None:
    class Dying(Reader):
        def __call__(self, request: Request) -> Behaviour:
            answer = super().__call__(request)
            return status(401) if self.prompts[-1][0] == "inputs" else answer

    judgement = run(
        Dying(STEPS_READER),
        lambda asking: judge_by_trails(asking, executor, specified(RIGHT_STEPS), JudgeSettings()),
    )
    assert (judgement.ruling, judgement.score) == (Ruling.ABSTAINED, None)
    assert judgement.problems
