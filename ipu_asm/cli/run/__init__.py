"""The command `ipu-run`."""
