"""From what was observed to votes, the input that shows a difference, and the verdict."""
