"""Samples, runs, compares, decides, explains: the engine behind the server and the command line."""
