"""The command `ipu-as`."""
