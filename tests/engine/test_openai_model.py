"""Single requests to a real server: what comes back, and what every failure is called."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import subprocess
import sys

import httpx2
import pytest
from openai import APIConnectionError

from assay_engine.config.settings import Endpoint, Sampling
from assay_engine.errors import ConfigurationError, ModelError, ModelUnavailable, ReplyUnusable
from assay_engine.models import OpenAIModel
from assay_engine.models.dialect import LESSONS_MAX
from assay_engine.models.failures import AnswerLost, wording_for
from assay_engine.types import Prompt, Usage
from support.openai_server import (
    Behaviour,
    Exchange,
    OpenAIServer,
    answer,
    completion,
    drip,
    drop,
    drop_midway,
    empty_choice,
    empty_choices,
    html,
    huge,
    null_content,
    ok,
    stall,
    status,
    truncated,
)

KEY = "sk-test-0123456789abcdef"
PROMPT = Prompt("candidate", 1, "Write Python.", "def f(): ...", 0.7, 100)
# Who answers shall never be taken for who does not, however busy the machine.
ONCE_MORE = Sampling(request_seconds=30.0, retries=1)
PATIENT = Sampling(request_seconds=30.0, retries=2)


def model_at(server: OpenAIServer, sampling: Sampling = ONCE_MORE, key: str = KEY) -> OpenAIModel:
    return OpenAIModel(Endpoint(server.base_url, "test-model", key), sampling)


async def failure_of(behaviour: Behaviour, sampling: Sampling = ONCE_MORE) -> ModelError:
    with OpenAIServer([behaviour]) as server:
        with pytest.raises(ModelError) as caught:
            await model_at(server, sampling).reply(PROMPT, 0)
        assert f"127.0.0.1:{server.port}" in str(caught.value)
        assert ";" in str(caught.value), "a message says what to do"
        return caught.value


async def test_a_reply_is_one_choice_of_one_request_with_the_usage_the_server_reports() -> None:
    with OpenAIServer([ok("def f(): return 1")]) as server:
        reply = await model_at(server).reply(PROMPT, 4)
    assert (reply.text, reply.sample, reply.cached) == ("def f(): return 1", 4, False)
    assert reply.usage == Usage(1, 11, 7)
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body.get("n", 1) == 1
    assert (request.body["temperature"], request.body["max_tokens"]) == (0.7, 100)
    assert request.body["messages"] == [
        {"role": "system", "content": "Write Python."},
        {"role": "user", "content": "def f(): ..."},
    ]


async def test_missing_usage_is_estimated_from_bytes() -> None:
    with OpenAIServer([answer(completion("x" * 35, usage=None))]) as server:
        reply = await model_at(server).reply(PROMPT, 0)
    assert reply.usage == Usage(1, 8, 10)


@pytest.mark.parametrize("count", [0, -1, True, "12", None, 10**12])
async def test_an_implausible_token_count_is_estimated_instead(count: object) -> None:
    usage = {"prompt_tokens": 11, "completion_tokens": count}
    with OpenAIServer([answer(completion("x" * 35, usage=usage))]) as server:
        reply = await model_at(server).reply(PROMPT, 0)
    assert reply.usage == Usage(1, 11, 10)


async def test_a_local_server_without_keys_is_asked_without_a_key_of_the_user(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-somewhere-else")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-somewhere-else")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    with OpenAIServer([ok("fine")]) as server:
        await model_at(server, key="").reply(PROMPT, 0)
    assert "somewhere-else" not in str(server.requests[0].headers)


async def test_a_rate_limit_is_waited_out_as_the_server_asks() -> None:
    script = [status(429, headers={"Retry-After": "1"}), ok("after the wait")]
    with OpenAIServer(script) as server:
        reply = await model_at(server, PATIENT).reply(PROMPT, 0)
    assert reply.text == "after the wait"
    assert len(server.requests) == 2


@pytest.mark.parametrize("fault", [status(500), status(503), drop, drop_midway])
async def test_a_passing_failure_is_retried(fault: Behaviour) -> None:
    with OpenAIServer([fault, ok("second try")]) as server:
        reply = await model_at(server, PATIENT).reply(PROMPT, 0)
    assert reply.text == "second try"


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        (status(429, headers={"Retry-After": "0.1"}), "rate limit or a spent quota"),
        (status(500, "the GPU is on fire"), 'HTTP 500: "the GPU is on fire"'),
        (html(502), "keeps failing (HTTP 502);"),
        (status(401), "does not accept the API key"),
        (status(403), "does not let this key use test-model"),
        (status(404), "has no model test-model"),
        (status(400, "context too long"), 'refuses the request (HTTP 400: "context too long")'),
        (status(302, headers={"Location": "http://192.0.2.1/"}), "redirects to another address"),
        (status(418, "line\nbreaks\x1b[31m and " + "x" * 500), '"line breaks[31m and xxx'),
    ],
)
async def test_a_refusal_is_named_with_its_status(behaviour: Behaviour, said: str) -> None:
    failure = await failure_of(behaviour)
    assert isinstance(failure, ModelUnavailable)
    assert said in str(failure)
    assert len(str(failure)) < 400
    assert "\n" not in str(failure)


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        (truncated, "breaks off or is not JSON"),
        (answer(b"[" * 400_000), "breaks off or is not JSON"),
        (answer(b"data: hello"), "not JSON"),
        (answer(b""), "empty body"),
        (html(200), "an HTML page"),
        (huge, "more than 1,000,000 bytes"),
        (empty_choices, "without any choice"),
        (answer({"object": "chat.completion"}), "without any choice"),
        (answer([1, 2]), "without any choice"),
        (answer(completion("x", choices=["x"])), "an empty reply"),
        (empty_choice, "an empty reply"),
        (answer(completion("  \n")), "an empty reply"),
        (null_content, "an empty reply"),
        (
            answer({"error": {"message": "upstream broke"}}),
            'an error instead of a reply: "upstream',
        ),
    ],
)
async def test_an_answer_that_is_no_completion_is_unusable(behaviour: Behaviour, said: str) -> None:
    failure = await failure_of(behaviour)
    assert isinstance(failure, ReplyUnusable)
    assert said in str(failure)


async def test_an_answer_that_cannot_be_decoded_was_sent_once_and_may_have_cost_anything() -> None:
    garbled = answer(b"no gzip", {"Content-Encoding": "gzip"})
    with OpenAIServer([garbled, ok("fine")]) as server:
        with pytest.raises(ReplyUnusable, match="does not match its content-encoding") as caught:
            await model_at(server).reply(PROMPT, 0)
        assert len(server.requests) == 1
    assert (caught.value.sent, caught.value.completion_tokens) == (True, None)


async def test_a_model_of_half_characters_cannot_be_asked_for() -> None:
    with pytest.raises(ConfigurationError, match="characters that cannot be sent"):
        OpenAIModel(Endpoint("http://127.0.0.1:1/v1", "m\udce9"), Sampling())


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"message": {"content": None, "refusal": "I would rather not."}}, "I would rather not"),
        ({"message": {"content": ""}, "finish_reason": "length"}, "before it wrote anything"),
        ({"message": {"content": "def f(x):"}, "finish_reason": "length"}, "max_tokens = 100"),
        ({"message": {"content": ""}, "finish_reason": "content_filter"}, "filtered"),
    ],
)
async def test_a_reply_without_text_says_why(changes: dict[str, object], said: str) -> None:
    failure = await failure_of(answer(completion("", choices=[changes])))
    assert isinstance(failure, ReplyUnusable)
    assert said in str(failure)


@pytest.mark.parametrize("charset", ["hex", "undefined", "idna", "latin-1", "nonsense"])
async def test_no_charset_that_an_error_claims_hides_what_it_says(charset: str) -> None:
    headers = {"Content-Type": f"application/json; charset={charset}"}
    failure = await failure_of(status(400, "no such thing", headers))
    assert '(HTTP 400: "no such thing")' in str(failure)


async def test_half_a_surrogate_pair_of_a_docstring_keeps_no_prompt_from_being_sent() -> None:
    prompt = Prompt("candidate", 1, "Write \ud800.", "Halves: \udc80 and \ud83d\ude00", 0.7, 100)
    with OpenAIServer([ok("def f(): return 1")]) as server:
        await model_at(server).reply(prompt, 0)
        sent = [message["content"] for message in server.requests[0].body["messages"]]
    assert sent == ["Write \ufffd.", "Halves: \ufffd and \N{GRINNING FACE}"]


async def test_content_in_parts_and_half_surrogates_become_text_that_can_be_written() -> None:
    parts = [{"type": "text", "text": "a\ud83d"}, {"type": "text", "text": "\ude00\udc00b"}]
    body = completion(None, choices=[{"message": {"content": parts}}])
    with OpenAIServer([answer(json.dumps(body).encode())]) as server:
        reply = await model_at(server).reply(PROMPT, 0)
    assert reply.text == "a😀�b"


@pytest.mark.parametrize("behaviour", [stall(), drip("slowly")])
async def test_a_server_that_stalls_or_drips_is_given_up_after_the_request_time(
    behaviour: Behaviour,
) -> None:
    failure = await failure_of(behaviour, Sampling(request_seconds=0.5, retries=3))
    assert isinstance(failure, AnswerLost)
    assert "did not answer within 0.5 s" in str(failure)


@pytest.mark.parametrize("behaviour", [stall(), drip("slowly")])
async def test_a_list_of_models_that_does_not_come_is_given_up_sooner(
    behaviour: Behaviour, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay_engine.models.openai.PROBE_SECONDS", 0.3)
    with OpenAIServer([behaviour]) as server, pytest.raises(AnswerLost) as failure:
        await model_at(server, Sampling(request_seconds=20)).offered()
    assert "did not answer within 0.3 s" in str(failure.value)
    assert "request_seconds" not in str(failure.value)


async def test_what_stalls_once_is_not_asked_and_paid_for_again() -> None:
    with OpenAIServer([stall()]) as server:
        with pytest.raises(ModelUnavailable):
            await model_at(server, Sampling(request_seconds=0.3, retries=3)).reply(PROMPT, 0)
        assert len(server.requests) == 1


async def test_a_compressed_reply_is_bounded_by_what_it_unpacks_to() -> None:
    def compressed(text: str) -> Behaviour:
        body = gzip.compress(json.dumps(completion(text)).encode())
        return answer(body, {"Content-Encoding": "gzip"})

    with OpenAIServer([compressed("small"), compressed("x" * 50_000_000)]) as server:
        model = model_at(server, PATIENT)
        assert (await model.reply(PROMPT, 0)).text == "small"
        with pytest.raises(ReplyUnusable, match="1,000,000 bytes"):
            await model.reply(PROMPT, 1)


async def test_nobody_listening_is_said_with_the_host() -> None:
    with OpenAIServer([ok("")]) as server:
        port = server.port
    model = OpenAIModel(Endpoint(f"http://127.0.0.1:{port}/v1", "m"), Sampling(retries=0))
    with pytest.raises(ModelUnavailable, match=f"127.0.0.1:{port} cannot be reached"):
        await model.reply(PROMPT, 0)


FAR = Endpoint("https://model.invalid/v1", "m", KEY)


async def far_failure(monkeypatch: pytest.MonkeyPatch) -> str:
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ModelUnavailable) as caught:
        await OpenAIModel(FAR, Sampling(retries=0)).reply(PROMPT, 0)
    assert KEY not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        (
            "ALL_PROXY",
            "socks5://ada:hunter2@127.0.0.1:1",
            "SOCKS proxy, which needs a missing package",
        ),
        ("HTTPS_PROXY", "ftp://ada:hunter2@127.0.0.1:1", "a proxy that is not an HTTP address"),
        ("SSL_CERT_FILE", "/nowhere/hunter2.pem", "SSL_CERT_FILE or SSL_CERT_DIR names cannot be"),
    ],
)
async def test_what_the_environment_says_and_cannot_be_used_is_named(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, said: str
) -> None:
    monkeypatch.setenv(variable, value)
    failure = await far_failure(monkeypatch)
    assert failure.startswith("model.invalid cannot be asked: ")
    assert said in failure
    assert "hunter2" not in failure


async def test_a_proxy_that_refuses_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as proxy:
        port = proxy.sockets[0].getsockname()[1]
        monkeypatch.setenv("HTTPS_PROXY", f"http://ada:hunter2@127.0.0.1:{port}")
        failure = await far_failure(monkeypatch)
    assert failure.startswith("the proxy to model.invalid refuses")
    assert "HTTPS_PROXY" in failure
    assert "hunter2" not in failure


@pytest.mark.parametrize("variable", ["HTTPS_PROXY", "ALL_PROXY"])
async def test_a_proxy_that_is_not_there_is_named(
    monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    with OpenAIServer([]) as server:
        port = server.port
    monkeypatch.setenv(variable, f"http://ada:hunter2@127.0.0.1:{port}")
    failure = await far_failure(monkeypatch)
    assert failure.startswith(
        "model.invalid cannot be reached through the proxy that the environment names"
    )
    assert "HTTPS_PROXY" in failure
    assert "hunter2" not in failure


async def test_certificates_of_ones_own_hold_on_this_machine_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/ours.pem")
    with OpenAIServer([ok("")]) as server, pytest.raises(ModelUnavailable, match="SSL_CERT_FILE"):
        await model_at(server).reply(PROMPT, 0)


def test_a_certificate_that_nobody_vouches_for_is_no_server_that_is_down() -> None:
    request = httpx2.Request("POST", FAR.base_url)
    error = APIConnectionError(request=request)
    error.__cause__ = httpx2.ConnectError(
        "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed"
    )
    failure = wording_for(FAR, 1.0).unreachable(error)
    assert str(failure).startswith("model.invalid cannot be trusted")
    assert "SSL_CERT_FILE" in str(failure)


async def test_the_limits_other_name_is_learnt_once_and_kept() -> None:
    def newer(exchange: Exchange) -> None:
        if "max_tokens" in server.requests[-1].body:
            message = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
            status(400, message)(exchange)
        else:
            ok("fine")(exchange)

    with OpenAIServer([newer]) as server:
        model = model_at(server)
        assert (await model.reply(PROMPT, 0)).text == "fine"
        assert (await model.reply(PROMPT, 1)).text == "fine"
    assert [request.body.get("max_completion_tokens") for request in server.requests] == [
        None,
        100,
        100,
    ]


async def test_a_model_with_a_temperature_of_its_own_is_asked_without_one() -> None:
    def own_temperature(exchange: Exchange) -> None:
        if "temperature" in server.requests[-1].body:
            status(400, "'temperature' does not support 0.7 with this model")(exchange)
        else:
            ok("fine")(exchange)

    with OpenAIServer([own_temperature]) as server:
        assert (await model_at(server).reply(PROMPT, 0)).text == "fine"


async def test_a_limit_that_is_refused_by_any_name_ends_in_the_refusal() -> None:
    message = "max_tokens and max_completion_tokens are not supported"
    with OpenAIServer([status(400, message)]) as server:
        with pytest.raises(ModelUnavailable, match="are not supported"):
            await model_at(server).reply(PROMPT, 0)
        assert len(server.requests) == 1 + LESSONS_MAX


async def test_who_was_cancelled_asks_nothing_more() -> None:
    """Even if what waited did not let the cancellation through."""

    async def ask(server: OpenAIServer) -> None:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(60)
        await model_at(server).reply(PROMPT, 0)

    with OpenAIServer([ok("def f(): return 1")]) as server:
        asking = asyncio.create_task(ask(server))
        await asyncio.sleep(0)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert not server.requests


async def test_a_cancelled_request_is_closed() -> None:
    with OpenAIServer([stall()]) as server:
        asking = asyncio.create_task(model_at(server, PATIENT).reply(PROMPT, 0))
        while not server.requests:
            await asyncio.sleep(0.01)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        async with asyncio.timeout(30):
            while not server.hang_ups:
                await asyncio.sleep(0.01)


def test_one_model_serves_one_event_loop_after_another() -> None:
    with OpenAIServer([ok("fine")]) as server:
        model = model_at(server)
        texts = [asyncio.run(model.reply(PROMPT, sample)).text for sample in range(3)]
    assert texts == ["fine"] * 3


@pytest.mark.parametrize(
    "base_url",
    ["localhost:8000/v1", "ftp://host/v1", "http://", "http://[::1", "http://host:port/v1", ""],
)
def test_an_address_that_is_none_is_refused_before_anything_is_sent(base_url: str) -> None:
    with pytest.raises(ConfigurationError, match="is not an HTTP address"):
        OpenAIModel(Endpoint(base_url, "m"), ONCE_MORE)


def test_a_password_in_the_address_is_refused_and_not_shown() -> None:
    for base_url in ("https://me:hunter2@host/v1", "me:hunter2@host/v1"):
        with pytest.raises(ConfigurationError) as caught:
            OpenAIModel(Endpoint(base_url, "m"), ONCE_MORE)
        assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("key", ["sk-broken\nin-two", "sk-“quoted”"])
def test_a_key_that_cannot_be_a_header_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(ConfigurationError, match="copy it again") as caught:
        OpenAIModel(Endpoint("https://host/v1", "m", key), ONCE_MORE)
    assert "sk-" not in str(caught.value)


def test_importing_the_models_imports_no_sdk() -> None:
    program = (
        "import sys, assay_engine.models, assay_engine.sampling.sampling, assay_engine.store\n"
        "sys.exit(any(name in sys.modules for name in ('openai', 'httpx2', 'pydantic')))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


async def test_no_more_requests_are_under_way_than_may_be_whoever_asks() -> None:
    """Several functions are on trial at once, each of which draws as many samples as it may."""
    under_way: list[int] = []
    most: list[int] = []

    def slow(exchange: Exchange) -> None:
        under_way.append(id(exchange))
        most.append(len(under_way))
        exchange.wait(0.1)
        under_way.remove(id(exchange))
        ok("fine")(exchange)

    with OpenAIServer([slow]) as server:
        sampling = Sampling(concurrency=2, request_seconds=60)
        model = OpenAIModel(Endpoint(server.base_url, "test-model", KEY), sampling)
        await asyncio.gather(*(model.reply(PROMPT, number) for number in range(6)))
    assert len(most) == 6
    assert max(most) == 2
