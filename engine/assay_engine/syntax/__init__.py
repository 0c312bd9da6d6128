"""Treats Python text as text: parses it, repairs it, follows its names. Nothing here runs it."""
