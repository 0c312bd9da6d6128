"""Semantic triangulation: formulas that hold between solutions, and problems for a model."""
