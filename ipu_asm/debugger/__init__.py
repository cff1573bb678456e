"""Debugger of a running program, independent of any protocol.

A `Debugger` resumes a machine until a stop condition holds, and goes back in time by executing
again from keyframes. The console, expressions and what a variables view shows are folders of their
own. Begin with `debugger.py`.
"""
