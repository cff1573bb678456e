"""Coverage of kernels: lines, bundles, and branches taken and not, over any number of runs.

Counts of addresses are collected by the machine and lead back to written lines at the end. Begin
with `collecting.py`.
"""
