"""Functions on tables of pandas: right ones are found right, and wrong ones found out."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from assay_engine.compare.executor import Executor, open_executor
from assay_engine.types import Severity, Status
from assay_sandbox import Limits
from support.scripted_model import ScriptedModel, Siding, fenced
from support.trials import put_on_trial, scripted

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def executor() -> Iterator[Executor]:
    # Importing pandas alone takes longer than most programs.
    limits = Limits(call_seconds=20.0, load_seconds=60.0, total_seconds=90.0)
    with open_executor(limits) as opened:
        yield opened


# Every round imports pandas anew.
CALLS = 60


def written(body: str) -> str:
    return (
        "import pandas as pd\n\n\ndef totals(sales: pd.DataFrame) -> pd.DataFrame:\n"
        '    """The amount of each shop, summed up, with a column "shop" and one "amount"."""\n'
        f"    {body}\n"
    )


SUMMED = written('return sales.groupby("shop", as_index=False)["amount"].sum()')
LARGEST = written('return sales.groupby("shop", as_index=False)["amount"].max()')
INPUTS = [
    f"totals(pd.DataFrame({{'shop': {shops}, 'amount': {amounts}}}))"
    for shops, amounts in (
        (["x", "x", "y"], [1, 2, 3]),
        (["x", "y"], [1, 2]),
        (["y", "x", "y"], [5, 7, 9]),
        (["z"], [4]),
        (["z", "z"], [4, 4]),
    )
]


async def test_a_function_that_returns_a_right_table_is_found_right(
    executor: Executor,
) -> None:
    report = await put_on_trial(executor, SUMMED, "totals", scripted([SUMMED] * 10, INPUTS), CALLS)
    assert report.verdict.status is Status.TRUSTED, report
    assert [each for each in report.findings if each.severity is not Severity.HINT] == []


async def test_a_function_that_returns_a_wrong_table_is_found_out(executor: Executor) -> None:
    report = await put_on_trial(executor, LARGEST, "totals", scripted([SUMMED] * 10, INPUTS), CALLS)
    (finding, *_) = [each for each in report.findings if each.severity is not Severity.HINT]
    assert finding.message.startswith(
        "totals(pd.DataFrame({'shop': ['z', 'z'], 'amount': [4, 4]})): "
        "all 10 candidates return pd.DataFrame("
    )
    assert finding.message.endswith("this returns pd.DataFrame({… 'amount': [4]})")


SPREAD = (
    "import numpy as np\n\n\ndef spread(values: np.ndarray) -> float:\n"
    '    """The largest value less the smallest one."""\n    return float({})\n'
)


async def test_arrays_are_shown_as_they_were_written(executor: Executor) -> None:
    right = SPREAD.format("values.max() - values.min()")
    # Right as long as the largest value is positive.
    wrong = SPREAD.format("max(0, values.max()) - values.min()")
    proposed = [f"spread(np.array({each}))" for each in ([1, 5, 3], [2], [-1, 4], [-2, -1])]
    report = await put_on_trial(executor, wrong, "spread", scripted([right] * 10, proposed), CALLS)
    (finding,) = report.findings
    assert finding.witness is not None
    assert finding.witness.call == "spread(np.array([-2, -1]))"
    found = await put_on_trial(executor, right, "spread", scripted([right] * 10, proposed), CALLS)
    assert found.verdict.status is Status.TRUSTED


async def test_an_array_is_no_list_because_it_is_written(executor: Executor) -> None:
    text = (
        "import numpy as np\n\n\ndef twice(xs: list[int]) -> list[int]:\n"
        '    """The numbers twice over, in order."""\n    np.zeros(1)\n    return xs + xs\n'
    )
    candidate = text.replace("xs + xs", "[*xs, *xs]")
    proposed = ["twice([1, 2])", "twice([])", "twice(np.array([1, 2]))", "twice(np.array([3]))"]
    report = await put_on_trial(executor, text, "twice", scripted([candidate], proposed), 600)
    assert report.verdict.status is Status.TRUSTED


async def test_arrays_of_whatever_lies_in_memory_are_no_inputs(executor: Executor) -> None:
    text = (
        "import numpy as np\nimport pandas as pd\n\n\n"
        "def doubled(values: np.ndarray | pd.Series) -> np.ndarray | pd.Series:\n"
        '    """All values twice as large."""\n    return values * 2\n'
    )
    candidate = text.replace("values * 2", "values + values")
    shapes = ("0", "(0, 3)", "9", "(3, 0)", "(40, 40)")
    proposed = [f"doubled(np.empty({shape}))" for shape in shapes]
    proposed += [f"doubled(pd.Series(np.empty({shape})))" for shape in ("0", "30")]
    proposed += ["doubled(np.array([1.5, 2]))", "doubled(np.ones((2, 2)))"]
    report = await put_on_trial(executor, text, "doubled", scripted([candidate], proposed), 1200)
    assert report.verdict.status is Status.TRUSTED
    assert report.findings == ()


async def test_an_integer_of_many_digits_ends_no_check(executor: Executor) -> None:
    right = SPREAD.format("values.max() - values.min()")
    proposed = [f"spread(np.array([{'9' * 4300}]))", "spread(np.array([1, 4]))"]
    report = await put_on_trial(executor, right, "spread", scripted([right] * 10, proposed), 600)
    assert report.verdict.inputs_run == len(proposed)


GAIN = (
    "import numpy as np\nimport pandas as pd\n\n\ndef gain(prices: pd.Series) -> float:\n"
    '    """The last price less the first, without those that are missing."""\n    {}\n'
)


async def test_inputs_are_written_with_what_the_module_has(executor: Executor) -> None:
    wrong = GAIN.format("return float(prices.iloc[-1] - prices.iloc[0])")
    right = GAIN.format("known = prices.dropna()\n    return float(known.iloc[-1] - known.iloc[0])")
    proposed = [
        f"gain(pd.Series({each}))" for each in ("[1.0, 2.0]", "np.array([3.0, np.nan])", "[5.0]")
    ]
    report = await put_on_trial(executor, wrong, "gain", scripted([right] * 10, proposed), 600)
    assert report.verdict.status is Status.SUSPECT
    assert report.findings[0].witness is not None
    assert report.findings[0].witness.call == "gain(pd.Series(np.array([3.0, np.nan])))"
    (replacement,) = report.replacements
    assert "+    known = prices.dropna()" in replacement.diff


NAMED = '''
import pandas as pd


def totals(sales: pd.DataFrame) -> pd.Series:
    """The sum of the column `sold` for each `shop`{promise}, shops in alphabetical order."""
    return sales.groupby("shop")["sold"].sum(){more}
'''
NAMELESS = """\
def totals(sales):
    shops = sorted(set(sales["shop"]))
    found = [sales["sold"][sales["shop"] == shop].sum() for shop in shops]
    labels = pd.Index(shops, dtype=sales["shop"].dtype)
    return pd.Series(found, index=labels, dtype=sales["sold"].dtype)
"""
SALES = [
    f"totals(pd.DataFrame({{'shop': {shops}, 'sold': {sold}}}))"
    for shops, sold in (
        (["N", "S", "N"], [1, 2, 3]),
        (["S"], [5]),
        (["b", "a", "c"], [0, 1, -2]),
        (["x", "x"], [2.5, 0.5]),
    )
]


@pytest.mark.parametrize(
    ("promise", "more", "reading", "status"),
    [
        ("", "", "UNDECIDED", Status.TRUSTED),
        ("", ".rename('total')", "UNDECIDED", Status.TRUSTED),
        ("", ".rename_axis('by shop')", "UNDECIDED", Status.TRUSTED),
        ("", " + 1", "SECOND", Status.SUSPECT),
        (", without a name", "", "SECOND", Status.SUSPECT),
        (", its index without a name", ".rename(None)", "SECOND", Status.SUSPECT),
        (", its index without a name", ".rename(None).rename_axis(None)", "SECOND", Status.TRUSTED),
    ],
)
async def test_names_count_where_the_docstring_promises_them(
    executor: Executor, promise: str, more: str, reading: str, status: Status
) -> None:
    text = NAMED.format(promise=promise, more=more)
    model = ScriptedModel(
        {
            "[candidate]": [fenced(NAMELESS)],
            "[inputs]": [fenced("\n".join(SALES))],
            "[preference]": Siding(reading),
        }
    )
    report = await put_on_trial(executor, text, "totals", model, CALLS)
    assert report.verdict.status is status


async def test_one_table_too_deep_to_be_written_again_ends_no_check(
    executor: Executor,
) -> None:
    nested = NAMELESS.replace("return pd.Series(", "found = pd.Series(") + (
        "    for _ in range(97):\n        found = [found]\n    return found\n"
    )
    model = scripted([nested, *[NAMELESS] * 9], SALES)
    text = NAMED.format(promise="", more=".rename(None).rename_axis(None)")
    report = await put_on_trial(executor, text, "totals", model, 600)
    assert report.verdict.status is Status.TRUSTED
