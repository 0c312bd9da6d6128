"""Where settings come from, and what a project may not choose."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from msgspec.structs import asdict, replace
from rich.pretty import pretty_repr

from assay_engine.config.configuration import (
    UNCONFINED_VALUE,
    UNCONFINED_VARIABLE,
    USER_SETTINGS_VARIABLE,
    EngineOptions,
    excluded,
    options_from,
    project_root,
    settings_for,
)
from assay_engine.config.endpoints import endpoints_from, is_openai
from assay_engine.config.settings import BOUNDS, Endpoint, JudgeMode, Settings
from assay_engine.dependencies.modules import workspace_modules
from assay_engine.errors import ConfigurationError
from assay_engine.models.failures import Wording
from assay_engine.syntax.ignoring import Ignoring


def options(tmp_path: Path, project: str, **environment: str) -> EngineOptions:
    (tmp_path / "pyproject.toml").write_text(project, encoding="utf-8")
    return EngineOptions(root=str(tmp_path), environment=environment)


def test_defaults_hold_without_a_project(tmp_path: Path) -> None:
    assert settings_for(EngineOptions(root=str(tmp_path))).settings == Settings()
    assert settings_for(EngineOptions()).settings == Settings()


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
    ).settings
    assert settings.sampling.candidates == 6
    assert settings.sampling.temperature == 1.0
    assert settings.budget.tokens_per_day == 5000
    assert settings.execution == Settings().execution


def test_patterns_to_leave_out(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.assay]\nexclude = ["a", "b/"]')
    assert excluded(str(tmp_path)) == ("a", "b/")
    (tmp_path / "pyproject.toml").write_text('[tool.assay]\nexclude = ["a", "!", "\\\\"]')
    with pytest.raises(ConfigurationError, match=r"holds '!', '\\\\', which are not patterns"):
        excluded(str(tmp_path))


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
        ("[tool.assay]\ncandidates = 5", "`candidates` belongs under [tool.assay.sampling]."),
        ("[tool.assay]\ncandidate = 5", "nearest is `candidates` under [tool.assay.sampling]."),
        ("[tool.assay]\nsample = {}", "the nearest is `sampling`."),
        (
            "[tool.assay]\nunconfined = true",
            "'unconfined'; it has exclude, judge and the tables",
        ),
        ("[tool.assay.budget]\ncalls = 1", "budget has no setting 'calls'; `calls` belongs under"),
        ("[tool.assay", "pyproject.toml"),
        ("tool = 3", "pyproject.toml"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(tmp_path: Path, project: str, named: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(named)):
        settings_for(options(tmp_path, project))


def test_all_names_of_a_file_that_are_none_are_said_at_once(tmp_path: Path) -> None:
    project = "[tool.assay]\ncalls = 1\njudgment = 'off'\n[tool.assay.sampling]\ncandidate = 5\n"
    with pytest.raises(ConfigurationError) as raised:
        settings_for(options(tmp_path, project))
    said = str(raised.value)
    assert "no setting 'calls'; `calls` belongs under [tool.assay.execution]. " in said
    assert "no setting 'judgment'; " in said
    assert "sampling has no setting 'candidate'; it has candidates, " in said
    numbers = "[tool.assay.sampling]\ncandidates = 2.5\nretries = -1\n"
    wrong = f"judge = 'maybe'\ncalls = 1\nbudget = 3\n{numbers}"
    with pytest.raises(ConfigurationError) as raised:
        settings_for(options(tmp_path, f"[tool.assay]\n{wrong}"))
    said = str(raised.value)
    assert "no setting 'calls'; " in said
    assert "judge must be one of " in said
    assert "budget must be a table." in said
    assert "sampling.candidates must be a whole number from " in said
    assert "sampling.retries must be a whole number from " in said
    unknown = "".join(f"unknown_{number} = 1\n" for number in range(9))
    given = options(tmp_path, f"[tool.assay]\n{unknown}")
    with pytest.raises(ConfigurationError, match=r"has 4 more of this kind\.$"):
        settings_for(given)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[tool.assay.sampling]\ncandidates = 5", "write its tables without `tool.assay`, as in"),
        ("candidates = 5", r"`candidates` belongs under \[sampling\]"),
        ("exclude = []", r"`exclude` belongs under \[tool\.assay\] in a pyproject\.toml"),
    ],
)
def test_a_file_of_ones_own_has_its_tables_at_the_top(tmp_path: Path, text: str, said: str) -> None:
    own = tmp_path / "settings.toml"
    own.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=said):
        settings_for(EngineOptions(user_settings=str(own)))


@pytest.mark.parametrize(
    "given",
    [
        "sampling.concurrency = 0",
        "sampling.temperature = nan",
        "sampling.request_seconds = inf",
        "execution.batch_seconds = inf",
        "execution.call_seconds = 0",
        "execution.memory_bytes = 100",
        "execution.calls = 100000000",
        "thorough.batch = 0",
    ],
)
@pytest.mark.parametrize("own", [True, False])
def test_a_number_out_of_bounds_is_named_with_its_bounds(
    tmp_path: Path, given: str, own: bool
) -> None:
    name = given.partition(" ")[0]
    least, most = BOUNDS[name]
    file = tmp_path / ("settings.toml" if own else "pyproject.toml")
    file.write_text(given if own else f"[tool.assay]\n{given}", encoding="utf-8")
    asked = EngineOptions(root=str(tmp_path), user_settings=str(tmp_path / "settings.toml"))
    with pytest.raises(ConfigurationError, match=rf"{name} must be .* from {least} to {most}, not"):
        settings_for(asked)


def test_every_number_has_bounds_that_its_default_is_within() -> None:
    for section in ("sampling", "budget", "execution", "thorough"):
        values = asdict(getattr(Settings(), section))
        values.pop("unconfined", None)
        for name, value in values.items():
            least, most = BOUNDS[f"{section}.{name}"]
            assert least <= value <= most


PROJECT_ASKS = """
[tool.assay]
judge = "always"
sampling.candidates = 150
sampling.max_tokens = 100
budget.tokens_per_day = 1000000000000
thorough.requests = 500
execution.calls = 3000
execution.call_seconds = 600.0
execution.batch_seconds = 3600.0
execution.memory_bytes = 68719476736
sampling.concurrency = 64
sampling.draw_seconds = 10.0
"""


def test_a_project_may_only_lower_what_a_check_costs_and_uses(tmp_path: Path) -> None:
    found = settings_for(options(tmp_path, PROJECT_ASKS))
    own = Settings()
    assert found.settings.sampling.candidates == own.sampling.candidates
    assert found.settings.sampling.max_tokens == 100
    assert found.settings.budget == own.budget
    assert found.settings.thorough == own.thorough
    assert found.settings.judge is JudgeMode.OFF
    assert found.settings.execution == own.execution
    assert found.settings.sampling.concurrency == own.sampling.concurrency
    assert found.settings.sampling.draw_seconds == 10.0
    said = "\n".join(found.notices)
    for name in ("sampling.candidates = 150", "budget.tokens_per_day", "thorough.requests"):
        assert f"asks for {name}" in said
    assert "asks for judge = always, and off is used" in said
    assert "asks for execution.memory_bytes = 68719476736, and 1073741824 is used" in said
    assert len(found.notices) == 9


def test_the_users_own_file_allows_more(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text(
        'judge = "on-disagreement"\nsampling.candidates = 40\nbudget.tokens_per_day = 9000000\n',
        encoding="utf-8",
    )
    asked = replace(options(tmp_path, PROJECT_ASKS), user_settings=str(tmp_path / "settings.toml"))
    found = settings_for(asked)
    assert found.settings.sampling.candidates == 40
    assert found.settings.budget.tokens_per_day == 9_000_000
    assert found.settings.judge is JudgeMode.ON_DISAGREEMENT
    assert str(tmp_path / "settings.toml") in found.notices[0]
    # What is said at the command line or in the editor is the user's word, too.
    always = settings_for(replace(asked, judge="always"))
    assert always.settings.judge is JudgeMode.ALWAYS
    assert not [notice for notice in always.notices if "judge" in notice]


def test_settings_that_may_have_come_with_the_project_are_not_the_users_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, own = tmp_path / "project", tmp_path / "own"
    usual = project / ".config" / "assay" / "settings.toml"
    usual.parent.mkdir(parents=True)
    usual.write_text("execution.memory_bytes = 8589934592\n", encoding="utf-8")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(project / ".config"))
    asked = replace(options_from({}), root=str(project))
    found = settings_for(asked)
    assert found.settings == Settings()
    assert f"{usual} is not used: it is in the project" in "\n".join(found.notices)
    # Nor are those of a home that is not the system's, wherever it is.
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setenv("HOME", str(project))
    moved = replace(options_from({}), root=str(own))
    assert settings_for(moved).settings == Settings()
    monkeypatch.undo()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(project / ".config"))
    # For another project, or named, it is the user's.
    for theirs in (
        replace(asked, root=str(own)),
        replace(options_from({USER_SETTINGS_VARIABLE: str(usual)}), root=str(project)),
    ):
        counting = settings_for(theirs)
        assert counting.settings.execution.memory_bytes == 8 << 30
        assert counting.notices == ()


@pytest.mark.parametrize(
    ("environment", "key"),
    [
        ({"ASSAY_BASE_URL": "http://h/v1", "ASSAY_MODEL": "m", "OPENAI_API_KEY": "sk-o"}, ""),
        (
            {"ASSAY_BASE_URL": "https://api.openai.com.evil.example/v1", "ASSAY_MODEL": "m"}
            | {"OPENAI_API_KEY": "sk-o"},
            "",
        ),
        (
            {"ASSAY_BASE_URL": "http://api.openai.com/v1", "ASSAY_MODEL": "m"}
            | {"OPENAI_API_KEY": "sk-o"},
            "",
        ),
        (
            {"OPENAI_BASE_URL": "https://h/v1", "OPENAI_MODEL": "m", "ASSAY_API_KEY": "sk-a"}
            | {"OPENAI_API_KEY": "sk-o"},
            "sk-o",
        ),
        (
            {"ASSAY_BASE_URL": "https://api.openai.com/v1", "OPENAI_MODEL": "m"}
            | {"OPENAI_API_KEY": "sk-o"},
            "sk-o",
        ),
        (
            {"ASSAY_BASE_URL": "https://h/v1", "ASSAY_MODEL": "m", "ASSAY_API_KEY": "sk-a"}
            | {"OPENAI_BASE_URL": "https://other/v1", "OPENAI_API_KEY": "sk-o"},
            "sk-a",
        ),
    ],
)
def test_a_key_goes_to_the_address_beside_it_alone(environment: dict[str, str], key: str) -> None:
    (endpoint,) = endpoints_from(environment)
    assert endpoint.model == "m"
    assert endpoint.api_key == key


def test_spaces_around_an_address_are_no_part_of_it() -> None:
    (endpoint,) = endpoints_from({"ASSAY_BASE_URL": " http://127.0.0.1:1/v1\n", "ASSAY_MODEL": "m"})
    assert endpoint == Endpoint("http://127.0.0.1:1/v1", "m")


def test_a_model_of_the_other_family_is_not_taken() -> None:
    with pytest.raises(ConfigurationError, match="OPENAI_MODEL is not set"):
        endpoints_from({"OPENAI_BASE_URL": "https://h/v1", "ASSAY_MODEL": "m"})


def test_only_the_exact_words_of_the_environment_take_confinement_away(tmp_path: Path) -> None:
    careless = options(tmp_path, "", **{UNCONFINED_VARIABLE: "1"})
    explicit = options(tmp_path, "", **{UNCONFINED_VARIABLE: UNCONFINED_VALUE})
    assert not settings_for(careless).settings.execution.unconfined
    assert settings_for(explicit).settings.execution.unconfined


def test_a_key_alone_sends_nothing_anywhere() -> None:
    assert endpoints_from({"OPENAI_API_KEY": "sk-secret"}) == ()


@pytest.mark.parametrize(
    ("prices", "said"),
    [
        ("{ input = -1, output = 2 }", "Expected `float` >= 0.0 - at `$.prices.input`"),
        ("{ input = 1, output = nan }", "at `$.prices.output`"),
        ("{ input = 1, output = inf }", "at `$.prices.output`"),
        ("{ input = '1', output = 2 }", "Expected `float`, got `str` - at `$.prices.input`"),
        ("{ input = true, output = 2 }", "Expected `float`, got `bool` - at `$.prices.input`"),
        ("{ input = 1 }", "missing required field `output` - at `$.prices`"),
        ("{ input = 1, output = 2, cache = 3 }", "unknown field `cache` - at `$.prices`"),
        ("{ input = 1, output = 2, currency = '$' }", "at `$.prices.currency`"),
        ("0.5", "got `float` - at `$.prices`"),
        ("{ input = 1, output = 2, currency = 'EUR' }", "all prices have to be in one currency"),
    ],
)
def test_prices_that_cannot_be_meant_are_refused(tmp_path: Path, prices: str, said: str) -> None:
    own = tmp_path / "settings.toml"
    other = "[[endpoint.also]]\nbase_url = 'http://b/v1'\nmodel = 'b'\n"
    own.write_text(
        f"[endpoint]\nbase_url = 'http://a/v1'\nmodel = 'a'\nprices = {prices}\n"
        f"{other}prices = {{ input = 0, output = 0.5 }}\n",
        encoding="utf-8",
    )
    with pytest.raises(ConfigurationError) as caught:
        settings_for(EngineOptions(user_settings=str(own)))
    assert f"{own}: [endpoint] cannot be used: " in str(caught.value)
    assert said in str(caught.value)


def test_an_endpoint_needs_a_model() -> None:
    with pytest.raises(ConfigurationError, match="ASSAY_MODEL"):
        endpoints_from({"ASSAY_BASE_URL": "http://localhost:1/v1"})


@pytest.mark.parametrize(
    ("base_url", "whose"),
    [
        ("https://api.openai.com/v1", True),
        ("https://evilopenai.com/v1", False),
        ("https://api.openai.com.example.org/v1", False),
        ("http://api.openai.com/v1", False),
        ("https://[::1/v1", False),
    ],
)
def test_only_openai_is_told_of_an_account_there(base_url: str, whose: bool) -> None:
    assert is_openai(base_url) is whose


def test_the_key_is_in_no_representation() -> None:
    (endpoint,) = endpoints_from(
        {"ASSAY_BASE_URL": "https://h/v1", "ASSAY_MODEL": "m", "ASSAY_API_KEY": "sk-secret"}
    )
    assert endpoint.api_key == "sk-secret"
    wording = Wording("h", "m", 1.0, "sk-secret")
    options = EngineOptions(environment={"ASSAY_API_KEY": "sk-secret"})
    for holder in (endpoint, wording, options):
        assert "sk-secret" not in f"{holder!r} {holder} {pretty_repr(holder)}"
        assert type(holder).__name__ in repr(holder)


@pytest.mark.parametrize(
    ("base_url", "local"),
    [
        ("http://127.0.0.1:8080/v1", True),
        ("http://localhost/v1", True),
        ("http://[::1]:8080/v1", True),
        ("https://api.example.com/v1", False),
        ("https://localhost.example.com/v1", False),
        ("http://[::1]/v1", True),
        ("http://LOCALHOST/v1", True),
        ("localhost:8080/v1", True),
        ("http://127.0.0.2/v1", True),
        ("http://localhost:80@example.com/v1", False),
        ("http://0.0.0.0.example.com", False),
        ("http://[::1", False),
    ],
)
def test_what_stays_on_this_machine(base_url: str, local: bool) -> None:
    (endpoint,) = endpoints_from({"ASSAY_BASE_URL": base_url, "ASSAY_MODEL": "m"})
    assert endpoint.is_local is local


def test_own_settings_that_are_named_and_not_there_are_no_settings(tmp_path: Path) -> None:
    missing = tmp_path / "onw.toml"
    asked = options_from({USER_SETTINGS_VARIABLE: str(missing)})
    with pytest.raises(
        ConfigurationError, match=r"onw\.toml \(named by ASSAY_SETTINGS\) does not exist"
    ):
        settings_for(asked)


def test_without_a_project_a_package_lies_in_its_root(tmp_path: Path) -> None:
    inner = tmp_path / "work" / "shop" / "money"
    inner.mkdir(parents=True)
    for folder in (inner, inner.parent):
        (folder / "__init__.py").touch()
    for name in ("rates.py", "../bill.py", "../../script.py"):
        (inner / name).touch()
        assert project_root(inner / name) == tmp_path / "work"
    (inner / "pyproject.toml").touch()
    assert project_root(inner / "rates.py") == inner


def test_a_text_whose_path_leads_in_a_circle_is_in_some_project_and_left_out_of_none(
    tmp_path: Path,
) -> None:
    """As an editor holds one whose folder was replaced."""
    (tmp_path / "here").symlink_to("there")
    (tmp_path / "there").symlink_to("here")
    lost = tmp_path / "here" / "lost.py"
    root = project_root(lost)
    assert tmp_path in (root, *root.parents)
    assert not Ignoring(root, ()).ignores(lost)
    assert not Ignoring(tmp_path, ()).ignores(lost)
    assert workspace_modules(lost, root).find("lost") is None
