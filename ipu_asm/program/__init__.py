"""Bundles as a program: addresses, labels, references, line table, and reuse across edits."""
