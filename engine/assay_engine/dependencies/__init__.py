"""The code that a function needs: in its own file, and in other modules of its project."""
