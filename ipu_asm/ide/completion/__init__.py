"""Completion: the syntactic context of the cursor, and the proposals that fit it."""
