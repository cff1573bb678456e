"""Speed and memory, measured next to something comparable in the same run; see README.md."""
