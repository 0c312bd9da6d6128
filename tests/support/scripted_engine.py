"""An engine that says what the checked text tells it to: for unit tests of the server.

A word in brackets in a docstring is an instruction:

    [differs]      a warning with a witness, a related place and two replacements
    [once]         beside [differs]: with one replacement
    [unasked]      beside [differs]: what the docstring says could not be asked
    [ambiguous]    an information
    [unsupported]  cannot be checked (ASY301)
    [no-model]     a problem that stops every check
    [no-consent]   another one, as before the user's yes
    [a-while]      takes a while
    [slow]         never ends; the journal says ``cancelled NAME`` when it is cancelled
    [slow-to-end]  beside [slow]: takes half a second to be cancelled
    [unavailable]  raises what the engine raises for the user
    [crash]        raises
    [judged]       a judge objects, once everything else has been said
    [slow-judge]   a judge that never ends; the journal says ``cancelled the judge of NAME``
    [stored]       has a report in the store already
    [committed]    was the same in the last commit

Everything else agrees. What happens is written, line by line, to the file `ASSAY_TEST_JOURNAL`.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import asdict, replace

from assay_engine.check.changes import settled
from assay_engine.digest import of_text
from assay_engine.errors import ModelUnavailable
from assay_engine.models import Day
from assay_engine.status import Outlook, Supplied
from assay_engine.syntax.units import find_units
from assay_engine.types import (
    Clarification,
    Code,
    Cost,
    Finding,
    Listener,
    Origin,
    Outcome,
    Price,
    Problem,
    ProblemKind,
    Progress,
    Related,
    Replacement,
    Report,
    Settling,
    Severity,
    SourceText,
    Span,
    Status,
    Tier,
    Unit,
    Verbatim,
    Verdict,
    Wanted,
    Witness,
    Words,
)
from assay_lsp.settings import ServerSettings

# Longer than a bar of progress waits to be shown.
A_WHILE_SECONDS = 2.0
# What a check of one function may send.
REQUESTS = {Tier.STANDARD: 5, Tier.THOROUGH: 25}
# What was wanted of a file, as a store would remember it for the next engine.
WANTED: dict[str, tuple[str, Wanted | None]] = {}


@dataclass(frozen=True)
class FoundServer:
    product: str
    base_url: str


@dataclass(frozen=True)
class ScriptedStatus:
    model: str


class ScriptedEngine:
    """Follows the words in the docstrings. Remembers what it has reported, as a store would."""

    def __init__(self, settings: ServerSettings, root: str | None, models: object) -> None:
        self._settings = settings
        self._root = root
        self._project = project_text(root)
        self._stored: dict[str, Report] = {}
        self._unanswered = [
            FoundServer(*entry.split("="))
            for entry in os.environ.get("ASSAY_TEST_SERVERS", "").split(",")
            if entry
        ]
        journal(f"open root={root} settings={sorted(asdict(settings).items())}")

    async def check(
        self,
        source: SourceText,
        *,
        only: Callable[[Unit], bool] | None = None,
        listen: Listener | None = None,
        again: bool = False,
        tier: Tier = Tier.STANDARD,
        begun: Callable[[], None] | None = None,
    ) -> AsyncGenerator[Report, None]:
        if begun is not None:
            begun()
        units = [
            unit for unit in find_units(source.text)[0] if (only(unit) if only else unit.docstring)
        ]
        journal(
            f"check {','.join(unit.qualname for unit in units)}{' again' if again else ''}"
            f"{' thorough' if tier is Tier.THOROUGH else ''}"
        )
        for number, unit in enumerate(units):
            if listen is not None:
                listen(Progress(number, len(units), unit.qualname, "sampling"))
            if "[a-while]" in unit.docstring:
                await asyncio.sleep(A_WHILE_SECONDS)
            if "[slow]" in unit.docstring:
                try:
                    await asyncio.sleep(3600)
                finally:
                    if "[slow-to-end]" in unit.docstring:
                        await asyncio.sleep(0.5)
                    journal(f"cancelled {unit.qualname}")
            if "[crash]" in unit.docstring:
                raise RuntimeError("as the docstring says")
            if "[unavailable]" in unit.docstring:
                raise ModelUnavailable("The model does not answer. Start it.")
            report = report_on(source, unit)
            self._stored[report.digest] = report
            yield report
            await asyncio.sleep(0)
        journal("checked")

    async def judge(
        self,
        source: SourceText,
        reports: Sequence[Report],
        *,
        listen: Listener | None = None,
        tier: Tier = Tier.STANDARD,
    ) -> AsyncGenerator[Report, None]:
        docstrings = {unit.qualname: unit.docstring for unit in find_units(source.text)[0]}
        for report in reports:
            if "[slow-judge]" in docstrings[report.qualname]:
                journal(f"judging {report.qualname}")
                try:
                    await asyncio.sleep(3600)
                finally:
                    journal(f"cancelled the judge of {report.qualname}")
            if "[judged]" in docstrings[report.qualname]:
                finding = Finding(
                    Code.JUDGED, Severity.WARNING, "judged not to conform", Span(4, 5)
                )
                yield replace(report, findings=(*report.findings, finding))

    def recall(self, source: SourceText) -> tuple[Report, ...]:
        journal("recall")
        reports = [
            (unit, report_on(source, unit)) for unit in find_units(source.text)[0] if unit.docstring
        ]
        return tuple(
            report
            for unit, report in reports
            if report.digest in self._stored or "[stored]" in unit.docstring
        )

    def files_with_findings(self, most: int) -> tuple[str, ...]:
        return ()

    def outlook(
        self,
        source: SourceText,
        *,
        only: Callable[[Unit], bool] | None = None,
        again: bool = False,
        tier: Tier = Tier.STANDARD,
    ) -> Outlook:
        units = [
            unit for unit in find_units(source.text)[0] if (only(unit) if only else unit.docstring)
        ]
        asked = sum(
            again or report_on(source, unit).digest not in self._stored
            for unit in units
            if "[unsupported]" not in unit.docstring
        )
        return Outlook(asked, asked * self.requests_of_one(tier))

    def requests_of_one(self, tier: Tier) -> int:
        return REQUESTS[tier]

    async def changed(self, source: SourceText) -> frozenset[str]:
        return frozenset(
            unit.qualname
            for unit in find_units(source.text)[0]
            if unit.docstring and "[committed]" not in unit.docstring
        )

    async def settled(self, source: SourceText, earlier: str) -> frozenset[str]:
        return settled(source, earlier, {})

    async def supplied(self) -> Supplied:
        waits = bool(self._unanswered)
        model = None if waits else "scripted"
        return Supplied(
            model, "127.0.0.1:9", waits, None, Day(7, 900, price=Price(0.021, "USD")), 1000
        )

    def note_wanted(self, source: SourceText, wanted: Wanted | None) -> None:
        WANTED[source.path] = (source.text, wanted)

    def wanted(self, source: SourceText) -> Wanted | None:
        text, wanted = WANTED.get(source.path, ("", None))
        return wanted if text == source.text else None

    def model_at(self, server: FoundServer) -> str:
        return "found-model"

    def reconsider(self) -> None:
        journal("reconsider")

    async def excludes(self, path: str) -> bool:
        return path.endswith("_generated.py")

    async def outdated(self, source: SourceText, reports: Sequence[Report]) -> tuple[Report, ...]:
        return tuple(reports) if "[outdated]" in source.text else ()

    @property
    def is_current(self) -> bool:
        return self._project == project_text(self._root)

    @property
    def notices(self) -> tuple[str, ...]:
        return ()

    async def status(self, seconds: float) -> ScriptedStatus:
        return ScriptedStatus("scripted")

    async def pending_consent(self) -> tuple[FoundServer, ...]:
        return tuple(self._unanswered)

    def give_consent(self, address: str, yes: bool) -> None:
        journal(f"consent {address} {yes}")
        self._unanswered = [each for each in self._unanswered if each.base_url != address]

    def close(self) -> None:
        journal("close")


def project_text(root: str | None) -> str:
    path = Path(root or "/none", "pyproject.toml")
    return path.read_text() if path.exists() else ""


def report_on(source: SourceText, unit: Unit) -> Report:
    text = source.text[unit.span.start : unit.span.end]
    name = Span(unit.name_span.start - unit.span.start, unit.name_span.end - unit.span.start)
    words = set(re.findall(r"\[([\w-]+)\]", unit.docstring))
    findings: list[Finding] = []
    problems: list[Problem] = []
    replacements: tuple[Replacement, ...] = ()
    clarifications: tuple[Clarification, ...] = ()
    if "differs" in words:
        findings.append(differs(unit, name, len(text)))
        replacements = tuple(
            Replacement(candidate(unit, value), f"returns {value}", f"diff to {value}")
            for value in ((1,) if "once" in words else (1, 2))
        )
        clarifications = (Clarification("returns 0", f">>> {unit.name}(0)\n0", "this function"),)
    if "ambiguous" in words:
        findings.append(
            Finding(Code.AMBIGUOUS, Severity.INFORMATION, f"{unit.name} is ambiguous", name)
        )
    if "unsupported" in words:
        problems.append(Problem(ProblemKind.INPUT_OUTPUT, "It opens files. Pass their text in."))
        findings.append(Finding(Code.NOT_CHECKED, Severity.HINT, problems[-1].message, name))
    if "no-consent" in words:
        problems.append(Problem(ProblemKind.NO_CONSENT, "Ollama may not be used yet."))
    if "no-model" in words:
        problems.append(Problem(ProblemKind.MODEL_UNAVAILABLE, "No model. Set ASSAY_BASE_URL."))
        findings.append(Finding(Code.NOT_CHECKED, Severity.HINT, problems[-1].message, name))
    status = Status.SUSPECT if replacements else Status.TRUSTED
    if "unsupported" in words:
        status = Status.UNSUPPORTED
    unasked = Settling(f"{unit.name}(0)", (None,), "", is_answered=False)
    return Report(
        path=source.path,
        qualname=unit.qualname,
        line=1,
        text_digest=of_text(text),
        digest=of_text(f"{unit.qualname}\n{text}"),
        verdict=Verdict(status, 0.9, None, 10, 10),
        findings=tuple(findings),
        problems=tuple(problems),
        replacements=replacements,
        classes=(),
        model="scripted",
        cost=Cost(),
        clarifications=clarifications,
        settling=(unasked,) if "unasked" in words else (),
    )


def differs(unit: Unit, name: Span, length: int) -> Finding:
    return Finding(
        Code.DIFFERS,
        Severity.WARNING,
        f"{unit.name}(0): 9 of 10 candidates return 1, this returns 0",
        name,
        Witness(
            f"{unit.name}(0)",
            (
                Outcome.of("9 candidates", (Words("return "), Verbatim("1")), 9, is_original=False),
                Outcome.of("yours", (Words("returns "), Verbatim("0")), 1, is_original=True),
            ),
            Origin.PROPOSED,
        ),
        (Related(Span(length - 1, length), "here it ends"),),
    )


def candidate(unit: Unit, value: int) -> str:
    return f'def {unit.name}(n):\n    """Another."""\n    return {value}\n'


def journal(line: str) -> None:
    """Append a line in one write, so that tests in other processes read whole ones."""
    path = os.environ.get("ASSAY_TEST_JOURNAL")
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"{line}\n")


def main(*_: Any) -> None:
    """The server, with this engine inside: `python scripted_engine.py`."""
    from assay_lsp.serving import serve

    serve(os.environ, open_engine=ScriptedEngine)


if __name__ == "__main__":
    main(sys.argv)
