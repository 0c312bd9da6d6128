"""Messages are cut short; the witnesses beside them hold the values as a whole."""

from __future__ import annotations

from assay_engine.messages.findings import findings
from assay_engine.types import Example, ExampleFailure, Finding, Input, Origin, Span, Witness
from assay_engine.voting.evidence import Evidence, Instability
from assay_engine.voting.verdict import abstained
from assay_sandbox import Call, Returned, encode
from support.specifying import specified

NUMBERS = list(range(100))
FUNCTION = '''
def shuffled(xs: list[int]) -> list[int]:
    """The same numbers in another order."""
'''


def told(evidence: Evidence) -> tuple[Finding, Witness]:
    (finding,) = findings(evidence, abstained())
    assert finding.witness is not None
    return finding, finding.witness


def returned(value: list[int]) -> Returned:
    return Returned(encode(value))


def test_what_two_runs_do() -> None:
    given = Input(Call((NUMBERS,)), Origin.PROPOSED)
    runs = Instability(given, returned(NUMBERS), returned(NUMBERS[::-1]))
    finding, witness = told(Evidence(specified(FUNCTION), instability=runs))
    assert str(NUMBERS) not in finding.message
    assert witness.call == f"shuffled({NUMBERS})"
    assert [each.what for each in witness.outcomes] == [
        f"returns {NUMBERS}",
        f"returns {NUMBERS[::-1]}",
    ]


def test_what_an_example_calls() -> None:
    call = f"shuffled({NUMBERS})"
    failure = ExampleFailure(Example((), call, "[]", True, Span(0, 0)), str(NUMBERS), 0, 0, 0)
    finding, witness = told(Evidence(specified(FUNCTION), failed_examples=(failure,)))
    assert call not in finding.message
    assert witness.call == call
