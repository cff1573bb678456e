"""Completion: what is expected at the cursor, and what fits there."""
