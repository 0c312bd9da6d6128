"""Measures on recorded samples how well what Assay computes says what is wrong."""
