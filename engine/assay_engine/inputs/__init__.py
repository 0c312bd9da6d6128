"""The origins of inputs: one file per origin, mixed by `choose`."""
