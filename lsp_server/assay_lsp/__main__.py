"""`python -m assay_lsp` starts the server, as `assay server` does."""

from __future__ import annotations

from assay_lsp.command import server

server(prog_name="python -m assay_lsp")
