"""XDNA1, the AI Engine of the second generation: its tables, and what differs from XDNA2."""
