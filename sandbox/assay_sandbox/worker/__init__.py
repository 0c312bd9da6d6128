"""What runs under the user's interpreter: standard library alone, any Python from 3.9 on.

Nothing here is imported by the host. `main.py` is started by path and loads its neighbours with
builtins of their own, so that a program that patches `builtins` does not reach them. Every start
waits for what is imported here, so `typing` is for type checkers only, and `json` and `socket` are
done without.
"""
