"""Reads Python text: functions, what they promise, and what they need to run."""
