"""What a check costs in money, by the prices that the user has given, for a panel with two."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from assay_engine.cli.setup_answers import write_endpoint
from assay_engine.config.settings import EndpointSettings
from support.check_workspace import RIGHT_MODULE, Workspace, workspace
from support.openai_server import Behaviour, OpenAIServer, Request, answer, completion, status
from support.played_endpoints import answer_to

COUNTED = {
    "prompt_tokens": 1000,
    "completion_tokens": 100,
    "prompt_tokens_details": {"cached_tokens": 400},
}
# The first house has no price of its own for what it reads from its cache.
FIRST = "{ input = 10, output = 100 }"
OTHER = "{ input = 20, cached = 5, output = 200.0 }"
# Of the five requests, the inputs and two candidates are the first one's.
PRICE = (3 * (1000 * 10 + 100 * 100) + 2 * (600 * 20 + 400 * 5 + 100 * 200)) / 1_000_000
COST = "5 requests, 5,500 tokens (2,000 of them cached) and 0.13 USD"


def serve(request: Request) -> Behaviour:
    if request.method == "GET":
        return status(404)
    return answer(completion(answer_to(request), usage=COUNTED))


def settled(made: Workspace, first: str, other: str) -> dict[str, str]:
    """The variables of a user with these prices in the settings."""
    settings = made.folder / "settings.toml"
    endpoint = f'base_url = "{made.base_url}"\nmodel = "{{}}"\n'
    priced = [f"prices = {prices}\n" if prices else "" for prices in (first, other)]
    settings.write_text(
        f"[endpoint]\n{endpoint.format('alpha')}{priced[0]}"
        f"[[endpoint.also]]\n{endpoint.format('beta')}{priced[1]}",
        encoding="utf-8",
    )
    return {"ASSAY_BASE_URL": "", "ASSAY_MODEL": "", "ASSAY_SETTINGS": str(settings)}


def test_the_price_stands_beside_the_tokens(tmp_path: Path) -> None:
    with OpenAIServer(serve) as server:
        made = workspace(tmp_path, server, RIGHT_MODULE)
        variables = settled(made, FIRST, OTHER)
        run = made.assay("check", "limits.py", **variables)
        again = made.assay("check", "limits.py", **variables)
        stored = made.assay("check", "limits.py", "--format", "json", **variables)
        page = str(tmp_path / "page.html")
        made.assay("explain", "limits.py::clamp", "--html", "-o", page, **variables)
        told = made.assay("doctor", **variables)
    assert run.stdout.splitlines()[-1] == f"cost: {COST} now"
    assert again.stdout.splitlines()[-1] == (
        f"cost: 0 requests and 0 tokens now; its replies cost {COST} when they were requested"
    )
    cost = json.loads(stored.stdout)["reports"][0]["cost"]
    assert cost["price"] is None
    assert cost["drawn_price"] == {"amount": pytest.approx(PRICE), "currency": "USD"}
    assert COST in Path(page).read_text(encoding="utf-8")
    (budget,) = [line for line in told.stdout.splitlines() if line.startswith("budget")]
    assert "5,500 of" in budget
    assert budget.endswith(", 0.13 USD")


@pytest.mark.parametrize(
    ("other", "changes", "reason"),
    [
        ("", {}, "one of two prices is not known"),
        (OTHER, {"ASSAY_MODEL": "gamma"}, "it is another model's price"),
    ],
)
def test_no_price_is_guessed(
    tmp_path: Path, other: str, changes: dict[str, str], reason: str
) -> None:
    with OpenAIServer(serve) as server:
        made = workspace(tmp_path, server, RIGHT_MODULE)
        variables = settled(made, FIRST, other) | changes
        run = made.assay("check", "limits.py", "--format", "json", **variables)
        told = made.assay("doctor", **variables)
    cost = json.loads(run.stdout)["reports"][0]["cost"]
    assert cost["paid"]["requests"] == 5
    assert cost["price"] is cost["drawn_price"] is None, reason
    assert "5,500 of" in told.stdout
    assert "USD" not in told.stdout


@pytest.mark.parametrize(("model", "kept"), [("alpha", True), ("gamma", False)])
def test_setting_up_the_same_model_again_keeps_its_prices(
    tmp_path: Path, model: str, kept: bool
) -> None:
    with OpenAIServer(serve) as server:
        path = settled(workspace(tmp_path, server), FIRST, OTHER)["ASSAY_SETTINGS"]
    write_endpoint(path, EndpointSettings(server.base_url, model))
    written = tomllib.loads(Path(path).read_text(encoding="utf-8"))["endpoint"]
    assert ("prices" in written) is kept
    assert "prices" in written["also"][0]
