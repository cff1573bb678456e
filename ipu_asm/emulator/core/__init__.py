"""Cores: interpreters of decoded bundles in C, compiled to WebAssembly and run by `wasmtime`.

A core executes a bundle exactly as the numpy machine does, or it does not begin it: `control.h` has
that contract. The numpy machine defines what is right, and it executes everything else.

`rows` describes the core of a set and encodes bundles for it, `runtime` loads the compiled module,
`runner` runs the bundles of a machine. The C files of a set are beside its machine, and `build`
compiles them.
"""
