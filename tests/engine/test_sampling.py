"""Draws of several samples against a server that misbehaves: partial results and clear problems."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from assay_engine.advice import Advice
from assay_engine.config.settings import Endpoint, Sampling
from assay_engine.models import (
    CircuitBreaker,
    Forbidden,
    OpenAIModel,
    Recorder,
    ReplayModel,
)
from assay_engine.sampling.sampling import draw, draw_all
from assay_engine.store import open_store
from assay_engine.types import Draw, Model, ProblemKind, Prompt, Reply, Usage
from support.openai_server import (
    Behaviour,
    OpenAIServer,
    Request,
    answer,
    completion,
    drop,
    empty_choice,
    huge,
    ok,
    stall,
    status,
    truncated,
)
from support.sessions import session_of

PROMPT = Prompt("candidate", 1, "", "def f(): ...", 1.0, 100)
# Longer than a busy machine takes: who answers is never taken for who does not.
PATIENT_SECONDS = 30.0
PATIENT = Sampling(request_seconds=PATIENT_SECONDS, retries=1)
UNAVAILABLE = ProblemKind.MODEL_UNAVAILABLE
REJECTED = ProblemKind.REPLY_UNUSABLE


def model_at(server: OpenAIServer, sampling: Sampling = PATIENT) -> OpenAIModel:
    return OpenAIModel(Endpoint(server.base_url, "test-model"), sampling)


async def draw_ten(model: Model, *, deadline: float = 60, concurrency: int = 8) -> Draw:
    return await draw(model, PROMPT, range(10), deadline_seconds=deadline, concurrency=concurrency)


def faults_then_ok(fault: Behaviour, times: int) -> list[Behaviour]:
    return [fault] * times + [ok("fine")]


@pytest.mark.parametrize(
    ("fault", "kind", "said", "seconds"),
    [
        (status(429, headers={"Retry-After": "0.1"}), UNAVAILABLE, "rate limit", PATIENT_SECONDS),
        (status(500), UNAVAILABLE, "keeps failing (HTTP 500", PATIENT_SECONDS),
        (drop, UNAVAILABLE, "closes the connection", PATIENT_SECONDS),
        (truncated, REJECTED, "breaks off or is not JSON", PATIENT_SECONDS),
        (empty_choice, REJECTED, "an empty reply", PATIENT_SECONDS),
        (huge, REJECTED, "more than 1,000,000 bytes", PATIENT_SECONDS),
        (stall(60), UNAVAILABLE, "did not answer within 1 s", 1.0),
    ],
)
async def test_a_fault_of_the_endpoint_costs_its_sample_and_leaves_the_cache_usable(
    tmp_path: Path, fault: Behaviour, kind: ProblemKind, said: str, seconds: float
) -> None:
    # One at a time and without retries, so that exactly the first two samples meet the fault.
    sampling = Sampling(request_seconds=seconds, retries=0)
    with (
        open_store(tmp_path / "cache.sqlite3") as store,
        OpenAIServer(faults_then_ok(fault, 2)) as server,
    ):
        model = session_of(model_at(server, sampling), store=store)
        first = await draw_ten(model, concurrency=1)
        assert [reply.sample for reply in first.replies] == list(range(2, 10))
        (problem,) = first.problems
        assert problem.kind is kind
        unusable = kind is REJECTED
        what = "replies are unusable" if unusable else "requests failed"
        assert problem.message.startswith(f"2 of 10 {what}: 127.0.0.1:")
        assert said in problem.message

        asked = len(server.requests)
        second = await draw_ten(model)
        assert len(second.replies) == 10
        assert second.problems == ()
        assert len(server.requests) == asked + 2, "only the missing two are asked for again"
        drawn_now = [reply.usage for reply in second.replies if not reply.cached]
        assert drawn_now == [Usage(1, 11, 7)] * 2


@pytest.mark.parametrize("fault", [status(500), status(401), drop])
async def test_a_model_that_is_down_is_given_up_before_every_sample_has_failed(
    fault: Behaviour,
) -> None:
    with OpenAIServer([fault]) as server:
        drawn = await draw(model_at(server), PROMPT, range(40), deadline_seconds=60, concurrency=2)
        assert len(server.requests) < 20
    assert drawn.replies == ()
    (problem,) = drawn.problems
    assert problem.kind is UNAVAILABLE
    assert problem.message.startswith("127.0.0.1:")
    numbers = r"\. \(\d+ of 40 requests failed and \d+ more were given up\.\)$"
    assert re.search(numbers, problem.message)


async def test_cached_replies_do_not_pass_for_a_model_that_answers(tmp_path: Path) -> None:
    with open_store(tmp_path / "cache.sqlite3") as store:
        with OpenAIServer([ok("fine")]) as server:
            model = session_of(model_at(server), store=store)
            await draw(model, PROMPT, range(3), deadline_seconds=60, concurrency=3)
        with OpenAIServer([status(401)]) as server:
            model = session_of(model_at(server), store=store)
            drawn = await draw(model, PROMPT, range(40), deadline_seconds=60, concurrency=2)
            assert len(server.requests) < 20
    assert len(drawn.replies) == 3


async def test_failures_among_successes_do_not_end_the_draw() -> None:
    def every_second(request: Request) -> Behaviour:
        return status(400, "odd one out") if request.number % 2 else ok("fine")

    with OpenAIServer(every_second) as server:
        drawn = await draw_ten(model_at(server), concurrency=1)
    assert len(drawn.replies) == 5
    (problem,) = drawn.problems
    assert problem.message.startswith("5 of 10 requests failed: ")


async def test_what_has_come_by_the_deadline_is_kept_and_the_rest_is_closed() -> None:
    def first_four(request: Request) -> Behaviour:
        return ok("fine") if request.number < 4 else stall(60)

    with OpenAIServer(first_four) as server:
        sampling = Sampling(request_seconds=60.0)
        drawn = await draw_ten(model_at(server, sampling), deadline=3, concurrency=4)
        assert len(drawn.replies) == 4
        (problem,) = drawn.problems
        assert problem.kind is ProblemKind.DEADLINE
        assert problem.message.startswith("6 of 10 replies had not come after 3 s")
        async with asyncio.timeout(30):
            while server.hang_ups < 4:
                await asyncio.sleep(0.01)


async def test_cancelling_a_draw_closes_its_requests() -> None:
    with OpenAIServer([stall(60)]) as server:
        drawing = asyncio.create_task(draw_ten(model_at(server, Sampling()), concurrency=5))
        async with asyncio.timeout(30):
            while len(server.requests) < 5:
                await asyncio.sleep(0.01)
            drawing.cancel()
            with pytest.raises(asyncio.CancelledError):
                await drawing
            while server.hang_ups < 5:
                await asyncio.sleep(0.01)
        assert len(server.requests) == 5


async def test_no_more_requests_are_open_than_allowed_and_replies_come_in_sample_order() -> None:
    open_now: list[int] = []
    most = 0

    class Counting:
        name = "counting"

        async def reply(self, prompt: Prompt, sample: int) -> Reply:
            nonlocal most
            open_now.append(sample)
            most = max(most, len(open_now))
            await asyncio.sleep(0.001 * (10 - sample))
            open_now.remove(sample)
            return Reply(str(sample), sample, Usage(1), cached=False)

    drawn = await draw_ten(Counting(), concurrency=3)
    assert most == 3
    assert [reply.sample for reply in drawn.replies] == list(range(10))


async def test_different_failures_of_a_kind_are_one_problem_led_by_the_most_frequent() -> None:
    def mixed(request: Request) -> Behaviour:
        return [ok("fine"), empty_choice, truncated, truncated][min(request.number, 3)]

    with OpenAIServer(mixed) as server:
        drawn = await draw_ten(model_at(server), concurrency=1)
    (problem,) = drawn.problems
    assert problem.message.startswith("9 of 10 replies are unusable: most often: 127.0.0.1")
    assert "not JSON" in problem.message


async def test_a_model_that_is_asked_no_more_for_its_unusable_replies_has_one_problem() -> None:
    with OpenAIServer([empty_choice]) as server:
        model = CircuitBreaker(model_at(server))
        for user in "ab":
            await draw(model, replace(PROMPT, user=user), [0], deadline_seconds=60, concurrency=1)
        asked = len(server.requests)
        first = await draw(model, PROMPT, range(20), deadline_seconds=60, concurrency=1)
        sent = len(server.requests) - asked
        second = await draw_ten(model)
        assert len(server.requests) == asked + sent
    (problem,) = first.problems
    assert problem.kind is REJECTED
    assert problem.message.startswith(
        f"{sent} replies are unusable and no more were asked for: 127.0.0.1:"
    )
    (problem,) = second.problems
    assert "sent an empty reply; try again or choose another model. (" in problem.message
    assert " of 10 requests could not be sent" in problem.message


async def test_requests_that_are_refused_alike_have_one_reason() -> None:
    drawn = await draw_ten(Forbidden("test-model"))
    (problem,) = drawn.problems
    assert problem.message == (
        "No stored reply for this function: its signature, docstring or imports may have changed "
        f"since; {Advice.NOT_OFFLINE}."
    )


async def test_a_mistake_of_ours_is_no_problem_of_the_models() -> None:
    class Broken:
        name = "broken"

        async def reply(self, prompt: Prompt, sample: int) -> Reply:
            raise TimeoutError("a mistake that looks like a deadline")

    with pytest.raises(TimeoutError, match="a mistake"):
        await draw_ten(Broken())


async def test_offline_the_cached_samples_are_drawn_and_the_others_named(tmp_path: Path) -> None:
    with open_store(tmp_path / "cache.sqlite3") as store, OpenAIServer([ok("fine")]) as server:
        online = session_of(model_at(server), store=store)
        await draw(online, PROMPT, [0, 7], deadline_seconds=60, concurrency=2)
        offline = session_of(Forbidden(online.name), store=store)
        drawn = await draw_ten(offline, concurrency=1)
        assert len(server.requests) == 2
    assert [reply.sample for reply in drawn.replies] == [0, 7]
    assert all(reply.cached for reply in drawn.replies)
    (problem,) = drawn.problems
    assert problem.kind is ProblemKind.OFFLINE
    missing = "8 of 10 replies to the prompt `candidate` are missing; "
    assert problem.message == f"{missing}{Advice.NOT_OFFLINE}."


async def test_replaying_a_recorded_draw_gives_the_same_draw_without_a_request(
    tmp_path: Path,
) -> None:
    transcript = tmp_path / "replies.jsonl"
    with OpenAIServer([ok("a"), empty_choice, truncated, ok("b")]) as server:
        recording = session_of(
            model_at(server), recorder=Recorder(transcript, model_at(server).name)
        )
        live = await draw_ten(recording, concurrency=1)
    replayed = await draw_ten(ReplayModel(transcript))
    assert [(r.sample, r.text) for r in replayed.replies] == [
        (r.sample, r.text) for r in live.replies
    ]
    assert replayed.problems == live.problems
    assert all(reply.cached for reply in replayed.replies)
    assert await draw_ten(ReplayModel(transcript), concurrency=1) == replayed


async def test_several_prompts_take_turns_however_long_replies_take() -> None:
    prompts = [replace(PROMPT, user=user) for user in "ab"]

    class Counting:
        name = "counting"

        def __init__(self) -> None:
            self.asked: list[str] = []
            self.under_way = self.most = 0

        async def reply(self, prompt: Prompt, sample: int) -> Reply:
            self.asked.append(f"{prompt.user}{sample}")
            self.under_way += 1
            self.most = max(self.most, self.under_way)
            await asyncio.sleep(0.03 if prompt.user == "a" else 0.001 * sample)
            self.under_way -= 1
            return Reply(prompt.user, sample, Usage(1, 1, 1), cached=False)

    model = Counting()
    wanted = [(prompts[0], range(5)), (prompts[1], range(3))]
    drawn = await draw_all(model, wanted, deadline_seconds=60, concurrency=3)
    assert model.asked == ["a0", "b0", "a1", "b1", "a2", "b2", "a3", "a4"]
    assert model.most == 3
    assert [[reply.sample for reply in each.replies] for each in drawn] == [
        [*range(5)],
        [*range(3)],
    ]
    assert {reply.text for reply in drawn[1].replies} == {"b"}


async def test_copies_of_one_response_are_one_sample() -> None:
    """A caching proxy, or a server with a pinned seed, answers every request alike."""
    copied = answer(completion("the same", id="chatcmpl-again"))
    with OpenAIServer([copied]) as server:
        model = OpenAIModel(Endpoint(server.base_url, "m"), PATIENT)
        drawn = await draw(model, PROMPT, range(4), deadline_seconds=60, concurrency=4)
    assert [reply.text for reply in drawn.replies] == ["the same"]
    (problem,) = drawn.problems
    assert problem.kind is ProblemKind.REPLY_REJECTED
    assert problem.message.startswith("3 of 4 replies are copies")


async def test_equal_texts_of_several_responses_are_several_samples() -> None:
    with OpenAIServer([ok("the same")]) as server:
        model = OpenAIModel(Endpoint(server.base_url, "m"), PATIENT)
        drawn = await draw(model, PROMPT, range(4), deadline_seconds=60, concurrency=4)
    assert (len(drawn.replies), drawn.problems) == (4, ())
