"""The machine of XDNA2: its products and sums. Begin with `model.py`."""
