"""The command `ipu-lint`."""
