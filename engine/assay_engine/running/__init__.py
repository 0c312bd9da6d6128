"""Programs on inputs, through the sandbox."""
