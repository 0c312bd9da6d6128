"""How values of programs are written, and arguments made, without running the code of programs."""
