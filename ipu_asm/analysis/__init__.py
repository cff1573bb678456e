"""The incremental database of one document and its immutable answers."""
