"""The client's abilities, read once from its capabilities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from lsprotocol import types
from msgspec import Struct
from pygls.capabilities import get_capability as lookup

from assay_lsp.convert import Encoding


class Client(Struct, frozen=True):
    """The capabilities that make a difference here. The defaults are the least able client's."""

    encoding: Encoding = Encoding.UTF_16
    related_information: bool = False
    diagnostic_data: bool = False
    markdown_hover: bool = False
    resolves_edits: bool = False
    knows_generated_tag: bool = False
    versioned_edits: bool = False
    creates_files: bool = False
    pulls_diagnostics: bool = False
    code_descriptions: bool = False
    refreshes_lenses: bool = False
    wants_status: bool = False
    # The client shows diagnostics in its hover, too.
    diagnostics_in_hover: bool = False
    shows_progress: bool = False
    shows_documents: bool = False
    answers_configuration: bool = False
    registers_configuration: bool = False

    @staticmethod
    def of(capabilities: types.ClientCapabilities, encoding: str | None, name: str = "") -> Client:
        """`encoding` is the one that pygls has agreed upon: the client's first that both know."""

        def announced(name: str) -> Any:
            return cast("Any", lookup(capabilities, name, None))

        action = "text_document.code_action"
        published = "text_document.publish_diagnostics"
        configuration = "workspace.did_change_configuration.dynamic_registration"
        formats = announced("text_document.hover.content_format") or ()
        properties = announced(f"{action}.resolve_support.properties") or ()
        tags = announced(f"{action}.tag_support.value_set") or ()
        # Neovim 0.12, told to ask anew, asks only about files that it has not open.
        refreshes = announced("workspace.diagnostics.refresh_support") and name != "Neovim"
        own = _own(capabilities.experimental)
        return Client(
            encoding=Encoding(encoding or Encoding.UTF_16),
            related_information=bool(announced(f"{published}.related_information")),
            diagnostic_data=bool(announced(f"{published}.data_support")),
            markdown_hover=types.MarkupKind.Markdown in formats,
            resolves_edits="edit" in properties and bool(announced(f"{action}.data_support")),
            knows_generated_tag=types.CodeActionTag.LlmGenerated in tags,
            # A client that cannot be told to ask anew would never see what a check finds.
            pulls_diagnostics=bool(refreshes and announced("text_document.diagnostic")),
            code_descriptions=bool(announced(f"{published}.code_description_support")),
            refreshes_lenses=bool(announced("workspace.code_lens.refresh_support")),
            wants_status=own.get("status") is True,
            diagnostics_in_hover=own.get("diagnosticsInHover") is True,
            creates_files=types.ResourceOperationKind.Create
            in (announced("workspace.workspace_edit.resource_operations") or ()),
            versioned_edits=bool(announced("workspace.workspace_edit.document_changes")),
            shows_progress=bool(announced("window.work_done_progress")),
            shows_documents=bool(announced("window.show_document.support")),
            answers_configuration=bool(announced("workspace.configuration")),
            registers_configuration=bool(announced(configuration)),
        )


def _own(experimental: object) -> Mapping[str, object]:
    """What the client announces for this server alone: docs/protocol.md."""
    match experimental:
        case {"assay": dict()}:
            return cast("dict[str, dict[str, object]]", experimental)["assay"]
        case _:
            return {}
