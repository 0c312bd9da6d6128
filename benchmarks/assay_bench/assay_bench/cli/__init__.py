"""`assay bench`: the commands, loaded by the entry point that adds them to `assay`."""
