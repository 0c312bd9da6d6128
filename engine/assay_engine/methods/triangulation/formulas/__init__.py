"""Semantic triangulation: compares solutions of a problem with those of transformed problems."""
