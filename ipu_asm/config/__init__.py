"""Configuration: ipu.toml, globs, include folders, and the choice of an instruction set.

Settings are read once for a file, with every mistake at its line. Reading and writing of files
within limits is here as well. Begin with `configuration_file.py`.
"""
