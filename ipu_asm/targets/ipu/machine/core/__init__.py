"""The core of the IPU in C, `core.wasm`, and the rows of its instructions. See `emulator.core`."""
