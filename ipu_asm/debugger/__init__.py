"""Looking into a program while it runs, without any protocol."""
