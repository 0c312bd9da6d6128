"""Fixes: a candidate for the function, a clarifying example, or a comment that ignores a finding.

An action's `data` names the function's report and the fix, so that the edit can be computed on
demand, on the text as it is then.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lsprotocol import types

from assay_engine.messages.fixes import replacement_phrase
from assay_engine.types import Clarification, Code, Edit, Problem, ProblemKind, Report
from assay_lsp.client import Client
from assay_lsp.convert import PositionedText
from assay_lsp.documents import TextDocument
from assay_lsp.placing import Placed
from assay_lsp.session import Session


def replacing(
    session: Session, document: TextDocument, placed: Placed, diagnostics: list[types.Diagnostic]
) -> Iterator[types.CodeAction]:
    """Replacements. Never preferred: no editor must insert generated code by itself. A title says
    what the trial does not vouch for."""
    tags = [types.CodeActionTag.LlmGenerated] if session.client.knows_generated_tag else None
    for number, replacement in enumerate(placed.report.replacements):
        title = f"Replace with the candidate that {replacement_phrase(replacement)}"
        action = fix(title, document, placed, index=number)
        action.tags, action.diagnostics = tags, diagnostics or None
        yield action


def clarifying(document: TextDocument, placed: Placed) -> Iterator[types.CodeAction]:
    """Examples for the docstring: function and candidates are held to them from then on.

    As with `ignoring`, without a diagnostic: VS Code would list it first, where Return selects it.
    """
    for number, clarification in enumerate(placed.report.clarifications):
        title = "It is right: write it into the docstring"
        if not defends(clarification, placed.report):
            title = clarifying_title(clarification)
        yield fix(title, document, placed, clarification=number)


def clarifying_title(clarification: Clarification) -> str:
    return f"Write into the docstring that it {clarification.behaviour}"


def defends(clarification: Clarification, report: Report) -> bool:
    """Whether an example says that a function is right that the report accuses."""
    return report.verdict.status.accuses and clarification.who.startswith("this function")


def ignoring(document: TextDocument, placed: Placed) -> Iterator[types.CodeAction]:
    """Comments in the function's header, in force with the next check. That check asks no model
    anew, because no prompt contains them."""
    for code in dict.fromkeys(finding.code for _, finding in placed.known.findings):
        if code is not Code.NOT_CHECKED:
            title = f"Ignore {code} for {placed.report.qualname}"
            yield fix(title, document, placed, code=str(code))


def rests_on_more(about: Mapping[str, Any]) -> bool:
    """Whether a fix, by its `data`, depends on what the function uses; a comment does not."""
    return "code" not in about


async def fix_edits(
    document: TextDocument, placed: Placed, about: Mapping[str, Any]
) -> tuple[Edit, ...] | Problem:
    """The edits for one version of the document. Parsing takes a while, so it runs off the loop."""
    return await asyncio.to_thread(_edits, document.text.content, placed.report, about)


async def workspace_edit(
    session: Session, document: TextDocument, placed: Placed, about: Mapping[str, Any]
) -> types.WorkspaceEdit | Problem:
    edits = await fix_edits(document, placed, about)
    if isinstance(edits, Problem):
        return edits
    return edit_of_file(session.client, document.uri, document.version, document.text, edits)


def edit_of_file(
    client: Client,
    uri: str,
    version: int | None,
    text: PositionedText,
    edits: Iterable[Edit],
    *,
    is_new: bool = False,
) -> types.WorkspaceEdit:
    """The edits of one file's text; of one that `is_new`, by a client that can make it."""
    changes = [
        types.TextEdit(text.range(each.span, client.encoding), each.new_text) for each in edits
    ]
    if not (is_new or client.versioned_edits):
        return types.WorkspaceEdit(changes={uri: changes})
    versioned = types.OptionalVersionedTextDocumentIdentifier(uri, version)
    change = types.TextDocumentEdit(versioned, list(changes))
    return types.WorkspaceEdit(
        document_changes=[types.CreateFile(uri), change] if is_new else [change]
    )


def _edits(text: str, report: Report, about: Mapping[str, Any]) -> tuple[Edit, ...] | Problem:
    """The edits for an action's `data`: a code to ignore, or the number of another fix."""
    # Imported here: these import half the engine, which must not hold up `initialize`.
    from assay_engine.fixes.clarifying import clarified
    from assay_engine.fixes.replacing import edits_for
    from assay_engine.fixes.silencing import ignoring

    match about:
        case {"code": str(code)} if code in tuple(Code):
            return ignoring(text, report.qualname, Code(code))
        case {"clarification": int(number)} if number in range(len(report.clarifications)):
            return clarified(text, report, number)
        case {"index": int(number)} if number in range(len(report.replacements)):
            return edits_for(text, report, number)
        case _:
            return Problem(
                ProblemKind.NO_REPLACEMENT, "There is no such fix. Check the function again."
            )


def fix(title: str, document: TextDocument, placed: Placed, **which: int | str) -> types.CodeAction:
    """An action whose `data` says which edit of which report it is."""
    report = placed.report
    identity = {"uri": document.uri, "function": report.qualname, "report": report.digest}
    return types.CodeAction(title=title, kind=types.CodeActionKind.QuickFix, data=identity | which)
