"""Formatting of bundles, lines and gaps."""
