"""States and runs refuse arguments of another type, and say what they take."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest

from ipu_asm import assemble
from ipu_asm.emulator import DebugAction, IpuState, run_until_complete, run_with_debug

NUMBER = "is a whole number, found"


TEXT: Any = "x"
NOTHING: Any = None


def state_with_program() -> Any:
    state = IpuState()
    state.load_program(assemble("incr lr0 1;; break;; bkpt;;"))
    return state


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (lambda s: s.regfile.get_lr("x"), f"the number of a register {NUMBER} str"),
        (lambda s: s.regfile.set_cr(1.5, 0), f"the number of a register {NUMBER} float"),
        (lambda s: s.regfile.set_lr(0, "x"), f"the value of a register {NUMBER} str"),
        (lambda s: s.regfile.set_aaq(0, None), f"the value of a register {NUMBER} NoneType"),
        (lambda s: s.set_cr_dtype("int8"), f"an element type {NUMBER} str"),
        (lambda s: s.regfile.set_register_bytes("r", 0, "x" * 128), "`r` takes bytes, found str"),
        (lambda s: s.regfile.set_register_bytes("r", 0, 3), "`r` takes bytes, found int"),
        (lambda s: s.regfile.set_register_bytes("r", 0, [300] * 128),
         "`r` takes bytes, found list"),
        (lambda s: s.regfile.set_r_acc_bytes(None), "`r_acc` takes bytes, found NoneType"),
        (lambda s: s.xmem.read_address("x", 4), f"an address {NUMBER} str"),
        (lambda s: s.xmem.read_address(0, 1.5), f"a size {NUMBER} float"),
        (lambda s: s.xmem.write_address(None, b""), f"an address {NUMBER} NoneType"),
        (lambda s: s.xmem.write_address(0, "abc"), "memory takes bytes, found str"),
        (lambda s: s.xmem.write_address(0, [1, 2]), "memory takes bytes, found list"),
        (lambda s: run_until_complete(s, TEXT), f"`max_cycles` {NUMBER} str"),
        (lambda s: run_with_debug(s, TEXT), "the callback is a function, found str"),
        (lambda s: run_with_debug(s, lambda *_: NOTHING),
         "the callback returns a `DebugAction`, found None"),
    ],
)  # fmt: skip
def test_what_is_of_another_type_is_named(action: Callable[[Any], object], message: str) -> None:
    with pytest.raises(TypeError) as raised:
        action(state_with_program())
    assert str(raised.value) == message


def test_an_array_is_as_long_as_its_bytes() -> None:
    state = IpuState()
    before = state.regfile.vector_values()
    words: Any = np.ones(128, np.int32)
    for data in (words, memoryview(words)):
        with pytest.raises(ValueError, match="`r` takes 128 bytes, found 512"):
            state.regfile.set_register_bytes("r", 0, data)
    assert state.regfile.vector_values() == before
    ones: Any = np.ones(128, np.int8)
    state.regfile.set_register_bytes("r", 1, ones)
    assert state.regfile.get_register_bytes("r", 1) == bytes([1]) * 128


def test_numbers_of_numpy_are_numbers() -> None:
    state = state_with_program()
    number: Any = np.int64(2)
    state.regfile.set_lr(number, number)
    assert state.regfile.get_lr(number) == 2
    state.xmem.write_address(number, b"ab")
    assert state.xmem.read_address(number, number) == b"ab"
    assert run_with_debug(state, lambda *_: DebugAction.CONTINUE, number + 7) == 3
