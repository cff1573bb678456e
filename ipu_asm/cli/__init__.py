"""The commands `ipu-lint`, `ipu-as` and `ipu-run`."""
