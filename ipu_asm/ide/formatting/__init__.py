"""Document, range and on-type formatting."""
