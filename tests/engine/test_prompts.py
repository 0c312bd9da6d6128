"""What a model is shown: code between fences that nothing within it ends."""

from __future__ import annotations

import pytest

from assay_engine.sampling.prompting import candidate_prompt, inputs_prompt
from assay_engine.sampling.reply_blocks import code_blocks
from support.specifying import specified

HELPER = '''\
def helper(value: int) -> int:
    """Twice the value.

    MARKpycon
    >>> helper(2)
    4
    MARK
    """
    return 2 * value


'''
FUNCTION = HELPER.replace("helper", "f").replace("2 * value", "helper(value) + 1")


@pytest.mark.parametrize(("mark", "outer"), [("```", "````"), ("`````", "``````"), ("~~~", "```")])
def test_a_fence_in_a_docstring_ends_no_block(mark: str, outer: str) -> None:
    text = (HELPER + FUNCTION).replace("MARK", mark)
    specification = specified(text, "f")
    for prompt in (
        candidate_prompt(specification, temperature=1.0, max_tokens=100),
        inputs_prompt(specification, temperature=1.0),
    ):
        lines = prompt.user.split("\n")
        assert lines.count(f"{outer}python") == lines.count(outer) == 2
        context, stub = next(code_blocks(prompt.user))
        assert context.strip() == HELPER.replace("MARK", mark).strip()
        assert f"    {mark}pycon\n" in stub
        assert "return" not in stub
