"""What decides how files are read: ipu.toml, globs, the choice of an instruction set, paths."""
