"""Sweeps: one kernel on many inputs, in this process or on the workers of an executor."""
