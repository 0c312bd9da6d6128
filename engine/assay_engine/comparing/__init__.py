"""When two behaviours are the same."""
