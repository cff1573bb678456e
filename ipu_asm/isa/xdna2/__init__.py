"""XDNA2, the AI Engine after that of XDNA1: its tables, and what differs."""
