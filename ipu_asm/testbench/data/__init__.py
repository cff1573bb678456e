"""Data that go into a machine and come out of it: files, arrays in them, and generated numbers.

A source such as `weights.npz[dense]:i8@0x20000` is parsed, read within limits and converted to
bytes. Begin with `source.py`.
"""
