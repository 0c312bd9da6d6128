"""Judges a function by pairs of input and output, as in TRAILS, and never by its code."""
