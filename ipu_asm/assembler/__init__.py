"""Programs as words: encoder, decoder, image formats and listing."""
