"""What looks like a credential does not leave the machine, and what only sounds like one does."""

from __future__ import annotations

import re
from itertools import cycle, islice

import pytest

from assay_engine.sampling.prompting import candidate_prompt, inputs_prompt
from assay_engine.settling.serialising import output_text
from assay_engine.specification.specification import specify
from assay_engine.syntax.secrets import MASKED, without_secrets
from assay_engine.syntax.units import find_units
from assay_sandbox import Observation, Raised, Returned, encode


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
        ('TOKEN = "9f8a7b6c5d4e3f2a1b0c"', f"TOKEN = {MASKED}"),
        ('fetch(key="9f8a7b6c5d4e3f2a1b0c")', f"fetch(key={MASKED})"),
        ('DATADOG = "9f8a7b6c5d4e3f2a1b0c"', f"DATADOG = {MASKED}"),
        ('ENV = "TOKEN=9f8a7b6c5d4e3f2a1b0c"', f"ENV = {MASKED}"),
        ('URL = "http://x.org/?a=1&key=9f8a7b6c5d4e3f2a1b0c"', f"URL = {MASKED}"),
        ("DSN = 'Server=db;User Id=ada;Password=hunter2;'", f"DSN = {MASKED}"),
        (
            'H = {"Authorization": "Bearer 9f8a7b6c5d4e3f2a1b0c"}',
            f'H = {{"Authorization": {MASKED}}}',
        ),
        ("F = f'token={name}&key=9f8a7b6c5d4e3f2a1b0c'", f"F = {MASKED}"),
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
        "sorted(rows, key='address_line_2')",
        "ROW = {'key': 'item_2024_01', 'token': 'EXPR', 'access': '2024-01-01T10:00:00'}",
        "CACHE_KEY = 'user:{}:orders:2024'",
        "NAMES = ['sha256', 'tokenizer_v2', 'https://example.org/keys?id=3']",
        "HELP = 'password=password, key=value, token={token}, api_key=$API_KEY'",
        "TEXT = 'Basic authentication, bearer of news'",
    ],
)
def test_what_only_sounds_like_one_stays(text: str) -> None:
    assert without_secrets(text) == text


# Made up, of the forms that the default rules of gitleaks and Betterleaks know: x stands for
# letters and digits, h for hexadecimal digits, d for digits, u for capitals and digits, l for
# letters.
FORMS = """
1Password          A3-{u6}-{u11}-{u5}-{u5}-{u5}   ops_eyJ{x250}
Adobe, age         p8e-{h32}   AGE-SECRET-KEY-1{u58}
Aikido             AIK_CI_{x30}   AIK_SECRET_{x64}
Airtable           pat{x14}.{h64}
Alibaba            LTAI{x20}   STS.{x24}
Artifactory        AKCp{x69}   cmVmd{x59}
Authress           sc_{h20}.{h4}.acc_{h20}.{h60}
AWS                AKIA{u16}   ASIA{u16}   A3TX{u16}   ABSK{x120}
Azure              {x3}8Q~{x34}
AzureStorage       DefaultEndpointsProtocol=https;AccountName=a;AccountKey={x86}==
AzureBus           Endpoint=sb://a.net/;SharedAccessKeyName=all;SharedAccessKey={x43}=
AzureSignature     https://ada.blob.core.windows.net/c?sv=2024&sig={x43}%3D
Beamer, Brave      b_{x44}   BSA{x27}
Canva, Cerebras    cnvca{x51}   csk-{h48}
ClickHouse         4b1d{x38}
Clojars            CLOJARS_{h60}
Cloudflare         v1.0-{h24}-{h146}
CockroachLabs      CCDB1_{x22}_{x40}
ConfigCat          configcat-sdk-1/{x22}/{x22}
Cursor             key_{h64}
Databricks         dapi{h32}
Defined            dnkey-{h26}-{h52}
Deno, Devin        ddp_{x36}   apk_user_{x120}   cog_{l52}
DigitalOcean       dop_v1_{h64}   doo_v1_{h64}   dor_v1_{h64}
Discord            https://discord.com/api/webhooks/{d18}/{x68}
Docker             dckr_pat_{x27}   dckr_oat_{x32}
Doppler, Dropbox   dp.pt.{x43}   sl.{x135}
Duffel             duffel_live_{x43}
Dynatrace          dt0c01.{u24}.{u64}
EasyPost           EZAK{x54}   EZTK{x54}
Elastic, Endor     essu_{x80}   endr+{x16}
Exoscale           EXO{x24}
Facebook           {d15}|{x27}   EAAM{x120}
Figma              figd_{x40}
Flutterwave        FLWSECK_TEST-{h32}-X
Fly                FlyV1_fm2_{x100}   fm2_{x100}
Frame.io           fio-u-{x64}
GCP                AIza{x35}   ya29.{x60}
GitHub             ghp_{x36}   gho_{x36}   ghu_{x36}   ghs_{x36}   ghr_{x36}   github_pat_{x82}
GitLab             glpat-{x20}   glptt-{h40}   glrt-{x20}   gldt-{x20}   glcbt-{x5}_{x20}
GitLab             GR1348941{x20}
GitLabMore         glffct-{x20}   glft-{x20}   glimt-{x25}   glagent-{x50}   gloas-{x64}
GitLabMore         glsoat-{x20}
Grafana            glc_{x60}   glsa_{x32}_{h8}   eyJrIjoi{x60}
Groq               gsk_{x52}
Harness            pat.{x22}.{h24}.{x20}
HashiCorp          {h14}.atlasv1.{x64}   hvs.{x95}   hvb.{x140}   s.{x24}
Heroku             HRKU-AA{x58}
HuggingFace        hf_{l34}   api_org_{l34}
Infracost          ico-{x32}
Intra42            s-s4t2ud-{h64}
JWT                eyJ{x20}.eyJ{x30}.{x40}   ZXlK{x60}
Linear             lin_api_{x40}
Mailchimp          {h32}-us21
Mapbox             pk.eyJ{x60}.{x22}
MaxMind            {x6}_{x29}_mmk
MongoDB            mdb_sa_id_{h24}   mdb_sa_sk_{x40}   mongodb+srv://ada:{x12}@db.example.org
NewRelic           NRAK-{u27}   NRII-{x32}   NRJS-{h19}
Notion             ntn_{d11}{x35}   secret_{x43}
npm                npm_{x36}   //a.example.org/:_authToken=npm_{x36}
Nvidia, Octopus    nvapi-{x64}   API-{u26}
Okta, OpenShift    00{x40}   sha256~{x43}
OpenAI             sk-proj-{x74}T3BlbkFJ{x74}   sk-{x48}
Anthropic          sk-ant-api03-{x93}AA
OpenRouter         sk-or-v1-{h64}
Perplexity         pplx-{x48}
Plaid              access-sandbox-{h8}-{h4}-{h4}-{h4}-{h12}
PlanetScale        pscale_tkn_{x43}   pscale_pw_{x43}   pscale_oauth_{x43}
PostHog            phx_{x47}   phc_{x43}
Postman, Prefect   PMAK-{h24}-{h34}   pnu_{x36}
PrivateKey         -----BEGIN_RSA_PRIVATE_KEY-----
Pulumi, PyPI       pul-{h40}   pypi-AgEIcHlwaS5vcmc{x60}
ReadMe, Replicate  rdme_{h70}   r8_{x37}
RubyGems           rubygems_{h48}
Scalingo           tk-us-{x48}
SendGrid           SG.{x22}.{x43}
Sendinblue         xkeysib-{h64}-{x16}
Sentry             sntrys_{x80}_{x43}   sntryu_{h64}
SettleMint         sm_aat_{x16}   sm_pat_{x16}   sm_sat_{x16}
Shippo             shippo_live_{h40}
Shopify            shpat_{h32}   shpca_{h32}   shppa_{h32}   shpss_{h32}
Slack              xoxb-{d12}-{d12}-{x24}   xoxp-{d12}-{d12}-{d12}-{h32}   xapp-1-{u10}-{d12}-{h64}
SlackMore          xoxe.xoxp-1-{u163}   xoxe-1-{u146}   xoxs-1-2-3-{h10}
SlackMore          xoxc-{d12}-{d12}-{d12}-{h64}
SlackHook          https://hooks.slack.com/services/T{u8}/B{u8}/{x24}
SlackFlow          https://hooks.slack.com/workflows/T{u8}/A{u8}/{d18}/{x24}
Sonar, Sourcegraph  squ_{h40}   sgp_{h40}
Square             EAAA{x60}   sq0atp-{x22}
Stripe             sk_live_{x24}   rk_prod_{x24}   whsec_{x32}
Supabase           sbp_{h40}   sb_secret_{x31}
Teams              https://a.webhook.office.com/webhookb2/{h8}-{h4}-{h4}-{h4}-{h12}@{h8}/
Telegram           {d10}:A{x34}
Together, Twilio   tgp_v1_{x43}   SK{h32}
Twitter            AAAAAAAAAAAAAAAAAAAAAA{x80}
Typeform, UpCloud  tfp_{x59}   ucat_{x28}
Vercel             vcp_{x56}   vck_{x56}   vca_{x56}   vcr_{x56}   vci_{x56}
Weights, xAI       wandb_v1_{x77}   xai-{x80}
Yandex             t1.{x12}.{x86}   AQVN{x35}   YC{x38}
"""
_ALPHABETS = {
    "x": "q7Rt2WmZ9xKc4VbN1sLd8FgH3jPy6Tn0uQe5",
    "h": "9f3a7b0c5d1e8264",
    "d": "7301946825",
    "u": "Q7RT2WMZ9XKC4VBN",
    "l": "qrtwmzxkcvbnsldfghjpytue",
}


def made_up(form: str) -> str:
    def drawn(match: re.Match[str]) -> str:
        return "".join(islice(cycle(_ALPHABETS[match[1]]), int(match[2])))

    return (
        re.sub(r"\{([xhdul])(\d+)\}", drawn, form)
        .replace("FlyV1_", "FlyV1 ")
        .replace("BEGIN_RSA_PRIVATE_KEY", "BEGIN RSA PRIVATE KEY")
    )


@pytest.mark.parametrize("row", FORMS.strip().split("\n"))
def test_a_token_of_every_known_form_is_masked_by_its_form_alone(row: str) -> None:
    for form in re.split(r"\s{3,}|(?<=\})\s+", row[19:].strip()):
        token = made_up(form)
        for text in (token, f"use {token} here"):
            assert without_secrets(f"VALUE = [{text!r}]\n") == f"VALUE = [{MASKED}]\n", token


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


@pytest.mark.parametrize(
    "seen",
    [
        Returned(encode("ghp_abcdefghijklmnopqrstuvwxyz")),
        Returned(encode({"password": "hunter2hunter2", "of": ["ada"]})),
        Returned(encode(1), stdout="key: ghp_abcdefghijklmnopqrstuvwxyz\n"),
        Returned(encode(1), args_after=encode([["ghp_abcdefghijklmnopqrstuvwxyz"], {}])),
        Raised("KeyError", "'ghp_abcdefghijklmnopqrstuvwxyz'", ("KeyError",)),
        Raised("Unlucky", "no ghp_abcdefghijklmnopqrstuvwxyz", ("Unlucky",)),
    ],
)
def test_no_judge_is_shown_a_credential_that_a_program_found(seen: Observation) -> None:
    shown = output_text(seen)
    assert "ghp_" not in shown
    assert "hunter2" not in shown
    assert "***" in shown
