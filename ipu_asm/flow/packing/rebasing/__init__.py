"""Fewer instructions that step registers: loops whose pointers and counters do with fewer updates.

`webs` has the writes of registers and the reads that see them, `execution` the values that they
have in a run, `steps` the rewritings that these allow, `rewriting` their text, and `rebase` applies
them. Only registers that never depend on data are concerned, and all of their values are known, so
that every rewriting is proven by execution: each other instruction gets the same values.
"""
