"""XDNA1, the second generation of AI Engines: forms, registers, and differences from XDNA2."""
