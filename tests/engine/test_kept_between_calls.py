"""Functions that keep something from call to call, which no single call shows again."""

from __future__ import annotations

from assay_engine.compare.executor import Executor
from assay_engine.types import ProblemKind, Status
from support.trials import put_on_trial, scripted

NUMBERED = '''
_numbers: dict[str, int] = {}


def number_of(name: str) -> int:
    """The number of a name: names are numbered from 1 in the order in which they are first given,
    and a name keeps its number."""
    _numbers[name] = len(_numbers) + 1
    return _numbers[name]
'''
KEEPING = NUMBERED.replace(
    "    _numbers[name] = len(_numbers) + 1\n",
    "    if name not in _numbers:\n        _numbers[name] = len(_numbers) + 1\n",
)
ONCE = [f"number_of({name!r})" for name in ("x", "y", "z", "one", "two", "three", "four", "five")]
AGAIN = [
    "a = number_of('x'); number_of('x')",
    "a = number_of('p'); b = number_of('q'); number_of('p')",
]


async def test_what_earlier_calls_had_a_part_in_is_shown_as_it_is_by_itself(
    executor: Executor,
) -> None:
    model = scripted([KEEPING], [*ONCE, *AGAIN])
    report = await put_on_trial(executor, NUMBERED, "number_of", model)
    assert report.verdict.status is Status.SUSPECT
    assert report.findings[0].message.startswith(
        "a = number_of('x'); number_of('x'): all 10 candidates return 1, this returns 2"
    )


async def test_what_differs_and_does_not_recur_is_not_found_right(executor: Executor) -> None:
    # The third name is another one, and that shows in no call by itself.
    counting = KEEPING.replace("    return _numbers[name]", "    return min(_numbers[name], 2)")
    model = scripted([KEEPING], [*ONCE, *AGAIN])
    report = await put_on_trial(executor, counting, "number_of", model)
    assert report.verdict.status is Status.ABSTAINED
    (problem,) = report.problems
    assert problem.kind is ProblemKind.NO_CONSENSUS
    assert problem.message.startswith("It differed from the candidates on ")
    assert "but not repeatably" in problem.message


async def test_what_keeps_its_state_as_the_candidates_do_is_found_right(
    executor: Executor,
) -> None:
    model = scripted([KEEPING], [*ONCE, *AGAIN])
    report = await put_on_trial(executor, KEEPING, "number_of", model)
    assert report.verdict.status is Status.TRUSTED
