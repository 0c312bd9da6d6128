"""Functions on tables of pandas: right ones are found right, and wrong ones found out."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from assay_engine.running.laboratory import Laboratory
from assay_engine.types import Severity, Status
from assay_sandbox import Limits, Sandbox, Surroundings
from support.trials import put_on_trial, scripted

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def laboratory() -> Iterator[Laboratory]:
    with (
        Sandbox() as one,
        Sandbox(surroundings=Surroundings(hash_seed=1, random_seed=1)) as two,
    ):
        # Importing pandas alone takes longer than most programs.
        limits = Limits(call_seconds=20.0, load_seconds=60.0, total_seconds=90.0)
        yield Laboratory(one, two, limits)


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
    laboratory: Laboratory,
) -> None:
    report = await put_on_trial(
        laboratory, SUMMED, "totals", scripted([SUMMED] * 10, INPUTS), CALLS
    )
    assert report.verdict.status is Status.TRUSTED, report
    assert [each for each in report.findings if each.severity is not Severity.HINT] == []


async def test_a_function_that_returns_a_wrong_table_is_found_out(laboratory: Laboratory) -> None:
    report = await put_on_trial(
        laboratory, LARGEST, "totals", scripted([SUMMED] * 10, INPUTS), CALLS
    )
    (finding, *_) = [each for each in report.findings if each.severity is not Severity.HINT]
    assert finding.message.startswith(
        "totals(pd.DataFrame({'shop': ['z', 'z'], 'amount': [4, 4]})): "
        "all 10 candidates return pandas.DataFrame("
    )
    assert finding.message.endswith("this returns pandas.DataFrame({'shop': ['z…nt': [4]})")
