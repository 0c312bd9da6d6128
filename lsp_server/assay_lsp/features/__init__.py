"""What the server answers: one file per group of methods."""
