"""The machine of XDNA1: its products and sums. Begin with `model.py`."""
