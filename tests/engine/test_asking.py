"""What is asked again, and how, where a reply is no answer."""

from __future__ import annotations

import asyncio

import pytest

from assay_engine.config.settings import Sampling
from assay_engine.errors import ModelError, ModelUnavailable, ReplyUnusable
from assay_engine.sampling.asking import SAMPLES_PER_RUN, Asking, corrected
from assay_engine.types import ProblemKind, Prompt, Reply
from support.scripted_model import ScriptedModel

PROMPT = Prompt("two_words", 1, "", "Say a number.", 1.0, 100)
SAMPLING = Sampling(draw_seconds=30.0)


def number(text: str) -> int | None:
    return int(text) if text.isdigit() else None


def number_or_why(text: str) -> int | str:
    return int(text) if text.isdigit() else f"{text} is no number"


class Failing(ScriptedModel):
    """Fails in this way before it says 7."""

    def __init__(self, error: ModelError) -> None:
        super().__init__({"number": ["7"]})
        self._error = error

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        reply = await super().reply(prompt, sample)
        if len(self.asked) == 1:
            raise self._error
        return reply


@pytest.mark.parametrize(("rerun", "first"), [(0, 0), (3, 3 * SAMPLES_PER_RUN)])
async def test_each_vote_of_each_run_has_its_own_samples(rerun: int, first: int) -> None:
    model = ScriptedModel({"number": ["none"]})
    asking = Asking(model, SAMPLING, rerun=rerun)
    found = await asking.answers(*(asking.dialogue(PROMPT, number, vote=vote) for vote in (0, 1)))
    assert found == (None, None)
    assert model.asked == [(PROMPT, first + sample) for sample in (0, 2, 1, 3)]
    assert asking.usage.requests == 4
    assert asking.problems == ()


async def test_a_vote_beyond_the_room_for_them_would_be_one_of_another_run() -> None:
    asking = Asking(ScriptedModel({"number": ["7"]}), SAMPLING)
    with pytest.raises(ValueError, match="8 samples of a prompt, not 9"):
        await asking.answer(asking.dialogue(PROMPT, number, vote=4))


async def test_a_reply_that_is_no_completion_is_asked_for_once_more() -> None:
    model = Failing(ReplyUnusable("Nothing was said."))
    asking = Asking(model, SAMPLING)
    assert await asking.answer(asking.dialogue(PROMPT, number)) == 7
    assert model.asked == [(PROMPT, 0), (PROMPT, 1)]
    assert asking.problems == ()


async def test_who_cannot_be_reached_is_not_asked_again() -> None:
    model = Failing(ModelUnavailable("Nobody is there."))
    asking = Asking(model, SAMPLING)
    assert await asking.answer(asking.dialogue(PROMPT, number)) is None
    assert model.asked == [(PROMPT, 0)]
    assert [each.kind for each in asking.problems] == [ProblemKind.MODEL_UNAVAILABLE]


async def test_what_was_wrong_is_told_in_another_prompt_of_the_same_sample() -> None:
    model = ScriptedModel({"seven is no number": ["7"], "number": ["seven"]})
    answer = await Asking(model, SAMPLING).answer(corrected(PROMPT, number_or_why, 1))
    assert answer.value == 7
    assert answer.problem is None
    (_, first), (again, second) = model.asked
    assert first == second == 1
    assert again.user == (
        "Say a number.\n\nAn earlier reply could not be used: seven is no number. "
        "Reply again, in the form asked for."
    )


async def test_two_replies_of_no_use_are_a_problem_that_says_why() -> None:
    model = ScriptedModel({"number": ["seven"]})
    answer = await Asking(model, SAMPLING).answer(corrected(PROMPT, number_or_why))
    assert answer.value is None
    assert answer.problem is not None
    assert answer.problem.kind is ProblemKind.NOT_TRANSFORMED
    assert answer.problem.message == (
        "The model gave no usable two words: seven is no number. Try a larger model."
    )
    assert len(model.asked) == 2


async def test_nothing_is_to_be_told_where_no_reply_came() -> None:
    model = Failing(ReplyUnusable("Nothing was said."))
    answer = await Asking(model, SAMPLING).answer(corrected(PROMPT, number_or_why))
    assert answer.problem is not None
    assert answer.problem.kind is ProblemKind.REPLY_UNUSABLE
    assert len(model.asked) == 1


@pytest.mark.parametrize("shared", [True, False])
async def test_who_waits_for_a_slot_that_is_shared_has_the_deadline_still(shared: bool) -> None:
    class Stuck(ScriptedModel):
        async def reply(self, prompt: Prompt, sample: int) -> Reply:
            if sample == 0:
                await asyncio.Event().wait()
            return await super().reply(prompt, sample)

    sampling = Sampling(draw_seconds=1.0, concurrency=1)
    model = Stuck({"number": ["7"]})
    asking = Asking.in_slots(model, sampling) if shared else Asking(model, sampling)
    found = await asking.answers(*(asking.dialogue(PROMPT, number, vote=vote) for vote in (0, 1)))
    assert found == (None, 7 if shared else None)
    assert {each.kind for each in asking.problems} == {ProblemKind.DEADLINE}
