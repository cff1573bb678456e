"""The C preprocessor for assembly text, with the position of every character of its output."""
