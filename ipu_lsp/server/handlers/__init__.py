"""Handlers of LSP requests and notifications: one module per editor feature of `ipu_asm.ide`."""
