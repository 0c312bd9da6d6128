"""`assay schema`: the JSON Schema of `assay check --format json`."""

from __future__ import annotations

import json

import click

from assay_engine.cli.json_report import schema as json_schema


@click.command()
def schema() -> None:
    """Print the JSON Schema of the JSON output."""
    click.echo(json.dumps(json_schema(), indent=2))
