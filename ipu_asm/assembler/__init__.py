"""Programs as words: encode, decode, image formats, listing."""
