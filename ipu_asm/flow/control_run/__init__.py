"""The control run: which bundles run, how often, and with which addresses, without any data.

Steps are read from bundles, loops are folded into segments of a trace, and facts are summed up from
it. Registers of unknown value stay symbolic. Begin with `facts.py`.
"""
