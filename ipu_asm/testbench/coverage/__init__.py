"""Coverage of kernels: lines, bundles, and branches taken and not, over any number of runs."""
