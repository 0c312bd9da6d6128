"""Keeps an editor and the engine in step: the language server behind `assay server`."""
