"""Measures how well generated tests select one of many samples (CodeT, arXiv:2207.10397)."""
