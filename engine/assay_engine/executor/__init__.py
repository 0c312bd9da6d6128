"""Runs programs on inputs, through the sandbox."""
