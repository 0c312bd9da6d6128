"""What the prompt for inputs says of parameters that are given functions."""

from __future__ import annotations

import pytest

from assay_engine.sampling.prompting import inputs_prompt
from support.specifying import specified

MADE = '''\
class Day:
    @classmethod
    def made(cls, text{further}):
        """The day of that name."""
        return cls({called})
'''
ASKED = '''\
class Rule:
    def __call__(self, text):
        return text

    def asked(self, text):
        """What it says of the text."""
        return self(text)
'''
TAKEN = '''\
def tried(cls, text):
    """What it gives for the text."""
    return cls(text)
'''
KEPT = "lambdas and Python's own functions"


@pytest.mark.parametrize(
    ("text", "qualname"),
    [(MADE.format(further="", called="text"), "Day.made"), (ASKED, "Rule.asked")],
)
def test_no_function_is_asked_for_as_what_a_call_is_made_on(text: str, qualname: str) -> None:
    assert KEPT not in inputs_prompt(specified(text, qualname), temperature=0.5).user


def test_what_is_given_beside_it_may_be_a_function() -> None:
    own = specified(MADE.format(further=", key", called="key(text)"), "Day.made")
    assert f"For `key`, {KEPT} may be written" in inputs_prompt(own, temperature=0.5).user


def test_a_function_may_call_a_parameter_whatever_it_calls() -> None:
    assert f"For `cls`, {KEPT}" in inputs_prompt(specified(TAKEN), temperature=0.5).user
