"""Bundles as a program: addresses, labels, references, line table; reuse after an edit."""
