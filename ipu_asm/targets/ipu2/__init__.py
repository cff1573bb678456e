"""IPU 2: a bundle of 186 bits holds eleven instructions in nine slots (three in `lr`).

Source: "IPU 2, exactly".
"""
