"""Transcripts: what is written, what is read back, and what is said about other files."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from assay_engine.config.settings import Endpoint, Sampling
from assay_engine.errors import ConfigurationError, ReplyUnusable, StoreError, TranscriptMiss
from assay_engine.models import OpenAIModel, Recorder, ReplayModel, Session
from assay_engine.models.transcript import prompt_digest, reply_key
from assay_engine.store import Store, memory_store
from assay_engine.types import Model, Prompt
from support.openai_server import Behaviour, OpenAIServer, answer, completion, empty_choice, ok
from support.sessions import session_of

PROMPT = Prompt("candidate", 3, "sys", "def f(): ...", 1.0, 100)
CUT = {"message": {"content": "Sure! ```python"}, "finish_reason": "length"}
CUT_OFF = answer(completion("", choices=[CUT]))
ODD = "Sure! ```python\ndef f(:\nline\u2028break \x00 \r\n emoji 😀 ```"


def model_at(server: OpenAIServer) -> OpenAIModel:
    return OpenAIModel(Endpoint(server.base_url, "test-model"), Sampling(retries=0))


def recording(
    model: Model, path: Path, *, prompts: bool = True, store: Store | None = None
) -> Session:
    return session_of(model, store=store, recorder=Recorder(path, model.name, prompts=prompts))


def lines_of(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


async def test_what_is_appended_begins_a_line_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    with OpenAIServer([ok("one"), ok("two")]) as server:
        await recording(model_at(server), path).reply(PROMPT, 0)
        # As an editor may save it.
        path.write_bytes(path.read_bytes().rstrip(b"\n"))
        await recording(model_at(server), path).reply(PROMPT, 1)
    replay = ReplayModel(path)
    assert [(await replay.reply(PROMPT, sample)).text for sample in (0, 1)] == ["one", "two"]


async def test_a_transcript_begins_with_a_header_and_holds_prompt_text_and_usage(
    tmp_path: Path,
) -> None:
    path = tmp_path / "replies.jsonl"
    with OpenAIServer([ok("fine")]) as server:
        await recording(model_at(server), path).reply(PROMPT, 2)
    header, entry = lines_of(path)
    assert header == {"assay_transcript": 1, "model": "test-model"}
    assert entry["response_id"].startswith("chatcmpl-")
    assert entry == {
        "prompt_digest": prompt_digest(PROMPT),
        "prompt": {
            "name": "candidate",
            "version": 3,
            "system": "sys",
            "user": "def f(): ...",
            "temperature": 1.0,
            "max_tokens": 100,
        },
        "model": "test-model",
        "sample": 2,
        "text": "fine",
        "usage": {"requests": 1, "prompt_tokens": 11, "completion_tokens": 7},
        "response_id": entry["response_id"],
    }


async def test_prompts_can_be_left_out_and_replies_are_still_found(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    with OpenAIServer([ok("fine")]) as server:
        await recording(model_at(server), path, prompts=False).reply(PROMPT, 0)
    assert b"def f()" not in path.read_bytes()
    assert (await ReplayModel(path).reply(PROMPT, 0)).text == "fine"


async def test_a_reply_comes_back_exactly_as_it_came(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    with OpenAIServer([ok(ODD)]) as server:
        live = await recording(model_at(server), path).reply(PROMPT, 0)
    replayed = await ReplayModel(path).reply(PROMPT, 0)
    assert (replayed.text, replayed.usage) == (ODD, live.usage)
    assert replayed.cached
    assert ReplayModel(path).name == "test-model"


@pytest.mark.parametrize("unusable", [empty_choice, CUT_OFF], ids=["empty", "cut off"])
async def test_an_unusable_reply_is_replayed_as_unusable(
    tmp_path: Path, unusable: Behaviour
) -> None:
    path = tmp_path / "replies.jsonl"
    with OpenAIServer([unusable]) as server, pytest.raises(ReplyUnusable) as live:
        await recording(model_at(server), path).reply(PROMPT, 0)
    with pytest.raises(ReplyUnusable) as replayed:
        await ReplayModel(path).reply(PROMPT, 0)
    assert str(replayed.value) == str(live.value)
    assert lines_of(path)[1]["error"] == "reply-unusable"


async def test_a_cached_reply_is_recorded_too(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    with memory_store() as store, OpenAIServer([ok("fine")]) as server:
        model = model_at(server)
        await session_of(model, store=store).reply(PROMPT, 0)
        assert (await recording(model, path, store=store).reply(PROMPT, 0)).cached
    assert (await ReplayModel(path).reply(PROMPT, 0)).text == "fine"


async def test_recording_the_same_again_adds_nothing_and_a_new_reply_replaces_the_old(
    tmp_path: Path,
) -> None:
    path = tmp_path / "replies.jsonl"
    with OpenAIServer([ok("one"), ok("one"), ok("two")]) as server:
        await recording(model_at(server), path).reply(PROMPT, 0)
        before = path.read_bytes()
        await recording(model_at(server), path).reply(PROMPT, 0)
        assert path.read_bytes() == before
        await recording(model_at(server), path).reply(PROMPT, 0)
    assert path.read_bytes().startswith(before)
    assert (await ReplayModel(path).reply(PROMPT, 0)).text == "two"


def test_several_writers_keep_their_lines_whole(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    with OpenAIServer([ok("long " * 10_000)]) as server:

        def write(first: int) -> None:
            recorder = recording(model_at(server), path)
            for sample in range(first, first + 5):
                asyncio.run(recorder.reply(PROMPT, sample))

        threads = [threading.Thread(target=write, args=(5 * n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    replay = ReplayModel(path)
    texts = [asyncio.run(replay.reply(PROMPT, sample)).text for sample in range(20)]
    assert texts == ["long " * 10_000] * 20


async def test_a_miss_names_the_file_its_cause_and_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    with OpenAIServer([ok("fine")]) as server:
        await recording(model_at(server), path).reply(PROMPT, 0)
    with pytest.raises(TranscriptMiss) as caught:
        await ReplayModel(path).reply(PROMPT, 5)
    message = str(caught.value)
    assert message.startswith(f"The transcript {path} has no reply for this function: its ")
    assert "signature, docstring or imports may have changed since" in message
    assert "--record" in message


@pytest.mark.parametrize(
    "change",
    [
        {"name": "judge"},
        {"version": 4},
        {"system": ""},
        {"user": "def g(): ..."},
        {"temperature": 0.0},
        {"max_tokens": 200},
    ],
)
def test_whatever_can_change_a_reply_changes_its_key(change: dict[str, Any]) -> None:
    changed = replace(PROMPT, **change)
    assert prompt_digest(changed) != prompt_digest(PROMPT)
    keys = {reply_key(changed, "m", 0), reply_key(PROMPT, "m", 0)}
    assert len(keys | {reply_key(PROMPT, "other", 0), reply_key(PROMPT, "m", 1)}) == 4


HEADER = '{"assay_transcript": 1, "model": "m"}\n'


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "is empty"),
        ('{"prompt_digest": "x"}\n', "t.jsonl:1 is not the first line"),
        (HEADER + "not json\n", "t.jsonl:2 is damaged"),
        (HEADER + "[" * 100_000, "t.jsonl:2 is damaged"),
        ("not json\n" + HEADER, "t.jsonl:1 is damaged"),
        ('{"model": "m"}\n[1]\n', "t.jsonl is not a transcript"),
        ('{"assay_transcript": 2, "model": "m"}\n', "t.jsonl:1 is of a version"),
        (HEADER + '{"prompt_digest": "x", "sample": 0, "te', "t.jsonl:2 is damaged"),
        (HEADER + '{"prompt_digest": "x", "sample": "0", "text": ""}\n', "t.jsonl:2 is damaged"),
        (HEADER + '{"prompt_digest": "x", "sample": 0, "text": 1}\n', "t.jsonl:2 is damaged"),
        (HEADER + HEADER.replace('"m"', '"other"'), "t.jsonl:2 begins replies of other"),
    ],
)
def test_a_damaged_transcript_is_refused_with_its_line(
    tmp_path: Path, content: str, said: str
) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(content)
    with pytest.raises(ConfigurationError) as caught:
        ReplayModel(path)
    assert said in str(caught.value)


def test_transcripts_of_one_model_can_be_joined_and_end_in_a_blank_line(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(HEADER + HEADER + "\n")
    assert ReplayModel(path).name == "m"


def test_a_missing_transcript_and_a_directory_are_refused_with_their_name(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.jsonl", tmp_path):
        with pytest.raises(ConfigurationError, match="cannot be read"):
            ReplayModel(path)


def test_another_models_transcript_and_any_other_file_are_not_written_to(tmp_path: Path) -> None:
    with OpenAIServer([ok("")]) as server:
        for content in (HEADER, "print('a program')\n"):
            path = tmp_path / "t.jsonl"
            path.write_text(content)
            with pytest.raises(ConfigurationError):
                recording(model_at(server), path)
            assert path.read_text() == content


def test_a_transcript_in_a_folder_that_is_not_there_names_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "nodir"
    with pytest.raises(ConfigurationError, match=f"The folder {folder} does not exist, so x.jsonl"):
        Recorder(folder / "x.jsonl", "model")
    assert not folder.exists()


def test_a_transcript_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with OpenAIServer([ok("")]) as server, pytest.raises(StoreError, match="cannot be written"):
        recording(model_at(server), tmp_path / "file" / "t.jsonl")


async def test_all_who_share_a_recorder_write_a_reply_once(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    recorder = Recorder(path, "test-model")
    with OpenAIServer([ok("two")]) as server:
        for _ in range(2):
            await session_of(model_at(server), recorder=recorder).reply(PROMPT, 0)
    assert [line.get("text") for line in lines_of(path)] == [None, "two"]
