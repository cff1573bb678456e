"""The command `ipu-mca`."""
