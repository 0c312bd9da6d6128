"""Selecting one of many samples by generated tests (CodeT, arXiv:2207.10397), measured."""
