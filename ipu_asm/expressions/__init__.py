"""The language of expressions about a machine: text to syntax tree, and arithmetic on numbers."""
