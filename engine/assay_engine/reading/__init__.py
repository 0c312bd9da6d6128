"""Reads a file and finds its functions and what they promise."""
