"""The code that runs under the user's interpreter: standard library only, Python 3.9 or later.

The host imports nothing of this. `main.py` is started by path and loads its neighbours with
builtins of their own, so that a program that patches `builtins` does not reach them. Every start
waits for the imports here, so only type checkers import `typing`, and nothing needs `json` or
`socket`.
"""
