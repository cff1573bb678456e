"""From what the author wrote to what the assembler reads."""
