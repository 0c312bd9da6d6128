"""Order handling, stock and customer accounts for the web shop."""
