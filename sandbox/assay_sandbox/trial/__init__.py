"""Tries hostile programs on the sandbox and judges from outside whether they were contained."""
