"""`assay server`: the command, which loads nothing heavy until it runs."""

from __future__ import annotations

import os

import click


@click.command(short_help="Serve an editor over standard input and output.")
@click.option("--stdio", is_flag=True, help="Accepted and ignored: there is no other way.")
@click.option(
    "--clientProcessId",
    "client_process",
    type=int,
    metavar="N",
    help="End with this process.",
)
def server(stdio: bool, client_process: int | None) -> None:
    """Serve an editor over standard input and output, by the Language Server Protocol."""
    del stdio
    from assay_lsp.serving import serve

    serve(os.environ, parent=client_process)
