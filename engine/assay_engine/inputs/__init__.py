"""Where inputs come from: one file per origin, mixed by `choose`."""
