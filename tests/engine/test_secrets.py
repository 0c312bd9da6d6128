"""What looks like a credential does not leave the machine, and what only sounds like one does."""

from __future__ import annotations

import pytest

from assay_engine.drawing.prompting import candidate_prompt, inputs_prompt
from assay_engine.reading.specification import specify
from assay_engine.reading.units import find_units
from assay_engine.syntax.secrets import MASKED, without_secrets


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('API_KEY = "sk-live-VERYSECRET"', f"API_KEY = {MASKED}"),
        ('api_key: str = "0123-4567"', f"api_key: str = {MASKED}"),
        ("self.password = 'hunter2'", f"self.password = {MASKED}"),
        (
            'DB = {"password": "hunter2", "user": "ada"}',
            f'DB = {{"password": {MASKED}, "user": "ada"}}',
        ),
        ('connect("db", password="hunter2")', f'connect("db", password={MASKED})'),
        ('DSN = "postgres://ada:hunter2@db/main"', f"DSN = {MASKED}"),
        ("SECRET = b'\\x00\\x01\\x02\\x03'", f"SECRET = b{MASKED}"),
        ('X = ["é", "ghp_abcdefghijklmnopqrstuvwxyz"]', f'X = ["é", {MASKED}]'),
        ('URL = f"https://ada:hunter2@{host}/"', f"URL = {MASKED}"),
        ('def f(a, secret="abcd"): ...', f"def f(a, secret={MASKED}): ..."),
        ('def f(*, access_token="abcd"): ...', f"def f(*, access_token={MASKED}): ..."),
        ('A = B_SECRET = "abcd"', f"A = B_SECRET = {MASKED}"),
    ],
)
def test_a_literal_that_looks_like_a_credential_is_masked(before: str, after: str) -> None:
    assert without_secrets(before) == after


@pytest.mark.parametrize(
    "text",
    [
        'TOKEN = "NUMBER"',
        'PASSWORD = "password"',
        'PASSWORD_FIELD = "pass_word"',
        'SECRETS = ["abcd"]',
        "password = input()",
        "password_min_length = 8",
        'api_key = ""',
        'SECRET = "abc"',
        'API_KEY = os.environ["API_KEY"]',
        "task-runner = 3",
        'URL = "https://example.org/a:b@c"',
        "def f(secret: str) -> str: ...",
    ],
)
def test_what_only_sounds_like_one_stays(text: str) -> None:
    assert without_secrets(text) == text


def test_no_prompt_shows_a_key_that_the_program_has() -> None:
    text = (
        "import hashlib\n"
        'API_KEY = "0123456789"\n'
        "def sign(text: str, secret: str = 'correct horse') -> str:\n"
        '    """The digest of a text under the key."""\n'
        "    return hashlib.sha256((API_KEY + secret + text).encode()).hexdigest()\n"
    )
    (unit,) = find_units(text)[0]
    specification = specify(text, unit)
    for prompt in (
        candidate_prompt(specification, temperature=1.0, max_tokens=100),
        inputs_prompt(specification, temperature=1.0),
    ):
        shown = prompt.system + prompt.user
        assert "0123456789" not in shown
        assert "correct horse" not in shown
        assert f"API_KEY = {MASKED}" in shown
    assert "0123456789" in specification.program
