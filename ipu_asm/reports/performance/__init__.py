"""The performance report of a program: cycles, loops, slot pressure and memory, without a run.

Everything is measured once; text, JSON and HTML are views of it. Begin with `report.py`.
"""
