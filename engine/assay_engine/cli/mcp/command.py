"""`assay mcp`: the command, which loads the SDK only when it runs."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import click

from assay_engine.cli.check import INTERPRETER, JUDGE, OFFLINE, REPLAY, TIER, engine_options
from assay_engine.cli.output import COULD_NOT_RUN, complain
from assay_engine.config.provenance import users_home
from assay_engine.files.bounded import is_folder, real
from assay_engine.types import Tier

# Many clients give up after a minute.
SECONDS = 50.0


@click.command(short_help="Serve a coding agent over standard input and output.")
@click.argument("folders", nargs=-1, metavar="[FOLDER]...")
@click.option(
    "--seconds",
    type=click.FloatRange(min=1),
    default=SECONDS,
    help="Answer within this time with what is finished; the rest continues.",
)
@REPLAY
@OFFLINE
@JUDGE
@TIER
@INTERPRETER
def mcp(
    folders: tuple[str, ...],
    seconds: float,
    replay: str | None,
    offline: bool,
    judge: bool | None,
    tier: str,
    interpreter: str | None,
) -> None:
    """Serve a coding agent over standard input and output, by the Model Context Protocol.

    Only files in the FOLDERs are checked (default: the current folder, unless it holds your home):
    whoever starts the server trusts these, and the agent cannot add others.
    """
    if find_spec("mcp") is None:
        complain(
            "`assay mcp` needs the MCP SDK, which is an extra: "
            "`pip install 'assay-lsp[mcp]'` adds it."
        )
        sys.exit(COULD_NOT_RUN)
    for folder in folders:
        if not is_folder(Path(folder)):
            complain(f"{folder} is not a folder. Name folders in which an agent may check files.")
            sys.exit(COULD_NOT_RUN)
    from assay_engine.cli.mcp.serving import serve
    from assay_engine.cli.mcp.tools import Tools

    options = engine_options(replay=replay, offline=offline, judge=judge, interpreter=interpreter)
    serve(Tools(_trusted(folders), options, Tier(tier), seconds))


def _trusted(folders: tuple[str, ...]) -> list[Path]:
    """The folders, or the current one. Some clients start servers in the home or at the root: that
    says nothing of what lies below."""
    if folders:
        return [Path(folder).absolute() for folder in folders]
    here, home = Path.cwd(), users_home() or Path.home()
    return [] if home.is_relative_to(real(here)) else [here]
