"""What triangulation changes about a verdict: from a function to its report."""

from __future__ import annotations

import json

from msgspec.structs import replace

from assay_engine.check.context import CheckContext
from assay_engine.check.pipeline import check_unit
from assay_engine.check_unit import CheckUnit
from assay_engine.cli.text import report_lines
from assay_engine.compare.executor import Executor
from assay_engine.compare.statistics import trusted
from assay_engine.config.settings import Settings, Thorough
from assay_engine.dependencies.modules import NO_MODULES
from assay_engine.messages.shortfalls import CONTRADICTORY
from assay_engine.pages.hover import hover_markdown
from assay_engine.types import (
    Code,
    Origin,
    ProblemKind,
    Report,
    Severity,
    SourceText,
    Status,
    Tier,
)
from support.scripted_model import ScriptedModel, Siding, fenced
from support.sessions import session_of
from support.specifying import specified

HEADER = "def price(count: int, cents: int) -> int:"
RIGHT = "    return cents * (count - count // 3)"
WRONG = "    return cents * count * 2 // 3"
DOCSTRING = '    """The price of so many items, one of three being free."""'
SURVEY = {
    "result_name": "total",
    "several_answers": False,
    "elementwise": False,
    "length_parameter": None,
    "measured_parameter": None,
    "parameters": [{"name": "count", "values": "few"}, {"name": "cents", "values": "one"}],
}
RESTATED = (
    "def price_sinv_count(total: int, cents: int) -> list[int]:\n"
    '    """List all count with this total, one of three items being free."""'
)
WRONG_EXAMPLE = DOCSTRING.replace('free."""', 'free.\n\n    >>> price(3, 10)\n    25\n    """')
# Too many to decide by, and too few of a kind to be a reading, but alike where the example is.
STRAYS = [f"{RIGHT} + (0 if (count, cents) == (3, 10) else {extra})" for extra in range(1, 5)]
CALLS = "\n".join(f"price({n}, {cents})" for cents in (5, 7, 20) for n in (1, 2, 3, 4, 5, 7))
# Of nine and more, two are free: no small purchase shows it.
LARGE_WRONG = f"{RIGHT} if count < 9 else cents * (count - 2)"
SMALL_CALLS = "price(1, 5)\nprice(2, 5)\nprice(4, 7)\nprice(5, 20)"
WITNESS = (
    "def price_sinv_count(total, cents):\n"
    "    found = range(0, 400)\n"
    "    return [n for n in found if cents * (n - n // 3) == total]\n"
)


async def report_on(
    executor: Executor,
    own: str,
    candidates: list[str],
    tier: Tier,
    witness: str = WITNESS,
    docstring: str = DOCSTRING,
    calls: str = CALLS,
    preference: str = "SECOND",
    witnesses: int = 4,
    survey: str = json.dumps(SURVEY),
) -> Report:
    text = f"{HEADER}\n{docstring}\n{own}\n"
    specification = specified(text)
    model = ScriptedModel(
        {
            "[candidate]": [fenced(f"{HEADER}\n{body}\n") for body in candidates],
            "[inputs]": [fenced(calls)],
            "[survey]": [survey],
            "[set_inverse]": [fenced(RESTATED)],
            "[solution]": [fenced(witness)],
            "[preference]": Siding(preference),
        }
    )
    settings = Settings(thorough=Thorough(witnesses=witnesses, batch=2, seconds=60.0))
    settings = replace(settings, execution=replace(settings.execution, calls=120))
    subject = CheckUnit(SourceText("shop.py", text), specification, "digest", ())
    context = CheckContext(
        session_of(model), None, executor, settings, lambda _: True, lambda _: None, tier
    )
    return (await check_unit(context, subject, NO_MODULES))[-1]


async def test_witnesses_refute_a_mistake_that_most_candidates_share(
    executor: Executor,
) -> None:
    candidates = [WRONG] * 8 + [RIGHT] * 2
    standard = await report_on(executor, WRONG, candidates, Tier.STANDARD)
    assert standard.triangulation is None
    assert not [each for each in standard.findings if each.code is Code.DIFFERS]
    thorough = await report_on(executor, WRONG, candidates, Tier.THOROUGH)
    assert thorough.verdict.status is Status.SUSPECT
    finding = thorough.findings[0]
    assert finding.code is Code.DIFFERS
    assert finding.witness is not None
    assert finding.witness.call.startswith("price(")
    assert thorough.replacements
    assert "count // 3" in thorough.replacements[0].candidate
    found = thorough.triangulation
    assert found is not None
    assert found.scheme == "FWD-SINV"
    assert found.agreeing == found.witnesses[0].samples
    assert any(each.is_original for each in found.refuted)
    assert thorough.cost.drawn.tokens > found.usage.tokens > 0
    assert "price_sinv_count" in hover_markdown(thorough)
    assert "FWD-SINV" in "\n".join(report_lines(thorough, set(), verbose=True))


async def test_witnesses_raise_the_confidence_in_what_they_confirm(executor: Executor) -> None:
    candidates = [WRONG] * 2 + [RIGHT] * 8
    standard = await report_on(executor, RIGHT, candidates, Tier.STANDARD)
    thorough = await report_on(executor, RIGHT, candidates, Tier.THOROUGH, witnesses=10)
    assert thorough.verdict.status is standard.verdict.status is Status.TRUSTED
    assert standard.verdict.confidence == trusted(8, 10)
    assert thorough.verdict.confidence is not None
    assert thorough.verdict.confidence > standard.verdict.confidence


async def test_few_witnesses_take_nothing_from_the_confidence_in_what_they_confirm(
    executor: Executor,
) -> None:
    thorough = await report_on(executor, RIGHT, [RIGHT] * 10, Tier.THOROUGH)
    assert thorough.verdict.status is Status.TRUSTED
    assert thorough.verdict.confidence == trusted(10, 10)
    assert thorough.triangulation is not None
    assert thorough.triangulation.confirms_original
    assert not thorough.findings


async def test_what_is_documented_to_raise_is_nothing_to_work_back_from(
    executor: Executor,
) -> None:
    body = f"    if count < 1:\n        raise ValueError('count below 1')\n{RIGHT}"
    docstring = DOCSTRING.replace(
        'free."""', 'free.\n\n    Raises ValueError if count < 1.\n    """'
    )
    report = await report_on(
        *(executor, body, [body] * 10, Tier.THOROUGH),
        docstring=docstring,
        calls=f"{CALLS}\nprice(0, 5)\nprice(-3, 7)",
    )
    assert report.verdict.status is Status.TRUSTED
    assert report.triangulation is not None
    assert report.triangulation.confirms_original


async def test_witnesses_save_a_function_that_is_right_and_outvoted(
    executor: Executor,
) -> None:
    candidates = [WRONG] * 8 + [RIGHT] * 2
    standard = await report_on(executor, RIGHT, candidates, Tier.STANDARD)
    assert standard.verdict.status is Status.SUSPECT
    thorough = await report_on(executor, RIGHT, candidates, Tier.THOROUGH)
    assert thorough.verdict.status is Status.ABSTAINED
    assert (thorough.findings, thorough.replacements) == ((), ())
    assert thorough.problems == (CONTRADICTORY,)
    assert thorough.triangulation is not None
    assert thorough.triangulation.confirms_original


async def test_witnesses_outweigh_candidates_where_the_docstring_leaves_it_open(
    executor: Executor,
) -> None:
    report = await report_on(
        executor, RIGHT, [WRONG] * 9 + [RIGHT], Tier.THOROUGH, preference="UNDECIDED"
    )
    assert report.settling
    assert report.verdict.status is Status.ABSTAINED
    assert (report.findings, report.replacements) == ((), ())
    assert report.problems == (CONTRADICTORY,)


async def test_witnesses_accuse_nobody_on_an_input_that_the_docstring_leaves_open(
    executor: Executor,
) -> None:
    report = await report_on(executor, WRONG, [RIGHT] * 10, Tier.THOROUGH, preference="UNDECIDED")
    assert report.triangulation is not None
    assert report.triangulation.refuted
    assert report.verdict.status is Status.AMBIGUOUS
    assert [finding.code for finding in report.findings] == [Code.AMBIGUOUS]


async def test_witnesses_are_not_believed_before_the_docstring_was_looked_at(
    executor: Executor,
) -> None:
    candidates = [WRONG, RIGHT] * 5
    open_ = await report_on(executor, WRONG, candidates, Tier.THOROUGH, preference="UNDECIDED")
    assert open_.triangulation is not None
    assert open_.triangulation.refuted
    assert open_.verdict.status is Status.AMBIGUOUS
    assert [finding.code for finding in open_.findings] == [Code.AMBIGUOUS]
    assert open_.settling


async def test_witnesses_excuse_nothing_that_is_done_beside_returning(
    executor: Executor,
) -> None:
    candidates = [f"{RIGHT} + {extra}" for extra in range(1, 6)] + [RIGHT] * 5
    for own, expected in (
        (RIGHT, Status.TRUSTED),
        (f"    print(count)\n{RIGHT}", Status.ABSTAINED),
    ):
        standard = await report_on(executor, own, candidates, Tier.STANDARD)
        assert standard.verdict.status is Status.ABSTAINED
        thorough = await report_on(executor, own, candidates, Tier.THOROUGH)
        assert thorough.triangulation is not None
        assert thorough.triangulation.confirms_original
        assert thorough.verdict.status is expected


async def test_witnesses_do_not_bear_out_what_depends_on_earlier_calls(
    executor: Executor,
) -> None:
    counting = "    price.calls = getattr(price, 'calls', 0) + 1\n"
    third = f"{counting}    if price.calls == 3:\n        print('third')\n{RIGHT}"
    report = await report_on(executor, third, [RIGHT] * 9 + [third], Tier.THOROUGH)
    assert report.triangulation is not None
    assert report.triangulation.confirms_original
    assert report.verdict.status is Status.ABSTAINED
    (problem,) = report.problems
    assert "depend on earlier calls" in problem.message


async def test_a_survey_is_read_behind_what_the_model_thinks(executor: Executor) -> None:
    thoughts = "<think>Perhaps {count: few}? Or {cents}.</think>\n"
    report = await report_on(
        executor,
        RIGHT,
        [RIGHT] * 8 + [WRONG] * 2,
        Tier.THOROUGH,
        survey=thoughts + json.dumps(SURVEY),
    )
    assert report.triangulation is not None
    assert report.triangulation.scheme == "FWD-SINV"


async def test_no_agreement_says_nothing(executor: Executor) -> None:
    silent = "def price_sinv_count(total, cents):\n    return [total]\n"
    thorough = await report_on(executor, RIGHT, [RIGHT] * 10, Tier.THOROUGH, silent)
    assert thorough.verdict.status is Status.TRUSTED
    assert thorough.verdict.confidence == trusted(10, 10)
    assert thorough.triangulation is not None
    assert thorough.triangulation.scheme is None


async def test_witnesses_settle_what_candidates_leave_open(executor: Executor) -> None:
    candidates = STRAYS + [RIGHT] * 6
    standard = await report_on(executor, RIGHT, candidates, Tier.STANDARD)
    assert standard.verdict.status is Status.ABSTAINED
    assert [each.kind for each in standard.problems] == [ProblemKind.NO_CONSENSUS]
    thorough = await report_on(executor, RIGHT, candidates, Tier.THOROUGH)
    assert thorough.verdict.status is Status.TRUSTED
    assert not thorough.problems


async def test_witnesses_do_not_bear_out_what_an_example_contradicts(
    executor: Executor,
) -> None:
    thorough = await report_on(
        executor, RIGHT, STRAYS + [RIGHT] * 6, Tier.THOROUGH, docstring=WRONG_EXAMPLE
    )
    assert thorough.triangulation is not None
    assert thorough.triangulation.confirms_original
    assert [each.code for each in thorough.findings] == [Code.DOUBTFUL_EXAMPLE]
    assert thorough.verdict.status is Status.AMBIGUOUS
    assert thorough.verdict.confidence is None
    assert not thorough.problems


async def test_witnesses_accuse_on_an_input_on_which_candidates_part(executor: Executor) -> None:
    report = await report_on(
        executor,
        LARGE_WRONG,
        [LARGE_WRONG] * 3 + [RIGHT] * 7,
        Tier.THOROUGH,
        WITNESS.replace("0, 400", "-3000, 3000"),
        calls=f"{SMALL_CALLS}\nprice(40, 90)",
    )
    assert report.verdict.status is Status.SUSPECT
    accusation = report.findings[0]
    assert accusation.severity is Severity.WARNING
    assert accusation.witness is not None
    assert (accusation.witness.call, accusation.witness.origin) == (
        "price(40, 90)",
        Origin.PROPOSED,
    )
    assert not accusation.caveat
