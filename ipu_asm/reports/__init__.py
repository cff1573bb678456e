"""The instruction reference and the picture of the bundle, generated from an instruction set."""
