"""The key goes into one header, and nowhere else, whatever a server does with it."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from urllib.parse import quote

import pytest

from assay_engine.config.settings import Budget, Endpoint, Sampling
from assay_engine.errors import ModelError
from assay_engine.models import Ledger, OpenAIModel, Recorder
from assay_engine.models.failures import wording_for
from assay_engine.sampling.sampling import draw
from assay_engine.store import open_store
from assay_engine.types import Prompt
from support.openai_server import (
    Behaviour,
    Exchange,
    OpenAIServer,
    answer,
    completion,
    drop,
    ok,
    status,
)
from support.sessions import session_of

KEY = "sk-proj/Tell+No=Body-0123456789"
PROMPT = Prompt("candidate", 1, "", "def f(): ...", 1.0, 100)


def echo_in_header(exchange: Exchange) -> None:
    exchange.send(500, b"{}", {"X-You-Sent": exchange.headers["Authorization"]})


def echo_in_bad_header(exchange: Exchange) -> None:
    sent = exchange.headers["Authorization"]
    exchange.wfile.write(f"HTTP/1.1 200 OK\r\n{sent} no colon\r\n\r\n".encode())


REPLIED = ok(f"KEY = '{KEY}'  # the model found it in its prompt")
ECHOES: list[Behaviour] = [
    status(401, f"Incorrect API key provided: {KEY}."),
    status(401, f"Incorrect API key provided: {KEY[:12]}..."),
    status(400, f"{KEY[:-1]} {quote(KEY, safe='')} {KEY}{KEY}"),
    status(500, "x" * 150 + KEY),
    answer({"error": {"message": f"the key {KEY} has no credit"}}),
    answer(completion(None, choices=[{"message": {"refusal": f"I saw {KEY}"}}])),
    REPLIED,
    answer(KEY.encode()),
    echo_in_header,
    echo_in_bad_header,
    drop,
]


def everything_written(directory: Path) -> Iterator[bytes]:
    for file in directory.rglob("*"):
        if file.is_file():
            yield file.read_bytes()


@pytest.mark.parametrize("echo", ECHOES)
async def test_a_key_that_the_server_sends_back_ends_up_nowhere(
    tmp_path: Path, echo: Behaviour, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with (
        OpenAIServer([echo]) as server,
        open_store(tmp_path / "cache.sqlite3") as store,
    ):
        sampling = Sampling(request_seconds=5.0, retries=1)
        inner = OpenAIModel(Endpoint(server.base_url, "test-model", KEY), sampling)
        ledger = Ledger(store, Budget(tokens_per_day=10**6), today=lambda: date(2026, 1, 2))
        recorder = Recorder(tmp_path / "transcript.jsonl", inner.name)
        model = session_of(inner, store=store, ledger=ledger, recorder=recorder)
        drawn = await draw(model, PROMPT, range(2), deadline_seconds=60, concurrency=2)
        said = [repr(drawn), repr(inner), repr(vars(inner)), caplog.text]
        if echo is REPLIED:
            said.append(repr(await inner.reply(PROMPT, 0)))
        else:
            with pytest.raises(ModelError) as failure:
                await inner.reply(PROMPT, 0)
            said += traceback.format_exception(failure.value)
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
        written = list(everything_written(tmp_path))
        assert len(written) >= 3, "the store, its log and the transcript"
    written += everything_written(tmp_path)
    for shape in (KEY, quote(KEY, safe=""), KEY[:12]):
        assert not [text for text in said if shape in text]
        assert not [data for data in written if shape.encode() in data]


def test_a_key_too_short_to_recognise_keeps_all_of_the_servers_words_out() -> None:
    words = wording_for(Endpoint("http://host/v1", "m", "abc"), 1.0)
    assert "abc" not in str(words.refused(401, '{"error": {"message": "bad key abc"}}'))


def test_an_endpoint_does_not_show_its_key() -> None:
    assert KEY not in repr(Endpoint("http://host/v1", "m", KEY))
