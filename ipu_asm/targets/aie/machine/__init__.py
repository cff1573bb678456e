"""The machine of a core of both generations: an exposed pipeline, exact where sources are public.

`effects.txt` names the effect of each form, a function in `scalars`, `vectors` or `products` that
binds an operation to a state; `numbers` computes, `machine` executes. What differs is in the folder
`machine` of a generation. Begin with `state.py`.
"""
