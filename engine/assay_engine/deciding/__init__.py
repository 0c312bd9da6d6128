"""From what was observed to a verdict and the input that shows it."""
