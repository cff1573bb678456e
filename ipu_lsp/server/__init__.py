"""The language server: documents, sessions, and one table of features.

One thread answers; a handler that takes long yields, and edits are answered between its slices.
Begin with `server.py`.
"""
