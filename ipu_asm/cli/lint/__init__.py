"""The command `ipu-lint`.

Files are found, linted by one or several processes, taken from the cache where nothing changed, and
written in one of the `formats`. Begin with `command.py`.
"""
