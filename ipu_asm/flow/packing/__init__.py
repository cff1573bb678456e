"""Packing: which instructions of a block may share bundles, and schedules with fewer bundles.

A block becomes operations with dependences, a schedule is searched and laid out as the author
wrote. Loops are pipelined or rebased likewise. Begin with `pack.py`.
"""
