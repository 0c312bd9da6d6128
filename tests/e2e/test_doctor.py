"""`assay doctor`: what works, what does not, and what to do about it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.forking import forked
from support.openai_server import Behaviour, OpenAIServer, answer, html, status

MODELS = answer({"object": "list", "data": [{"id": "test-model", "object": "model"}]})


def doctor(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        forked("-m", "assay_engine", "doctor"),
        cwd=folder,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "ASSAY_STORE": str(folder / "assay.db"),
            **environment,
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_all_is_well(tmp_path: Path) -> None:
    with OpenAIServer([MODELS]) as server:
        run = doctor(tmp_path, ASSAY_BASE_URL=server.base_url, ASSAY_MODEL="test-model")
        assert [request.method for request in server.requests] == ["GET"]
    assert run.returncode == 0, run.stdout
    assert f"endpoint     {server.base_url} (on this machine)" in run.stdout
    assert "confinement  none" not in run.stdout
    assert "0 of 2,000,000 tokens spent today" in run.stdout


def test_what_an_address_has_in_its_query_is_nobody_s_business(tmp_path: Path) -> None:
    address = "http://127.0.0.1:9/v1"
    run = doctor(tmp_path, ASSAY_BASE_URL=f"{address}?api_key=sk-secret", ASSAY_MODEL="m")
    assert f"endpoint     {address}?… (on this machine)" in run.stdout
    assert "sk-secret" not in run.stdout + run.stderr


def test_a_model_that_is_not_there_is_named_with_those_that_are(tmp_path: Path) -> None:
    with OpenAIServer([MODELS]) as server:
        run = doctor(tmp_path, ASSAY_BASE_URL=server.base_url, ASSAY_MODEL="other")
    assert run.returncode == 2
    assert "It does not list other. Set ASSAY_MODEL to one of test-model." in run.stdout


def test_an_endpoint_that_refuses_the_key(tmp_path: Path) -> None:
    with OpenAIServer([status(401)]) as server:
        run = doctor(
            tmp_path, ASSAY_BASE_URL=server.base_url, ASSAY_MODEL="m", ASSAY_API_KEY="sk-secret"
        )
    assert run.returncode == 2
    assert "401" in run.stdout
    assert "sk-secret" not in run.stdout + run.stderr


@pytest.mark.parametrize(
    "garbage",
    [html(200), answer(b"\x00garbage"), answer({"detail": "hello"}), answer([])],
    ids=["HTML", "garbage", "another object", "a list"],
)
def test_an_endpoint_that_lists_no_models(tmp_path: Path, garbage: Behaviour) -> None:
    with OpenAIServer([garbage]) as server:
        run = doctor(tmp_path, ASSAY_BASE_URL=server.base_url, ASSAY_MODEL="m")
    assert run.returncode == 2
    assert (
        f"127.0.0.1:{server.port} answered the request for its models with something that is not a "
        "list of models; check the path of the base URL, which usually ends with /v1.\n"
    ) in run.stdout


def test_an_endpoint_that_is_down(tmp_path: Path) -> None:
    run = doctor(tmp_path, ASSAY_BASE_URL="http://127.0.0.1:9/v1", ASSAY_MODEL="m")
    assert run.returncode == 2
    assert "127.0.0.1:9 cannot be reached" in run.stdout


def test_a_base_url_without_a_model(tmp_path: Path) -> None:
    run = doctor(tmp_path, ASSAY_BASE_URL="http://127.0.0.1:9/v1")
    assert run.returncode == 2
    assert "ASSAY_MODEL is not set" in run.stdout


@pytest.mark.parametrize("key", ["ASSAY_API_KEY", "OPENAI_API_KEY"])
def test_a_key_without_a_base_url_says_what_else_to_set(tmp_path: Path, key: str) -> None:
    run = doctor(tmp_path, **{key: "sk-secret"})
    assert run.returncode == 2
    url, model = key.replace("API_KEY", "BASE_URL"), key.replace("API_KEY", "MODEL")
    assert f"{key} is set, and {url} is not, nor {model}. Set both" in run.stdout
    run = doctor(tmp_path, **{key: "sk-secret", model: "m"})
    assert f"{key} and {model} are set, and {url} is not. Set it" in run.stdout
    run = doctor(tmp_path, **{key: "sk-secret", "ASSAY_BASE_URL": "http://127.0.0.1:9/v1"})
    assert run.returncode == 2
    assert (
        "ASSAY_MODEL is not set. Set it to the model to use at http://127.0.0.1:9/v1" in run.stdout
    )
    assert "sk-secret" not in run.stdout + run.stderr


def test_an_interpreter_that_does_not_exist(tmp_path: Path) -> None:
    run = subprocess.run(
        forked("-m", "assay_engine", "doctor", "--interpreter", "/no/such/python"),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 2
    assert "/no/such/python does not exist" in run.stdout


def test_a_damaged_store_is_replaced_and_said(tmp_path: Path) -> None:
    (tmp_path / "assay.db").write_bytes(b"SQLite format 3\x00" + b"\xff" * 4096)
    with OpenAIServer([MODELS]) as server:
        run = doctor(tmp_path, ASSAY_BASE_URL=server.base_url, ASSAY_MODEL="test-model")
    assert run.returncode == 0, run.stdout + run.stderr
    assert "damaged" in run.stdout


@pytest.mark.parametrize("command", ["doctor", "check"])
def test_what_no_command_expects_ends_in_a_sentence(tmp_path: Path, command: str) -> None:
    folder = tmp_path / "removed"
    folder.mkdir()
    run = subprocess.run(
        ["/bin/sh", "-c", f'rmdir "$PWD" && exec "{sys.executable}" -m assay_engine {command}'],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 2
    assert "Traceback" not in run.stderr
    assert run.stderr.startswith("assay: ")
    assert "FileNotFoundError" in run.stderr
