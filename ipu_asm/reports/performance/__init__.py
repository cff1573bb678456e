"""The performance report of a program: cycles, loops, slot pressure and memory, without a run."""
