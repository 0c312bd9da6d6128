"""Where settings come from, and what a project may not choose."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay_engine.configuration import (
    UNCONFINED_VALUE,
    UNCONFINED_VARIABLE,
    EngineOptions,
    endpoint_from,
    excluded,
    settings_for,
)
from assay_engine.errors import ConfigurationError
from assay_engine.settings import Settings


def options(tmp_path: Path, project: str, **environment: str) -> EngineOptions:
    (tmp_path / "pyproject.toml").write_text(project, encoding="utf-8")
    return EngineOptions(root=str(tmp_path), environment=environment)


def test_defaults_hold_without_a_project(tmp_path: Path) -> None:
    assert settings_for(EngineOptions(root=str(tmp_path))) == Settings()
    assert settings_for(EngineOptions()) == Settings()


def test_a_project_chooses_numbers(tmp_path: Path) -> None:
    settings = settings_for(
        options(
            tmp_path,
            """
            [tool.assay]
            exclude = ["build/"]
            [tool.assay.sampling]
            candidates = 6
            temperature = 1
            [tool.assay.budget]
            tokens_per_day = 5000
            """,
        )
    )
    assert settings.sampling.candidates == 6
    assert settings.sampling.temperature == 1.0
    assert settings.budget.tokens_per_day == 5000
    assert settings.execution == Settings().execution


def test_patterns_to_leave_out(tmp_path: Path) -> None:
    assert excluded(options(tmp_path, '[tool.assay]\nexclude = ["a", "b/"]')) == ("a", "b/")


@pytest.mark.parametrize(
    ("project", "named"),
    [
        ("[tool.assay]\nmodel = 'x'", "model"),
        ("[tool.assay.sampling]\nbase_url = 'http://evil.example'", "base_url"),
        ("[tool.assay.execution]\nunconfined = true", "unconfined"),
        ("[tool.assay.sampling]\ncandidates = 'ten'", "sampling.candidates"),
        ("[tool.assay.sampling]\ncandidates = 2.5", "sampling.candidates"),
        ("[tool.assay.sampling]\ncandidates = -1", "sampling.candidates"),
        ("[tool.assay.budget]\ntokens_per_day = true", "budget.tokens_per_day"),
        ("[tool.assay]\nsampling = 3", "sampling"),
        ("[tool.assay", "pyproject.toml"),
        ("tool = 3", "pyproject.toml"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(tmp_path: Path, project: str, named: str) -> None:
    with pytest.raises(ConfigurationError, match=named.replace(".", r"\.")):
        settings_for(options(tmp_path, project))


def test_only_the_exact_words_of_the_environment_take_confinement_away(tmp_path: Path) -> None:
    careless = options(tmp_path, "", **{UNCONFINED_VARIABLE: "1"})
    explicit = options(tmp_path, "", **{UNCONFINED_VARIABLE: UNCONFINED_VALUE})
    assert not settings_for(careless).execution.unconfined
    assert settings_for(explicit).execution.unconfined


def test_a_key_alone_sends_nothing_anywhere() -> None:
    assert endpoint_from({"OPENAI_API_KEY": "sk-secret"}) is None


def test_an_endpoint_needs_a_model() -> None:
    with pytest.raises(ConfigurationError, match="ASSAY_MODEL"):
        endpoint_from({"ASSAY_BASE_URL": "http://localhost:1/v1"})


def test_the_key_is_in_no_representation() -> None:
    endpoint = endpoint_from(
        {"ASSAY_BASE_URL": "https://h/v1", "ASSAY_MODEL": "m", "ASSAY_API_KEY": "sk-secret"}
    )
    assert endpoint is not None
    assert endpoint.api_key == "sk-secret"
    assert "sk-secret" not in repr(endpoint)


@pytest.mark.parametrize(
    ("base_url", "local"),
    [
        ("http://127.0.0.1:8080/v1", True),
        ("http://localhost/v1", True),
        ("http://[::1]:8080/v1", True),
        ("https://api.example.com/v1", False),
        ("https://localhost.example.com/v1", False),
    ],
)
def test_what_stays_on_this_machine(base_url: str, local: bool) -> None:
    endpoint = endpoint_from({"ASSAY_BASE_URL": base_url, "ASSAY_MODEL": "m"})
    assert endpoint is not None
    assert endpoint.is_local is local
