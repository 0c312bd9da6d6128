"""Triangulation from samples to a decision, with a scripted model and the real sandbox."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence

import pytest

from assay_engine.compare.executor import Executor
from assay_engine.config.settings import Sampling, Thorough
from assay_engine.methods.triangulation.formulas.values import Arguments
from assay_engine.methods.triangulation.problems import header_of
from assay_engine.methods.triangulation.rewriting import shown_by
from assay_engine.methods.triangulation.samples import Forward
from assay_engine.methods.triangulation.solving import Pool, grow
from assay_engine.methods.triangulation.transformations import enumeration
from assay_engine.methods.triangulation.triangulating import Bounds, Triangulation, triangulate
from assay_engine.methods.triangulation.views import View
from assay_engine.sampling.asking import Asking
from assay_engine.types import ProblemKind, Prompt, Reply, Specification
from assay_sandbox import Limits, Program, Sandbox
from support.scripted_model import Answers, ScriptedModel, fenced
from support.specifying import specified

LIMITS = Limits(call_seconds=0.5, total_seconds=6.0)
BOUNDS = Bounds(Thorough(witnesses=4, batch=2, seconds=60.0), Sampling())
PATIENT = Sampling(draw_seconds=10.0, concurrency=2, max_tokens=1000)


@pytest.fixture(scope="module")
def executor() -> Iterator[Executor]:
    with Sandbox() as sandbox:
        yield Executor(sandbox, sandbox, LIMITS)


def specification(header: str, docstring: str) -> Specification:
    text = f'{header}\n    """{docstring}"""\n    return None\n'
    return specified(text)


def forwards(entry: str, *sources: tuple[str, int]) -> list[Forward]:
    return [Forward(Program(source, entry), weight) for source, weight in sources]


def survey(
    *parameters: tuple[str, str],
    result: str = "total",
    several: bool = False,
    elementwise: bool = False,
    length: tuple[str, str] | None = None,
) -> list[str]:
    reply = {
        "result_name": result,
        "several_answers": several,
        "elementwise": elementwise,
        "length_parameter": length and length[0],
        "measured_parameter": length and length[1],
        "parameters": [{"name": name, "values": values} for name, values in parameters],
    }
    return [f"```json\n{json.dumps(reply)}\n```"]


async def tried(
    executor: Executor,
    original: Specification,
    samples: list[Forward],
    inputs: Sequence[Arguments],
    script: dict[str, Answers],
    bounds: Bounds = BOUNDS,
) -> tuple[Triangulation, ScriptedModel]:
    model = ScriptedModel(script)
    found = await triangulate(model, executor, original, samples, inputs, bounds)
    return found, model


PRICE = specification(
    "def price(cents: int, count: int) -> int:",
    "The price of so many items, one of three being free.",
)
# The frequent mistake takes a third off the price; the right one counts free items.
PRICES = forwards(
    "price",
    ("def price(cents, count):\n    return cents * count * 2 // 3\n", 3),
    ("def price(cents, count):\n    return cents * (count - count // 3)\n", 2),
)
PRICE_INPUTS = [(c, n) for c in (5, 7, 20) for n in range(1, 8)]
RESTATED = fenced(
    "def price_sinv_count(total: int, cents: int) -> list[int]:\n"
    '    """List all values of count with this total, one of three items being free."""'
)
WITNESS = fenced(
    "def price_sinv_count(total, cents):\n"
    "    paid, rest = divmod(total, cents)\n"
    "    if rest or paid < 0:\n"
    "        return []\n"
    "    first = paid + (paid - 1) // 2 if paid else 0\n"
    "    return [first, first + 1] if paid % 2 == 0 and paid else [first]\n"
)
SURVEYED = {"[survey]": survey(("count", "few"), ("cents", "one")), "[set_inverse]": [RESTATED]}


async def test_witnesses_select_the_right_minority(executor: Executor) -> None:
    found, model = await tried(
        executor,
        PRICE,
        PRICES,
        PRICE_INPUTS,
        {**SURVEYED, "[solution]": [WITNESS]},
    )
    assert found.selected == 1
    assert found.decisive is not None
    assert found.decisive.plan.name == "FWD-SINV"
    assert found.decisive.agreed
    (refuted,) = found.decisive.refuted
    assert refuted.forward == 0
    assert refuted.got != refuted.chosen
    assert found.drawn.requests == len(model.asked)


async def test_sampling_stops_when_more_witnesses_could_not_change_the_choice(
    executor: Executor,
) -> None:
    script: dict[str, Answers] = {**SURVEYED, "[solution]": [WITNESS]}
    _, model = await tried(
        executor,
        PRICE,
        forwards("price", (PRICES[1].program.source, 5), (PRICES[0].program.source, 2)),
        PRICE_INPUTS,
        script,
        Bounds(Thorough(witnesses=20, batch=4, seconds=60.0), Sampling()),
    )
    assert sum(prompt.name == "solution" for prompt, _ in model.asked) == 8


async def test_a_single_witness_selects_nothing(executor: Executor) -> None:
    wrong = fenced("def price_sinv_count(total, cents):\n    return [total + cents]\n")
    found, _ = await tried(
        executor,
        PRICE,
        PRICES,
        PRICE_INPUTS,
        {**SURVEYED, "[solution]": [WITNESS, wrong, wrong, wrong]},
    )
    assert found.selected is None
    assert "no sample with two witnesses" in found.problems[0].message


BAD_WITNESSES = {
    "hangs": "    while True: pass",
    "explodes": "    return list(range(10 ** 9))",
    "no list": "    return total",
    "unhashable": "    return [{'a': [total]}, {1, 2}, lambda: 0]",
    "rejects all": "    raise ValueError('Invalid input: no')",
    "forges": "    return [__import__('os')._exit(0)]",
    "lists everything": "    return list(range(200))",
    "nothing": "    return None",
}


@pytest.mark.parametrize("body", BAD_WITNESSES.values(), ids=BAD_WITNESSES)
async def test_a_bad_witness_confirms_nobody(executor: Executor, body: str) -> None:
    witness = fenced(f"def price_sinv_count(total, cents):\n{body}\n")
    found, model = await tried(
        executor, PRICE, PRICES, PRICE_INPUTS, {**SURVEYED, "[solution]": [witness]}
    )
    assert found.selected is None
    assert [problem.kind for problem in found.problems] == [ProblemKind.NOT_CONFIRMED]
    # With nobody in agreement after the first batch, no other is drawn.
    assert sum(prompt.name == "solution" for prompt, _ in model.asked) == BOUNDS.thorough.batch


POSITIVE = specification("def positive(x: int) -> bool:", "Whether x is more than zero.")
POSTCONDITION = fenced(
    "def positive_postcondition(x: int, result: bool) -> bool:\n"
    '    """Whether `result` is whether x is more than zero."""'
)


@pytest.mark.parametrize(
    ("body", "selected"),
    [("isinstance(result, bool)", None), ("result == (x > 0)", 0)],
    ids=["takes anything", "tells"],
)
async def test_a_postcondition_that_takes_contrary_answers_confirms_nobody(
    executor: Executor, body: str, selected: int | None
) -> None:
    samples = forwards(
        "positive",
        ("def positive(x):\n    return x > 0\n", 4),
        ("def positive(x):\n    return x >= 0\n", 1),
    )
    witness = f"def positive_postcondition(x, result):\n    return {body}\n"
    found, _ = await tried(
        executor,
        POSITIVE,
        samples,
        [(x,) for x in range(-3, 4)],
        {
            "[survey]": survey(("x", "many"), result="result"),
            "[postcondition]": [POSTCONDITION],
            "[off_by_one]": [APOLOGY],
            "[solution]": [fenced(witness)],
        },
    )
    assert found.selected == selected


APOLOGY = "I am sorry, but I cannot help with that."


@pytest.mark.parametrize("silent", ["[survey]", "[set_inverse]", "[solution]"])
async def test_an_apology_is_a_problem_and_costs_little(executor: Executor, silent: str) -> None:
    script = {**SURVEYED, "[solution]": [WITNESS], silent: [APOLOGY]}
    found, model = await tried(executor, PRICE, PRICES, PRICE_INPUTS, script)
    assert found.selected is None
    assert found.problems[0].kind is ProblemKind.NOT_TRANSFORMED
    assert len(model.asked) <= 7


BAD_REWRITINGS = {
    "another header": (
        'def price_sinv_count(cents: int, total: int) -> list[int]:\n    """With total: count."""',
        "parameters",
    ),
    "mentions the function": (RESTATED[10:-4].replace("this total", "`price` total"), "mentions"),
    "solves it": (f"{RESTATED[10:-4]}\n    return [total // count]", "solves"),
    "forgets the result": (
        'def price_sinv_count(total: int, cents: int) -> list[int]:\n    """All."""',
        "does not mention `total`",
    ),
    "is empty": ('def price_sinv_count(total, cents):\n    """..."""', "empty"),
}


@pytest.mark.parametrize(("text", "reason"), BAD_REWRITINGS.values(), ids=BAD_REWRITINGS)
async def test_a_rewriting_that_changes_the_problem_is_asked_for_again(
    executor: Executor, text: str, reason: str
) -> None:
    def rewriting(prompt: Prompt, sample: int) -> str:
        return (
            RESTATED if reason in prompt.user.rsplit("could not be used", 1)[-1] else fenced(text)
        )

    found, _ = await tried(
        executor,
        PRICE,
        PRICES,
        PRICE_INPUTS,
        {**SURVEYED, "[set_inverse]": rewriting, "[solution]": [WITNESS]},
    )
    assert found.selected == 1


async def test_an_example_that_contradicts_the_original_rejects_a_rewriting(
    executor: Executor,
) -> None:
    original = specification(
        "def twice(n: int) -> int:", "Twice n.\n\n    >>> twice(4)\n    8\n    "
    )
    wrong = fenced(
        'def twice_sinv_n(total: int) -> list[int]:\n    """All n with this total.\n\n'
        '    >>> twice_sinv_n(8)\n    [3]\n    """'
    )
    found, _ = await tried(
        executor,
        original,
        forwards("twice", ("def twice(n):\n    return 2 * n\n", 3)),
        [(n,) for n in range(5)],
        {"[survey]": survey(("n", "one")), "[set_inverse]": [wrong], "[inverse]": [APOLOGY]},
    )
    assert "contradicts" in found.problems[0].message


async def test_time_and_requests_are_bounded(executor: Executor) -> None:
    async def never(prompt: Prompt, sample: int) -> Reply:
        await asyncio.Event().wait()
        raise AssertionError

    model = ScriptedModel({})
    model.reply = never
    bounds = Bounds(Thorough(seconds=0.3), Sampling(draw_seconds=30.0))
    found = await triangulate(model, executor, PRICE, PRICES, PRICE_INPUTS, bounds)
    assert [problem.kind for problem in found.problems] == [ProblemKind.DEADLINE]
    few = Bounds(Thorough(witnesses=8, batch=8, requests=5, seconds=60.0), Sampling())
    found, model = await tried(
        executor, PRICE, PRICES, PRICE_INPUTS, {**SURVEYED, "[solution]": [WITNESS]}, few
    )
    assert len(model.asked) == 5
    assert found.selected == 1  # two witnesses came before the budget was spent
    none = Bounds(Thorough(requests=0, seconds=60.0), Sampling())
    found, _ = await tried(executor, PRICE, PRICES, PRICE_INPUTS, SURVEYED, none)
    assert any("raise thorough.requests to continue" in each.message for each in found.problems)


async def test_an_enumerator_that_explodes_leaves_an_abstention(executor: Executor) -> None:
    original = specification("def pick(xs: list[int]) -> int:", "Return any element of xs.")
    stated = 'def pick_enum(xs: list[int]) -> tuple[bool, list[int]]:\n    """All of xs."""'
    listing = (
        "def pick_sinv_xs_suffix(chosen: int, xs_prefix: list[int]) -> "
        'tuple[bool, list[list[int]]]:\n    """All xs_suffix for chosen."""'
    )
    found, _ = await tried(
        executor,
        original,
        forwards("pick", ("def pick(xs):\n    return xs[0]\n", 4)),
        [([n, n + 1],) for n in range(5)],
        {
            "[survey]": survey(("xs", "many"), result="chosen", several=True),
            "[enumeration]": [fenced(stated)],
            "[partial_inverse]": [fenced(listing)],
            "def pick_enum": [
                fenced("def pick_enum(xs):\n    return (True, list(range(10 ** 9)))\n")
            ],
            "def pick_sinv": [
                fenced("def pick_sinv_xs_suffix(chosen, xs_prefix):\n    return (False, [])\n")
            ],
        },
    )
    assert found.selected is None
    assert {problem.kind for problem in found.problems} == {ProblemKind.NOT_CONFIRMED}


async def test_an_inexact_problem_is_decided_by_enumerators(executor: Executor) -> None:
    original = specification("def near(n: int) -> int:", "Return a neighbour of n.")
    stated = 'def near_enum(n: int) -> tuple[bool, list[int]]:\n    """All neighbours."""'
    listing = 'def near_sinv_n(chosen: int) -> list[int]:\n    """All n with neighbour chosen."""'
    found, _ = await tried(
        executor,
        original,
        forwards(
            "near",
            ("def near(n):\n    return n + 2\n", 3),
            ("def near(n):\n    return n + 1\n", 2),
            ("def near(n):\n    return n - 1\n", 2),
        ),
        [(n,) for n in range(6)],
        {
            "[survey]": survey(("n", "few"), result="chosen", several=True),
            "[enumeration]": [fenced(stated)],
            "[set_inverse]": [fenced(listing)],
            "def near_enum": [fenced("def near_enum(n):\n    return (True, [n - 1, n + 1])\n")],
            "def near_sinv": [
                fenced("def near_sinv_n(chosen):\n    return [chosen - 1, chosen + 1]\n")
            ],
        },
    )
    assert found.decisive is not None
    assert found.decisive.plan.name == "ENUM-SINV"
    assert found.decisive.trusted.programs == (1, 2)
    assert [each.forward for each in found.decisive.refuted] == [0]


async def test_streams_are_inverted_element_by_element(executor: Executor) -> None:
    original = specification("def shifted(xs: list[int]) -> list[int]:", "Add 3 to each of xs.")
    stated = (
        'def shifted_single_sinv_item(made: int) -> tuple[bool, list[int]]:\n    """All of made."""'
    )
    found, _ = await tried(
        executor,
        original,
        forwards("shifted", ("def shifted(xs):\n    return [x + 3 for x in xs]\n", 4)),
        [([n, 2 * n],) for n in range(5)],
        {
            "[survey]": survey(("xs", "one"), result="made", elementwise=True),
            "[partial_inverse]": [fenced(stated)],
            "[solution]": [
                fenced("def shifted_single_sinv_item(made):\n    return (True, [made - 3])\n")
            ],
        },
    )
    assert found.decisive is not None
    assert found.decisive.plan.name == "STREAM(FWD-SINV)"


async def test_a_union_is_inverted_type_by_type(executor: Executor) -> None:
    original = specification("def root(n: int) -> int | None:", "The exact root of n, or None.")
    none = 'def root_sinv_n_none() -> tuple[bool, list[int]]:\n    """All n without a root."""'
    some = 'def root_sinv_n_int(found: int) -> tuple[bool, list[int]]:\n    """All n of found."""'
    found, _ = await tried(
        executor,
        original,
        forwards(
            "root",
            (
                "def root(n):\n    return next((r for r in range(n + 1) if r * r == n), None)\n",
                4,
            ),
        ),
        [(n,) for n in (0, 1, 4, 9, 16, 25, 36, 49, 3)],
        {
            "[survey]": survey(("n", "many"), result="found"),
            "[none_inverse]": [fenced(none)],
            "[partial_inverse]": [fenced(some)],
            "def root_sinv_n_none": [
                fenced("def root_sinv_n_none():\n    return (False, [2, 3, 5, 6, 7, 8])\n")
            ],
            "def root_sinv_n_int": [
                fenced("def root_sinv_n_int(found):\n    return (True, [found * found])\n")
            ],
        },
    )
    assert found.selected == 0


async def test_an_inverse_that_hangs_leaves_an_abstention(executor: Executor) -> None:
    original = specification("def twice(n: int) -> int:", "Twice n.")
    stated = 'def twice_inv_n(total: int) -> int:\n    """A value of n with this total."""'
    hanging = fenced("def twice_inv_n(total):\n    while True:\n        pass\n")
    found, model = await tried(
        executor,
        original,
        forwards("twice", ("def twice(n):\n    return 2 * n\n", 3)),
        [(n,) for n in range(8)],
        {
            "[survey]": survey(("n", "one")),
            "[set_inverse]": [APOLOGY],
            "[inverse]": [fenced(stated)],
            "[solution]": [hanging],
        },
    )
    assert found.selected is None
    assert ProblemKind.NOT_CONFIRMED in {problem.kind for problem in found.problems}
    assert sum(prompt.name == "solution" for prompt, _ in model.asked) == BOUNDS.thorough.batch


async def test_of_two_rewritings_one_that_changes_the_problem_does_no_harm(
    executor: Executor,
) -> None:
    changed = RESTATED.replace("one of three items", "one of two items")
    other = fenced("def price_sinv_count(total, cents):\n    return [2 * (total // cents)]\n")
    found, _ = await tried(
        executor,
        PRICE,
        PRICES,
        PRICE_INPUTS,
        {
            "[survey]": survey(("count", "few"), ("cents", "one")),
            "[set_inverse]": [changed, RESTATED],
            "one of two items being free": [other],
            "one of three items being free": [WITNESS],
        },
    )
    assert found.selected == 1
    assert found.decisive is not None
    read = [each[0].rewriting for each in found.decisive.witnesses]
    assert set(read) == {0, 1}
    assert {read[n] for n in found.decisive.trusted.witnesses} == {1}


async def test_a_rewriting_may_not_mention_the_function_and_is_solved_like_any_other() -> None:
    original = specification(
        "def twice(n: int) -> int:", "Twice n.\n\n    >>> twice(4)\n    8\n    "
    )
    header = header_of(original)
    assert header is not None
    chinese = 'def twice_enum(n: int) -> tuple[bool, list[int]]:\n    """返回 n 的两倍。{}"""'
    mentioning = fenced(chinese.format("如 `twice` 所示。"))

    def restated(prompt: Prompt, sample: int) -> str:
        return fenced(chinese.format("")) if "it mentions `twice`" in prompt.user else mentioning

    solution = fenced("def twice_enum(n):\n    return True, [n + n]\n")
    model = ScriptedModel({"[enumeration]": restated, "返回 n 的两倍": [solution]})
    pool = Pool(original, enumeration(View(header, shown_by(original))))
    await grow(Asking(model, PATIENT), {pool: frozenset()}, 2)
    assert [each.docstring.strip() for each in pool.rewritings] == ["返回 n 的两倍。"]
    assert [each.text.strip() for each in pool.solutions] == [solution[10:-4].strip()] * 2


@pytest.mark.parametrize("slow", [0, 1])
async def test_what_went_wrong_is_said_in_the_order_of_the_rewritings(slow: int) -> None:
    """Whichever of their solutions come first."""
    original = specification("def twice(n: int) -> int:", "Twice n.")
    header = header_of(original)
    assert header is not None
    rewritings = [
        fenced(f'def twice_enum(n: int) -> tuple[bool, list[int]]:\n    """Text {number}."""')
        for number in (0, 1)
    ]
    replies = {0: "I do not know.", 1: fenced("def other(n):\n    return n\n")}
    scripted = ScriptedModel(
        {
            "[enumeration]": rewritings,
            **{f"Text {number}": [reply] for number, reply in replies.items()},
        }
    )

    class Slow:
        name = scripted.name

        async def reply(self, prompt: Prompt, sample: int) -> Reply:
            if f"Text {slow}" in prompt.user:
                await asyncio.sleep(0.05)
            return await scripted.reply(prompt, sample)

    pool = Pool(original, enumeration(View(header, shown_by(original))))
    await grow(Asking(Slow(), PATIENT), {pool: frozenset()}, 2)
    assert ["holds no Python code" in each.message for each in pool.troubles] == [True, False]
    assert len(pool.troubles) == 2
