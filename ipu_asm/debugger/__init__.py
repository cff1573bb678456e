"""Debugger of a running program, independent of any protocol."""
