"""The check of one function, and of the functions of a file side by side."""
