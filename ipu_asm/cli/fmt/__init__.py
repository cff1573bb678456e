"""The command `ipu-fmt`."""
