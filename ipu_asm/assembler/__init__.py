"""Programs as words: encoder, decoder, image formats and listing.

`assemble` analyses a text and encodes its bundles in sections; `code_text.py` writes a text that
assembles to the same bytes. A set encodes and decodes one bundle as its `MachineCode`, which
`word_code.py` makes of the description of a set with words of one size. Begin with `encode.py`.
"""
