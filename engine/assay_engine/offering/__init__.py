"""Selects the candidates to offer as replacements, and proves that they fit in their place."""
