"""The command line: the editor's twin for terminals and CI."""

from assay_engine.cli.commands import main

__all__ = ["main"]
