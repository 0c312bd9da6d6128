"""Asks whether the docstring settles a difference between the function and its candidates."""
