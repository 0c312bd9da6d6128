"""Which checks run, wait and end: the queue by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, cast

import pytest
from lsprotocol import types

from assay_lsp.asking import CheckRequest, Consent
from assay_lsp.checks import RUNNING_MAX, WAITING_MAX, Checks
from assay_lsp.client import ClientSettings
from assay_lsp.convert import PositionedText
from assay_lsp.documents import Documents, TextDocument
from assay_lsp.engine_access import Pending
from assay_lsp.folders import Folders
from assay_lsp.notices import Notices, Questions
from assay_lsp.settings import ServerSettings


def request(name: str, text: str = "", *functions: str, **how: bool) -> CheckRequest:
    document = TextDocument(f"file:///{name}.py", "python", 1, PositionedText.of(text))
    return CheckRequest(document, frozenset(functions) or None, **how)


class Bench:
    """Grants requests when told to, and writes down what happens."""

    def __init__(self) -> None:
        self.log: list[str] = []
        self.release = asyncio.Event()
        self.stopped: list[str] = []
        self.given_up: list[str] = []
        self.said: list[str] = []
        service, nothing = cast("Any", (self, None))
        folders = Folders([], lambda _: (ServerSettings(), ()), nothing)
        folders.resolve()
        self.client_settings = ClientSettings(partial(asyncio.sleep, 0))
        self.checks = Checks(
            service,
            folders,
            Documents(),
            self.client_settings,
            Notices(
                lambda shown: self.said.append(shown.message),
                Questions(nothing, nothing, None),
            ),
        )

    def show_stopped(self, document: TextDocument) -> None:
        self.stopped.append(document.uri)

    async def give_up(self, document: TextDocument) -> None:
        self.given_up.append(document.uri)

    async def grant(
        self, request: CheckRequest, begun: Callable[[], None], stop: Callable[[], None]
    ) -> None:
        name = request.document.uri[8:-3] + request.document.text.content
        self.log.append(f"start {name}")
        self.stop = stop
        begun()
        try:
            await self.release.wait()
            self.log.append(f"end {name}")
        except asyncio.CancelledError:
            self.log.append(f"cancel {name}")
            raise

    async def turn(self) -> None:
        for _ in range(10):
            await asyncio.sleep(0)


@pytest.fixture
async def bench() -> Bench:
    return Bench()


async def test_one_check_per_document_and_a_few_in_all(bench: Bench) -> None:
    for name in "aabbccdd":
        bench.checks.request(request(name))
    await bench.turn()
    assert bench.log == ["start a", "start b"]
    assert (bench.checks.running, bench.checks.waiting) == (RUNNING_MAX, 2)
    bench.release.set()
    await bench.turn()
    assert bench.log.count("end a") == 1
    assert bench.checks.running == bench.checks.waiting == 0


async def test_who_stops_a_check_stops_what_waits_for_its_document(bench: Bench) -> None:
    bench.checks.request(request("a"))
    await bench.turn()
    bench.checks.request(request("a", again=True))
    bench.checks.request(request("b"))
    bench.stop()
    await bench.turn()
    assert bench.log == ["start a", "start b", "cancel a"]
    assert bench.stopped == bench.given_up == ["file:///a.py"]
    assert (bench.checks.running, bench.checks.waiting) == (1, 0)
    await bench.checks.cancel_all()


async def test_the_newest_text_wins(bench: Bench) -> None:
    bench.checks.request(request("a", "1"))
    await bench.turn()
    bench.checks.request(request("a", "2"))
    bench.checks.request(request("a", "3"))
    bench.release.set()
    await bench.turn()
    assert bench.log == ["start a1", "start a3", "end a3", "cancel a1"]


async def test_a_check_of_one_function_waits_for_that_of_the_file_only_if_it_wants_more(
    bench: Bench,
) -> None:
    bench.checks.request(request("a"))
    await bench.turn()
    bench.checks.request(request("a", "", "f"))
    assert bench.checks.waiting == 0
    bench.checks.request(request("a", "", "f", demanded=True))
    bench.checks.request(request("a", "", "f", demanded=True))
    assert bench.checks.waiting == 1


async def test_going_back_to_the_text_that_is_being_cancelled_checks_it_after_all(
    bench: Bench,
) -> None:
    bench.checks.request(request("a", "1"))
    await bench.turn()
    bench.checks.request(request("a", "2"))
    bench.checks.request(request("a", "1"))
    bench.release.set()
    await bench.turn()
    assert bench.log == ["start a1", "start a1", "end a1", "cancel a1"]


async def test_the_queue_has_an_end(bench: Bench) -> None:
    for number in range(RUNNING_MAX + WAITING_MAX):
        bench.checks.request(request(f"f{number}"))
    assert (bench.checks.waiting, bench.said) == (WAITING_MAX, [])
    bench.checks.request(request("one more"))
    assert bench.checks.waiting == WAITING_MAX
    assert bench.said == ["Assay: too many files wait to be checked; later ones are left out."]
    await bench.checks.cancel_all()


async def test_cancelling_all_waits_for_the_end_and_leaves_nothing(bench: Bench) -> None:
    for name in "abc":
        bench.checks.request(request(name))
    # Also what has not made its first step yet.
    assert await bench.checks.cancel_all() == 3
    await bench.turn()
    assert bench.checks.running == bench.checks.waiting == 0
    bench.release.set()
    bench.checks.request(request("a"))
    await bench.turn()
    assert bench.log[-1] == "end a"


async def test_only_what_the_user_ends_is_given_up(bench: Bench) -> None:
    for end in (bench.checks.cancel_all, bench.checks.stop_all):
        assert bench.stopped == bench.given_up == []
        for name in "abc":
            bench.checks.request(request(name))
        await bench.turn()
        assert await end() == 3
    assert bench.stopped == bench.given_up == [f"file:///{name}.py" for name in "abc"]


async def test_what_is_saved_while_settings_change_is_checked_with_the_new_ones(
    bench: Bench,
) -> None:
    async def none() -> dict[str | None, object]:
        return {}

    await bench.client_settings.find_out(none)
    async with bench.client_settings.changing:
        bench.checks.save(request("a").document)
        bench.checks.save(request("b").document)
        bench.checks.demand(request("c", demanded=True))
        await bench.turn()
        assert bench.checks.unfinished == ()
        bench.checks.forget("file:///a.py")
    await bench.turn()
    assert bench.log == ["start b", "start c"]
    await bench.checks.cancel_all()


async def test_closing_a_document_ends_its_check_alone(bench: Bench) -> None:
    for name in "abb":
        bench.checks.request(request(name))
    await bench.turn()
    bench.checks.forget("file:///b.py")
    await bench.turn()
    assert bench.log == ["start a", "start b", "cancel b"]
    assert (bench.checks.running, bench.checks.waiting) == (1, 0)
    await bench.checks.cancel_all()


async def test_an_unanswered_question_is_waited_for_once() -> None:
    class Engine:
        async def pending_consent(self) -> tuple[Pending, ...]:
            return (Pending("Ollama", "http://127.0.0.1:11434/v1", "m"),)

    async def never(_: types.ShowMessageRequestParams) -> None:
        await asyncio.Event().wait()

    consent = Consent(Questions(never, cast("Any", None), None), lambda: None, patience=0.5)
    engine: Any = Engine()
    clock = asyncio.get_running_loop().time
    started = clock()
    await consent.settle(engine, demanded=False)
    assert clock() - started >= 0.5
    for _ in range(20):
        # Returns at the first turn of the loop; a wait of its own would not.
        waiting = asyncio.create_task(consent.settle(engine, demanded=False))
        for _ in range(5):
            await asyncio.sleep(0.01)
        assert waiting.done()
