"""Programs as words: encoder, decoder, image formats and listing.

`assemble` analyses a text and encodes its bundles; `disassembly.py` writes a text that assembles to
the same words. Layouts come from the description of the instruction set. Begin with `encode.py`.
"""
