"""`assay mcp`: a coding agent checks functions, by the Model Context Protocol.

`command` is the command, `serving` speaks the protocol, `tools` does what is asked, and `answers`
words it. Only `serving` needs the SDK.
"""
