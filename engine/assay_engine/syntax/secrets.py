"""Finds texts in a program that look like credentials, and gives the program without them.

A model is sent the definitions that a function refers to, and with them any key that stands among
them. No candidate needs the key: the programs that run have the text as it is.

The forms, and the names beside which credentials without a form of their own stand, are those of
the default rules of gitleaks (github.com/gitleaks/gitleaks, MIT licence, by Zachary Rice), as its
successor Betterleaks keeps them. There, a finding accuses somebody, so the rules are exact. Here, a
text is only withheld from a model, so a prefix and part of the length are enough.
"""

from __future__ import annotations

import ast
import math
import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from assay_engine.syntax.identifiers import defaults_of
from assay_engine.syntax.parsing import last_name
from assay_engine.syntax.text import Source, excerpt, read_source
from assay_engine.types import Edit

MASKED = "'***'"
# Shorter texts are not secret, or not worth the name.
CHARACTERS_MIN = 4

_NAMED = re.compile(
    r"(?:^|_)(?:pass(?:word|wd|phrase)|pwd|secret|credentials?|(?:api|access|secret|private)_?key"
    r"|(?:auth|access|refresh|api|bearer)_?token)$",
    re.IGNORECASE,
)


def without_secrets(text: str) -> str:
    """The same program text without what `masks` replaces."""
    for edit in reversed(masks(read_source(text))):
        text = text[: edit.span.start] + edit.new_text + text[edit.span.end :]
    return text


def value_without_secrets(written: str) -> str:
    """The same for a value, which need not be written as in a program."""
    if not has_form(written) and BESIDE.search(written) is None:
        return written
    return (text_without_secrets if read_source(written).problems else without_secrets)(written)


def text_without_secrets(text: str) -> str:
    """A text of any kind, of which nothing is shown if any of it looks like a credential."""
    return "***" if has_form(text) else text


# A memo of a pure function, like `read_source`: all functions of a file are shown parts of it.
@lru_cache(maxsize=4)
def masks(source: Source) -> tuple[Edit, ...]:
    """The edits, in order, that replace every literal that looks like a credential.

    A literal looks like a credential by its form (``sk-...``), or by the name that it is given to
    (``API_KEY = "..."``), unless it repeats that name (``PASSWORD = "password"``). Beside a name
    that need not mean a credential (``key``), it also has to look drawn at random.
    """
    spans = sorted({source.span(node) for node in _secrets(source)}, key=lambda span: span.start)
    return tuple(
        Edit(span, f"b{MASKED}" if source.text[span.start] in "bB" else MASKED) for span in spans
    )


def _secrets(source: Source) -> Iterator[ast.expr]:
    """The literals that look like credentials, none within another."""
    pending: list[ast.AST] = [source.tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.JoinedStr):
            if has_form(excerpt(source, source.span(node), ())):
                yield node
            continue
        if isinstance(node, ast.Constant) and (text := _text(node.value)) and has_form(text):
            yield node
        for name, value in _given_names(node):
            text = _text(value.value) if isinstance(value, ast.Constant) else ""
            if value is None or len(text) < CHARACTERS_MIN:
                continue
            if _NAMED.search(name) is not None:
                if not repeats(name, text):
                    yield value
            elif BESIDE.search(name) is not None and is_random(text):
                yield value
        pending += ast.iter_child_nodes(node)


def _given_names(node: ast.AST) -> Iterator[tuple[str, ast.expr | None]]:
    """Names with what they are given: variables, attributes, keywords, keys and parameters."""
    match node:
        case ast.Assign(targets=targets, value=value):
            yield from ((last_name(target) or "", value) for target in targets)
        case ast.AnnAssign(target=target, value=value):
            yield last_name(target) or "", value
        case ast.keyword(arg=str(name), value=value):
            yield name, value
        case ast.Dict(keys=keys, values=values):
            for key, value in zip(keys, values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield key.value, value
        case ast.arguments():
            yield from ((each.arg, default) for each, default in defaults_of(node).items())
        case _:
            pass


def _text(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode("latin-1")
    return value if isinstance(value, str) else ""


# Each stands at the beginning of a word. In the order of the rules' names, several to a line.
_PREFIXED = r"""
A3-[A-Z0-9]{6}-[A-Z0-9]{6,11}-  ops_eyJ[\w+/]{40}  p8e-[a-z0-9]{32}  AGE-SECRET-KEY-1[A-Z0-9]{30}
AIK_(?:CI|CLIENT|SECRET)_\w{20}  pat[A-Za-z0-9]{14}\.[a-f0-9]{40}  LTAI[A-Za-z0-9]{12}
STS\.[A-Za-z0-9]{16}  AKCp[A-Za-z0-9]{40}  cmVmd[A-Za-z0-9]{40}
(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-]
(?:A3T[A-Z0-9]|A[KSB]IA|ACCA)[A-Z0-9]{12}  ABSK[A-Za-z0-9+/]{60}  bedrock-api-key-[\w=]{20}
[\w~.]{3}\dQ~[\w~.-]{31}  b_[\w=-]{44}  BSA[\w-]{24}  cnvca[\w-]{40}  csk-[a-z0-9]{40}
4b1d[A-Za-z0-9]{38}  CLOJARS_[a-z0-9]{40}  v1\.0-[a-f0-9]{24}-[a-f0-9]{40}  CCDB1_\w{22}_\w{30}
configcat-sdk-1/[\w-]{22}  key_[0-9a-f]{40}  dapi[a-f0-9]{30}  dnkey-[\w=-]{26}-
ddp_[A-Za-z0-9]{30}  apk_[\w+/]{60}  cog_[a-z2-7]{40}  do[opr]_v1_[a-f0-9]{40}
dckr_[op]at_[\w-]{20}  dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{30}  sl\.[\w=-]{60}
duffel_(?:test|live)_[\w=-]{30}  dt0[a-z]\d\d\.[A-Za-z0-9]{24}\.  EZ[AT]K[A-Za-z0-9]{40}
essu_[\w=-]{40}  endr\+[A-Za-z0-9-]{16}  EXO[A-Za-z0-9]{24}  \d{15,16}\|[\w-]{27}
EAA[A-Za-z0-9]{60}  fig[du]_[\w-]{30}  FLW(?:SECK|PUBK)(?:_TEST)?-[a-zA-Z0-9]{12}
FlyV1\s[\w=,/+-]{40}  fm2_[\w=,/+-]{40}  fio-u-[\w=-]{40}  AIza[\w-]{30}  ya29\.[\w-]{20}
gh[oprsu]_\w{20}  github_pat_\w{20}
gl(?:pat|cbt|dt|ffct|ft|imt|agent|oas|ptt|rt|soat|rtr|wt)-[\w-]{16}  GR1348941[\w-]{16}
gl(?:c|sa)_[\w+/]{30}  gsk_[A-Za-z0-9]{30}  [ps]at\.[\w-]{22}\.[0-9a-f]{24}\.
[a-z0-9]{14}\.atlasv1\.[\w=-]{40}  HRKU-AA[\w-]{40}  hf_[A-Za-z0-9]{20}  api_org_[A-Za-z]{20}
hv[bsr]\.[\w-]{24}  s\.[A-Za-z0-9]{24}\b  ico-[A-Za-z0-9]{30}  s-s4t2(?:ud|af)-[a-f0-9]{40}
eyJ[\w-]{8,1000}\.[\w-]{8,4000}\.[\w-]  eyJrIjoi[\w+/]{30}  ZXlK[\w+/=]{40}
lin_(?:api|oauth)_[A-Za-z0-9]{30}  [A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk  mdb_sa_(?:id|sk)_[\w-]{20}
[pk]k\.eyJ[\w-]{30}  NR(?:AK|II|JS|RA)-[\w-]{16}  ntn_\w{30}  secret_[A-Za-z0-9]{40}
np[mo]_[A-Za-z0-9]{30}  nvapi-[\w-]{40}  API-[A-Z0-9]{24}  00[\w=-]{40}\b  sha256~[\w-]{40}
pplx-[A-Za-z0-9]{40}  access-(?:sandbox|development|production)-[0-9a-f]{8}-
pscale_(?:tkn|oauth|pw)_[\w=.-]{30}  ph[cx]_[\w-]{40}  PMAK-[a-f0-9]{24}-  pnu_[A-Za-z0-9]{30}
pul-[a-f0-9]{30}  pypi-[\w-]{50}  rdme_[a-z0-9]{40}  r8_[A-Za-z0-9]{30}  rubygems_[a-f0-9]{40}
tk-us-[\w-]{40}  SG\.[\w=.-]{40}  x(?:keysib|smtpsib)-[a-f0-9]{40}  sntry[su]_[\w+/=-]{40}
sm_[aps]at_[A-Za-z0-9]{16}  shippo_(?:live|test)_[a-fA-F0-9]{40}
shp(?:at|ca|pa|ss|tka)_[a-fA-F0-9]{32}  xapp-\d-[A-Z0-9]+-\d+-  xox[a-z](?:\.xox[bp])?-[\w./+%-]{10}
sq[uap]_[a-z0-9]{40}  sgp_\w{40}  (?:EAAA|sq0(?:atp|csp|idp)-)[\w-]{22}  SK[0-9a-fA-F]{32}
sbp_[a-z0-9_-]{40}  sb_secret_[\w-]{20}  \d{8,10}:A[\w-]{34}  tgp_v1_[\w-]{40}  A{22}[\w%]{60}
tfp_[\w.=-]{40}  ucat_[A-Za-z0-9]{24}  vc[kapri]_[\w-]{40}  wandb_v1_\w{40}  xai-[\w-]{60}
t1\.[\w-]+={0,2}\.[\w-]{60}  AQVN[\w-]{35}  YC[\w-]{38}\b  [a-f0-9]{32}-us\d{1,2}\b
[sprw]k[-_][\w-]{8}  whsec_[\w+/=]{24}
"""
_ANYWHERE = r"""
-----BEGIN[\sA-Z0-9_-]{0,100}PRIVATE\sKEY  ://[^/\s:@'"]+:[^/\s:@'"]+@  [A-Za-z0-9+/]{86}==
hooks\.slack\.com/(?:services|workflows|triggers)/[\w+/]{20}
discord(?:app)?\.com/api/webhooks/\d+/[\w-]{20}  \.webhook\.office\.com/webhookb2/[\w@-]{30}
[?&]sig=[\w%+/=-]{20}
"""
_WITH_FORM = re.compile(rf"(?<!\w)(?:{'|'.join(_PREFIXED.split())})|{'|'.join(_ANYWHERE.split())}")

_SERVICES = """
adafruit adobe airtable algolia alibaba aliyun amplitude asana assemblyai atlassian beamer bitbucket
bitly bittrex canva clickhouse clickup cloudflare cloudinary codecov cohere coinbase confluence
confluent contentful couchbase coveralls datadog deepgram discord disqus droneci dropbox elevenlabs
etsy exoscale facebook fastly finicity finnhub flickr freshbooks gitea gitter gocardless greptile
gumroad heroku honeycomb hubspot influxdb infomaniak intercom jira jumpcloud kagi klaviyo kraken
kucoin launchdarkly linkedin looker mailchimp mailgun mapbox mattermost messagebird mistral netlify
newrelic nytimes okta plaid planetscale polymarket rapidapi scaleway sendbird sentry snyk sonar
squarespace sumologic telegram travis twilio twitch twitter typeform upstage vercel wandb yandex
zendesk
"""
_BESIDE = "|".join(
    [
        *("access", "api", "auth", "credential", "creds", "key", "pass(?:word|wd|phrase)", "pwd"),
        *("secret", "token", "signature", *_SERVICES.split()),
    ]
)
BESIDE = re.compile(_BESIDE, re.IGNORECASE)
# What a text itself gives to such a name, or sends along as a header of HTTP does.
_GIVEN = re.compile(
    rf"(?:(?:{_BESIDE})[\w.-]{{0,20}}['\"]?\s{{0,3}}[:=]\s{{0,3}}['\"]?|(?:bearer|basic)\s{{1,3}})"
    r"(?P<value>[\w.+/=~-]{12,})",
    re.IGNORECASE,
)
_PASSWORD = re.compile(
    r"(?P<name>password|passwd|pwd)\s{0,3}=\s{0,3}(?P<value>[^\s;&'\"{}%<>()\[\]$]{4,})",
    re.IGNORECASE,
)
# A part of a text in which letters and digits mix like this is no word.
_RANDOM_CHARACTERS, _RANDOM_BITS = 12, 3.0


def has_form(text: str) -> bool:
    """Whether a text holds a credential that can be told by its form, or by the name before it."""
    return (
        _WITH_FORM.search(text) is not None
        or any(is_random(each["value"]) for each in _GIVEN.finditer(text))
        or any(not repeats(each["name"], each["value"]) for each in _PASSWORD.finditer(text))
    )


def repeats(name: str, text: str) -> bool:
    """Whether a text only says the name again that it is given to."""
    said = re.sub(r"\W|_", "", text).lower()
    return bool(said) and said in name.replace("_", "").lower()


def is_random(text: str) -> bool:
    """Whether a text without blanks holds a part that looks drawn at random."""
    for part in re.split(r"[^A-Za-z0-9]", text) if re.search(r"\s", text) is None else ():
        if len(part) < _RANDOM_CHARACTERS or part.isalpha() or part.isdigit():
            continue
        shares = [number / len(part) for number in Counter(part).values()]
        if -sum(share * math.log2(share) for share in shares) >= _RANDOM_BITS:
            return True
    return False
