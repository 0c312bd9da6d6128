"""One function on trial, and the functions of a file side by side."""
