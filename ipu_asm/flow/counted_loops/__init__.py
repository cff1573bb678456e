"""Loops whose iterations follow from constants, in sets whose registers may also hold data.

Constants are propagated along the control flow; a loop counted by one decrement has trips and,
where all its branches are decided, cycles. Begin with `loops.py`.
"""
