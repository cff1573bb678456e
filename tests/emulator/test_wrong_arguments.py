"""States and runs refuse arguments of another type, and say what they take."""

from __future__ import annotations

import re
from typing import Any, Callable

import ml_dtypes
import numpy as np
import pytest

from ipu_asm import assemble
from ipu_asm.emulator import (
    DebugAction,
    DType,
    Ipu,
    IpuState,
    ipu_add,
    ipu_mult,
    machine_for,
    run_until_complete,
    run_with_debug,
)

NUMBER = "is a whole number, found"
STATE = "a machine operates on a state of class"
WORDS = "`load_program` takes words, one int per bundle"
IPU2: Any = machine_for("ipu2")

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
        (lambda s: s.regfile.get_register_bytes("r", "x"),
         f"an element of a vector register {NUMBER} str"),
        (lambda s: s.regfile.set_register_bytes("r", 1.5, bytes(128)),
         f"an element of a vector register {NUMBER} float"),
        (lambda s: s.regfile.set_pc("x"), f"the program counter {NUMBER} str"),
        (lambda s: s.load_program(None), f"{WORDS}, found NoneType"),
        (lambda s: s.load_program(3), f"{WORDS}, found int"),
        (lambda s: s.load_program("x"), f"{WORDS}, found str"),
        (lambda s: s.load_program([None, 1.5]), f"a word {NUMBER} float"),
        (lambda _: Ipu(NOTHING), f"{STATE} `IpuState`, found NoneType"),
        (lambda s: Ipu(s, TEXT), f"`aaq_shift` {NUMBER} str"),
        (lambda _: run_until_complete(3), f"{STATE} `IpuState`, found int"),
        (lambda _: run_with_debug(3, lambda *_: DebugAction.QUIT),
         f"{STATE} `IpuState`, found int"),
        (lambda _: run_until_complete(IPU2.State()), f"{STATE} `IpuState`, found Ipu2State"),
        (lambda s: IPU2.run_until_complete(s), f"{STATE} `Ipu2State`, found IpuState"),
        (lambda _: IPU2.State(elu_alpha=TEXT), "`elu_alpha` is a number, found str"),
        (lambda _: ipu_mult(TEXT, 1, DType.INT8), f"an element {NUMBER} str"),
        (lambda _: ipu_mult(1, NOTHING, DType.INT8), f"an element {NUMBER} NoneType"),
        (lambda _: ipu_add(TEXT, 1, DType.INT8), "a word is a number, found str"),
        (lambda _: ipu_add(1, [2], DType.FP8_E4M3), "a word is a number, found list"),  # type: ignore[arg-type]
        (lambda _: ipu_add(np.ones(2), 1, DType.FP8_E4M3),  # type: ignore[arg-type]
         "a word is a number, found ndarray"),
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


@pytest.mark.parametrize("code", ["x", None, [0], 9])
def test_an_element_type_is_one_of_three(code: Any) -> None:
    known = "0 (INT8), 1 (FP8_E4M3), 2 (FP8_E5M2)"
    message = re.escape(f"an element type is one of {known}, found {code}")
    for function in (ipu_mult, ipu_add):
        with pytest.raises(ValueError, match=f"^{message}$"):
            function(1, 2, code)


def test_a_switch_is_true_or_false() -> None:
    with pytest.raises(ValueError, match=r"^`quantize` is True or False, found 'x'$"):
        IPU2.State(quantize="x")


def test_numbers_of_numpy_are_numbers() -> None:
    words: Any = np.array([3, 4])
    state = IpuState()
    state.load_program(words)
    assert [*map(type, state.inst_mem[:3])] == [int, int, type(None)]
    two: Any = ml_dtypes.float8_e4m3fn(2)
    assert ipu_add(np.float32(0.5), two, DType.FP8_E4M3) == 2.5  # type: ignore[arg-type]
    state = state_with_program()
    number: Any = np.int64(2)
    state.regfile.set_lr(number, number)
    assert state.regfile.get_lr(number) == 2
    state.xmem.write_address(number, b"ab")
    assert state.xmem.read_address(number, number) == b"ab"
    assert run_with_debug(state, lambda *_: DebugAction.CONTINUE, number + 7) == 3
