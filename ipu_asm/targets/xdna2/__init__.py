"""XDNA2, the generation of AI Engines after XDNA1: forms, registers, and differences."""
