"""The IPU: a bundle of 179 bits holds eight instructions in seven slots (two in `lr`).

Sources: "IPU Assembly Instruction Reference" and "Adding Instructions".
"""
