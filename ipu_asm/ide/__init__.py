"""Editor features, one module or package each, independent of any protocol.

A feature is a function from an `Analysis` and an offset to plain data with spans in code points.
The handlers of the server call it under the same name. Begin with `hover.py`.
"""
