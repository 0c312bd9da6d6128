"""What is promised of a function, by its docstring and examples, and what a call of it needs."""
