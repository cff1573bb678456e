"""Handlers of LSP requests and notifications, one module per topic.

A handler converts parameters, asks `ipu_asm.ide`, and converts the result; the table in
`server.py` names it.
"""
