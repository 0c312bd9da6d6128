"""What is offered: replacements, examples for the docstring, tests, comments that silence."""
