"""Expansion of templates, includes and macros, with a map from its text to the written files."""
