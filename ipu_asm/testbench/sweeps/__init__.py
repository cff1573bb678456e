"""Sweeps: one kernel on many inputs, in this process or on the workers of an executor.

Inputs go to workers in chunks; each worker restores one machine for each of them. Begin with
`sweep.py`.
"""
