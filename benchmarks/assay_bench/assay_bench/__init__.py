"""Measures on recorded samples how well Assay's results tell wrong programs from right ones."""
