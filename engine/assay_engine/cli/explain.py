"""`assay explain`: tells what a finding's code means, where no documentation is at hand."""

from __future__ import annotations

import textwrap

import click

from assay_engine.cli.rules import RULES, Rule

WIDTH = 80


class _Rules(click.ParamType[Rule]):
    name = "code"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> Rule:
        found = [rule for rule in RULES if rule.code == value.upper()]
        if not found:
            self.fail(f"there is no {value}; there are {', '.join(each.code for each in RULES)}.")
        return found[0]


@click.command(short_help="Say what the codes of findings mean, and what to do.")
@click.argument("rules", metavar="[CODE]...", type=_Rules(), nargs=-1)
def explain(rules: tuple[Rule, ...]) -> None:
    """Say what findings with these codes mean and what to do about them; without any, list all."""
    if rules:
        click.echo("\n\n".join(map(_at_length, rules)))
    else:
        click.echo("\n".join(map(_headline, RULES)))


def _headline(rule: Rule) -> str:
    return f"{rule.code} ({rule.severity}): {rule.title}"


def _at_length(rule: Rule) -> str:
    said = (rule.description, f"What to do: {rule.help}")
    return "\n\n".join([_headline(rule), *(textwrap.fill(each, WIDTH) for each in said)])
