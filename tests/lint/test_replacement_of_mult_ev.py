"""What the rule about deprecated instructions shows computes the same as what it replaces."""

from __future__ import annotations

import numpy as np
import pytest

from ipu_asm import assemble
from ipu_asm.emulator import DType, IpuState, run_until_complete
from ipu_asm.lint.rules import all_rules
from tests.lint.test_rules import programs, sections

VECTOR, SCALARS = 0x1000, 0x2000
DOCUMENTATION = next(
    sections(rule) for rule in all_rules() if rule.id.name == "deprecated-mnemonic"
)


def check_accumulator(text: str, dtype: DType, scalar: int) -> bytes:
    """The accumulator after a program that multiplies the vector by one of 128 scalars."""
    data = np.random.default_rng(scalar).integers(0, 256, 256, dtype=np.uint8)
    # No NaN: which one comes out of two is not defined.
    data[np.isin(data & 0x7F, [0x7D, 0x7E, 0x7F])] = 0x33
    state = IpuState()
    state.set_cr_dtype(dtype)
    state.regfile.set_cr(0, VECTOR)
    state.regfile.set_cr(1, SCALARS)
    state.regfile.set_lr(1, scalar)
    state.xmem.write_address(VECTOR, data[:128].tobytes())
    state.xmem.write_address(SCALARS, data[128:].tobytes())
    state.load_program(assemble(text))
    run_until_complete(state)
    return bytes(state.regfile.get_r_acc_bytes())


@pytest.mark.parametrize("dtype", list(DType))
@pytest.mark.parametrize("scalar", [0, 1, 77, 127])
def test_mult_ve_with_the_sources_swapped_gives_the_same_products(
    dtype: DType, scalar: int
) -> None:
    (old,), (new,) = programs(DOCUMENTATION["Example"]), programs(DOCUMENTATION["Use instead"])
    expected = check_accumulator(old, dtype, scalar)
    assert any(expected)
    assert check_accumulator(new, dtype, scalar) == expected
