"""What the two generations of AI Engines share: how their lines are read and their forms described.

A bundle is a line; it has at most one operation for each of six units. Source: "Instruction Set
Architecture" of XDNA1 and XDNA2, and what the vendor's compiler says where the two differ. Nothing
here executes or encodes anything.
"""
