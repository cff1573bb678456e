"""The core of IPU 2: its C files, compiled to `core.wasm`, and its rows."""
