"""The IPU: one bundle of 179 bits carries an instruction for each of eight places.

Sources: "IPU Assembly Instruction Reference" and "Adding Instructions".
"""
