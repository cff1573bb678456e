"""Addresses of accesses: a pointer with an offset, or one that moves after the access."""

from __future__ import annotations

from ipu_asm.targets.aie.machine.operations import Number, Operation

ADDRESS_MASK = (1 << 20) - 1
_NEXT_DIMENSION = 4
"""A pointer that moves in three dimensions uses a second dimension register so far after."""


def address_of(op: Operation) -> Number:
    """Return what computes the address of an access, and moves the pointer after it."""
    base = "sp" if "sp" in op.fields else "ptr"
    pointer = op.number(base)
    inside = next((name for name in ("offset", "dj") if name in op.in_bracket), None)
    if inside is not None:
        offset = op.number(inside)
        return lambda: pointer() + offset() & ADDRESS_MASK
    step = _step_of(op)
    if step is None:
        return pointer
    state, move = op.state, op.register_writer(op.fields[base].text)

    def moved() -> int:
        address = pointer()
        move(address + step() & ADDRESS_MASK, state.cycle)
        return address

    return moved


def _step_of(op: Operation) -> Number | None:
    """Return what computes how far the pointer moves; None if it does not move."""
    name = "mod" if "mod" in op.fields else "offset"
    if name not in op.fields:
        return None
    text = op.fields[name].text
    return _step_in_dimensions(op, int(text[1:])) if text.startswith("d") else op.number(name)


def _step_in_dimensions(op: Operation, first: int) -> Number:
    """Return what counts a step: the stride of the first dimension that is not at its end."""
    numbers = (first, first + _NEXT_DIMENSION)[: 2 if ".3d" in op.mnemonic else 1]
    dimensions = [
        (
            op.register(f"dc{number}"),
            op.register(f"dn{number}"),
            op.register(f"dj{number}"),
            op.register_writer(f"dc{number}"),
        )
        for number in numbers
    ]
    state, back = op.state, op.register(f"m{first}")

    def step() -> int:
        for count, end, stride, write_count in dimensions:
            done = count()
            if done != end():
                write_count(done + 1, state.cycle)
                return stride()
            write_count(0, state.cycle)
        return back()

    return step
