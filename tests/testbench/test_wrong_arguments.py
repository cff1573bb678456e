"""Arguments of a wrong type or value: errors say what was expected and what was found."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

from ipu_asm.testbench import Bench, IpuApp, assert_bit_exact, from_fp8, run_test, to_fp8

FOLDERS = "`folders` is the path of a folder, or several"
KERNEL = "set lr0 1;; here: incr lr0 1; bkpt;;"


def check_refused(
    error: type[Exception], message: str, action: Callable[[Any], object]
) -> pytest.ExceptionInfo[Exception]:
    """An action on a bench raises the error, whose message is the given one."""
    bench = Bench()
    bench.load_text(KERNEL)
    with pytest.raises(error) as raised:
        action(bench)
    found = raised.value.args[0]
    assert found == message
    return raised


TYPES = "elements and words are int8, float8_e4m3fn, float8_e5m2, uint8, int32, uint32 or float32"


@pytest.mark.parametrize(
    ("dtype", "found"),
    [
        ("foo", "`foo`"),
        ("i8", "`i8`, numpy's int64"),
        (None, "NoneType"),
        (3, "int"),
        ("float64", "`float64`"),
        (np.int64, "int64"),
    ],
)
def test_a_type_that_the_machine_does_not_have_is_shown_as_it_was_written(
    dtype: Any, found: str
) -> None:
    check_refused(TypeError, f"{TYPES}, found {found}", lambda b: b.get(0, 4, dtype))
    check_refused(TypeError, f"{TYPES}, found {found}", lambda b: b.lr.view(dtype))


@pytest.mark.parametrize(
    ("shape", "error", "message"),
    [
        (-1, ValueError, "a size is at least 0, found -1"),
        ((2, -3), ValueError, "a size is at least 0, found -3"),
        ("x", TypeError, "a shape is a number or a tuple of numbers, found str"),
        (1.5, TypeError, "a shape is a number or a tuple of numbers, found float"),
        ((1.5, 2), TypeError, "a size is a whole number, found float"),
    ],
)
def test_a_shape_has_whole_sizes(shape: Any, error: type[Exception], message: str) -> None:
    check_refused(error, message, lambda b: b.get(0, shape, np.int8))


@pytest.mark.parametrize("address", ["x", 1.5, None])
def test_an_address_is_a_whole_number(address: Any) -> None:
    message = f"an address is a whole number, found {type(address).__name__}"
    check_refused(TypeError, message, lambda b: b.get(address, 4, np.int8))
    check_refused(TypeError, message, lambda b: b.put(address, b"abc"))
    check_refused(TypeError, message, lambda b: setattr(b, "pc", address))


def test_numbers_of_numpy_are_numbers() -> None:
    bench: Any = Bench()
    bench.load_text(KERNEL)
    bench.put(np.int64(4), np.arange(4, dtype=np.int8))
    sizes: Any = [np.int32(2), 2]
    assert bench.get(np.uint8(4), sizes, np.int8).tolist() == [[0, 1], [2, 3]]
    assert bench.until(np.int64(1), np.int64(9)) == bench.pc == 1
    assert bench.lr[np.int8(0)] == 1


def test_what_can_only_be_read_says_so() -> None:
    for name in ("lr", "cr", "aaq"):
        message = (
            f"`{name}` is a file of registers: assign one, `{name}[0] = 3`, or a slice of them"
        )
        check_refused(AttributeError, message, lambda b: setattr(b, name, 3))  # noqa: B023
    for name in ("labels", "cycles", "kernel", "registers", "element_type"):
        message = f"`{name}` can be read only"
        check_refused(AttributeError, message, lambda b: setattr(b, name, 3))  # noqa: B023


@pytest.mark.parametrize(
    ("isa", "has", "has_not"),
    [("ipu", "aaq_result", "post_aaq_reg"), ("ipu2", "post_aaq_reg", "aaq_result")],
)
def test_the_vector_registers_are_those_of_the_machine(isa: str, has: str, has_not: str) -> None:
    bench = Bench(isa=isa)
    assert {has, "r", "r0", "r_acc", "lr", "put"} <= set(dir(bench))
    assert has_not not in dir(bench)
    known = ", ".join(bench.state.layout.vector_places)
    message = f"a vector register of {isa} is one of {known}, found `{has_not}`"
    for action in (lambda: getattr(bench, has_not), lambda: setattr(bench, has_not, bytes(128))):
        with pytest.raises(AttributeError) as raised:
            action()
        assert str(raised.value) == message


def test_a_subclass_has_attributes_of_its_own() -> None:
    class Own(Bench):
        pass

    bench = Own()
    bench.rows = 4
    assert bench.rows == 4


@pytest.mark.parametrize(
    ("action", "error", "message"),
    [
        (lambda b: b.lr["x"], TypeError, "the number of a register is a whole number, found str"),
        (lambda b: b.lr.__setitem__(1.5, 0), TypeError,
         "the number of a register is a whole number, found float"),
        (lambda b: b.lr.__setitem__(slice(0, 2), 3), TypeError,
         "2 registers take as many values, found int"),
        (lambda b: b.lr.view(np.int8), TypeError, "a register has 32 bits, found int8"),
        (lambda b: b.registers["foo"], KeyError,
         "a register is one of lr, cr, aaq, r, mem_bypass, r_cyclic, r_mask, r_acc, mult_res, "
         "aaq_result, r0, r1, found `foo`"),
    ],
)  # fmt: skip
def test_a_register_is_named_by_what_it_has(
    action: Callable[[Any], object], error: type[Exception], message: str
) -> None:
    check_refused(error, message, action)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"aaq_shift": "x"}, TypeError, "`aaq_shift` is a whole number, found str"),
        ({"aaq_shift": 1.5}, TypeError, "`aaq_shift` is a whole number, found float"),
        ({"isa": "ipu2", "elu_alpha": "x"}, TypeError, "`elu_alpha` is a number, found str"),
        ({"isa": "ipu2", "quantize": "x"}, ValueError, "`quantize` is True or False, found 'x'"),
    ],
)
def test_an_option_of_the_host_has_its_type(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    check_refused(error, message, lambda _: Bench(**options))


def test_a_single_folder_is_searched(tmp_path: Path) -> None:
    (tmp_path / "k.s").write_text(KERNEL)
    for folder in (tmp_path, str(tmp_path)):
        bench = Bench(folder)
        bench.load("k.s")
        assert bench.run().cycles == 2


@pytest.mark.parametrize(
    ("action", "error", "message"),
    [
        (lambda _: Bench(3), TypeError, f"{FOLDERS}, found int"),  # type: ignore[arg-type]
        (lambda _: Bench(b"x"), TypeError, f"{FOLDERS}, found bytes"),  # type: ignore[arg-type]
        (lambda _: Bench(["x", 3]), TypeError, f"{FOLDERS}, found int"),  # type: ignore[list-item]
        (lambda _: IpuApp(inst_path=3), TypeError,  # type: ignore[arg-type]
         "`inst_path` is the path of a kernel, found int"),
        (lambda b: b.load(3), TypeError, "a kernel is the path of a source file, found int"),
        (lambda b: b.load("."), FileNotFoundError,
         "a kernel is the path of a source file, found the folder `.`"),
        (lambda b: b.load_text("bkpt;;", defines=3), TypeError,
         "`defines` is a mapping of names to values, found int"),
        (lambda b: b.load_text(b"bkpt;;"), TypeError,
         "`load_text` takes the text of a program as a str, found bytes; decode the bytes first"),
    ],
)  # fmt: skip
def test_a_kernel_is_a_path_or_a_text(
    action: Callable[[Any], object], error: type[Exception], message: str
) -> None:
    check_refused(error, message, action)


PLACE = "a place is a label, an address from 0 to 1,023 or a condition"


@pytest.mark.parametrize(
    ("action", "error", "message"),
    [
        (lambda b: b.run("x"), TypeError, "`max_cycles` is a whole number, found str"),
        (lambda b: b.run(-1), ValueError, "`max_cycles` is at least 0, found -1"),
        (lambda b: b.until("here", None), TypeError,
         "`max_cycles` is a whole number, found NoneType"),
        (lambda b: b.run(debug_callback=3), TypeError, "`debug_callback` is a function, found int"),
        (lambda b: b.step(1.5), TypeError, "`count` is a whole number, found float"),
        (lambda b: b.step(-1), ValueError, "`count` is at least 0, found -1"),
        (lambda b: b.until(None), TypeError, f"{PLACE}, found NoneType"),
        (lambda b: b.until(-1), ValueError, f"{PLACE}, found -1"),
        (lambda b: b.until(5_000), ValueError, f"{PLACE}, found 5000"),
        (lambda _: run_test("k.s", setup=3), TypeError,  # type: ignore[arg-type]
         "`setup` is a function, found int"),
    ],
)  # fmt: skip
def test_a_run_has_whole_limits_and_places(
    action: Callable[[Any], object], error: type[Exception], message: str
) -> None:
    check_refused(error, message, action)


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ("x", TypeError, "elements are made of numbers, found str32"),
        ([1, "a"], TypeError, "elements are made of numbers, found str672"),
        (None, TypeError, "elements are made of numbers, found NoneType"),
        (1j, TypeError, "elements are made of numbers, found complex128"),
        ([[1], [2, 3]], ValueError, "the rows of an array have one length, found several"),
    ],
)
def test_elements_are_made_of_numbers(values: Any, error: type[Exception], message: str) -> None:
    for dtype in ("int8", "fp8_e4m3"):

        def convert(bench: Bench, dtype: str = dtype) -> object:
            bench.dtype = dtype
            return bench.to_elements(values)

        check_refused(error, message, convert)


def test_whole_numbers_of_any_size_become_elements() -> None:
    assert Bench().to_elements([10**30, -5]).tolist() == [127, -5]
    assert to_fp8([10**30], "fp8_e4m3").tolist() == [448]


def test_an_8_bit_float_is_named() -> None:
    message = "an 8-bit float is named, such as `fp8_e4m3`, found type"
    wrong: Any = np.int8
    check_refused(TypeError, message, lambda _: to_fp8([1], wrong))
    check_refused(TypeError, message, lambda _: from_fp8([1], wrong))


@pytest.mark.parametrize(
    ("actual", "found"), [(None, "NoneType"), ("x", "str"), (np.zeros(3, object), "one of object")]
)
def test_numbers_are_compared(actual: Any, found: str) -> None:
    message = f"an array of numbers is compared, found {found}"
    check_refused(TypeError, message, lambda _: assert_bit_exact(actual, [0, 0, 0]))
