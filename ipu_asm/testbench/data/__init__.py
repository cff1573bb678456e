"""Data that go into a machine and come out of it: files, arrays in them, and generated numbers."""
