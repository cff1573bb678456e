"""A machine to test kernels on: what goes in, what comes out, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable

import ml_dtypes
import numpy as np
import pytest

from ipu_asm import AssemblyError
from ipu_asm.assembler.encode import assemble
from ipu_asm.assembler.images import FORMATS, ImageError, encode_image
from ipu_asm.config import ConfigurationError
from ipu_asm.config.files import FileError
from ipu_asm.emulator import CycleLimitError, ExecutionFault, IpuState
from ipu_asm.isa import load_isa
from ipu_asm.testbench import Bench, Run

E4M3, E5M2 = ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2
KINDS = [np.int8, np.uint8, np.int32, np.uint32, np.float32, E4M3, E5M2]

XMEM_SIZE = IpuState.memory_size


def check_refused(error: type[Exception], message: str, action: Callable[[], object]) -> None:
    """An action raises the error, whose message, with its notes, matches; frames are hidden."""
    with pytest.raises(error, match=message) as raised:
        action()
    hidden = [entry.frame.f_locals.get("__tracebackhide__") for entry in raised.traceback[2:]]
    assert all(hidden)


def check_run(text: str, expected: Run, **options: Any) -> Bench:
    """A kernel, given as text, runs and ends as expected."""
    bench = Bench()
    bench.load_text(text)
    assert bench.run(**options) == expected
    return bench


# Memory.


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(), 5, (2, 3), (2, 3, 4)])
def test_an_array_comes_back_as_it_was_put(kind: Any, shape: Any) -> None:
    bench = Bench()
    array = np.arange(np.prod(shape)).astype(kind).reshape(shape)
    bench.put(0x1234, array)
    bench.assert_bit_exact(bench.get(0x1234, shape, kind), array)
    assert bytes(bench.state.xmem.read_address(0x1234, array.nbytes)) == array.tobytes()


def test_rows_lie_one_after_the_other_whatever_the_order_in_numpy() -> None:
    bench = Bench()
    array = np.arange(6, dtype=np.int8).reshape(2, 3)
    bench.put(0, array.T)
    assert bytes(bench.get(0, 6, np.uint8)) == bytes([0, 3, 1, 4, 2, 5])
    bench.put(0, array[:, ::2])
    assert bytes(bench.get(0, 4, np.uint8)) == bytes([0, 2, 3, 5])


def test_words_are_little_endian_whatever_the_order_in_numpy() -> None:
    bench = Bench()
    bench.put(0, np.array([1, 2], ">i4"))
    assert bytes(bench.get(0, 8, np.uint8)) == bytes([1, 0, 0, 0, 2, 0, 0, 0])
    assert bench.get(0, 2, ">u4").tolist() == [1, 2]


def test_bytes_are_data_too() -> None:
    bench = Bench()
    for content in (b"\x01\xff", bytearray(b"\x01\xff"), memoryview(b"\x01\xff")):
        bench.put(8, content)
        assert bench.get(8, 3, "int8").tolist() == [1, -1, 0]
        bench.put(8, bytes(2))


def test_element_types_have_names() -> None:
    bench = Bench()
    bench.put(0, np.array([0x38, 0x3C], np.uint8))
    bench.put(2, np.int8(-1))
    assert bench.get(1, 2, np.uint8).tolist() == [0x3C, 0xFF]
    assert float(bench.get(0, 1, "fp8_e4m3")[0]) == 1
    assert float(bench.get(1, 1, "fp8_e5m2")[0]) == 1
    assert bench.get(0, 1, "int8").dtype == np.int8


def test_what_was_got_is_a_copy() -> None:
    bench = Bench()
    array = bench.get(0, 4, np.int8)
    array[:] = 7
    assert not bench.get(0, 4, np.int8).any()


@pytest.mark.parametrize(
    "kind", [np.float64, np.int64, np.int16, np.float16, ml_dtypes.float8_e4m3]
)
def test_types_that_the_machine_does_not_have_are_refused(kind: Any) -> None:
    name = np.dtype(kind).name
    message, remedy = rf"^elements and words are int8, .*float32, found {name}", ": convert with"
    bench = Bench()
    check_refused(TypeError, message + remedy, lambda: bench.put(0, np.zeros(4, kind)))
    check_refused(TypeError, message + "$", lambda: bench.get(0, 4, kind))


def test_masks_are_to_be_packed_and_lists_to_be_arrays() -> None:
    bench = Bench()
    check_refused(
        TypeError, r"pack masks with `np\.packbits", lambda: bench.put(0, np.ones(8, bool))
    )
    data: Any = [1, 2]
    check_refused(TypeError, "a numpy array or bytes, found list", lambda: bench.put(0, data))


@pytest.mark.parametrize(("address", "size"), [(XMEM_SIZE - 3, 4), (XMEM_SIZE, 1), (-1, 1)])
def test_what_leaves_the_memory_is_refused(address: int, size: int) -> None:
    bench = Bench()
    message = "an access must end within the 0x200000 bytes of xmem, found"
    check_refused(IndexError, message, lambda: bench.put(address, np.ones(size, np.int8)))
    check_refused(IndexError, message, lambda: bench.get(address, size, np.int8))
    assert not bench.get(0, XMEM_SIZE, np.uint8).any()


# Registers.


@pytest.mark.parametrize(("file", "size"), [("lr", 16), ("cr", 16), ("aaq", 4)])
def test_scalar_registers_hold_what_they_were_given(file: str, size: int) -> None:
    bench = Bench()
    registers = getattr(bench, file)
    for number in range(size):
        registers[number] = number - 2
    assert list(registers) == registers[:] == [number - 2 for number in range(size)]
    assert len(registers) == size
    get = getattr(bench.state.regfile, f"get_{file}")
    assert [get(number) for number in range(3)] == [0xFFFF_FFFE, 0xFFFF_FFFF, 0]
    registers[1:3] = 40, np.int64(50)
    assert registers[:4] == [-2, 40, 50, 1]


@pytest.mark.parametrize(
    ("value", "word"),
    [
        (-(1 << 31), 0x8000_0000),
        (0xFFFF_FFFF, 0xFFFF_FFFF),
        (True, 1),
        (np.int8(-3), 0xFFFF_FFFD),
        (np.uint32(0x8000_0001), 0x8000_0001),
        (np.float32(-np.inf), 0xFF80_0000),
        (E4M3(1), 0x38),
        (E5M2(-1), 0xBC),
    ],
)
def test_a_register_takes_numbers_and_the_bits_of_floats(value: Any, word: int) -> None:
    bench = Bench()
    bench.cr[3] = value
    assert bench.state.regfile.get_cr(3) == word


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (1 << 32, ValueError, r"holds 32 bits, -2\*\*31 to 2\*\*32 - 1, found 4294967296"),
        (-(1 << 31) - 1, ValueError, "found -2147483649"),
        (0.5, TypeError, r"takes a whole number, found float; .* `np.float32\(...\)`"),
        (np.float64(1), TypeError, "found float64"),
        ("1", TypeError, "a register takes a whole number, found str"),
        (None, TypeError, "a register takes a whole number, found NoneType"),
    ],
)
def test_a_register_refuses_what_is_no_word(
    value: Any, error: type[Exception], message: str
) -> None:
    bench = Bench()
    bench.lr[3] = 9
    check_refused(error, message, lambda: bench.lr.__setitem__(3, value))
    check_refused(error, message, lambda: bench.lr.__setitem__(slice(3, 5), [1, value]))
    assert bench.lr[3:5] == [9, 0]


def test_a_register_that_is_not_there_is_named() -> None:
    bench = Bench()
    check_refused(IndexError, "`lr` has registers 0 to 15, found 16", lambda: bench.lr[16])
    check_refused(IndexError, "found -1", lambda: bench.cr.__setitem__(-1, 0))
    check_refused(IndexError, "`aaq` has registers 0 to 3", lambda: bench.aaq[4])
    message = "3 registers take as many values, found 2"
    check_refused(ValueError, message, lambda: bench.cr.__setitem__(slice(0, 3), (1, 2)))


def test_a_register_read_as_float_has_the_same_bits() -> None:
    bench = Bench()
    bench.aaq[2] = np.float32(0.1)
    floats = bench.aaq.view(np.float32)
    bench.assert_bit_exact(floats, [0, 0, 0.1, 0])
    assert not floats.flags.writeable


@pytest.mark.parametrize(
    ("dtype", "element", "word"),
    [("int8", np.int8, np.int32), ("fp8_e4m3", E4M3, np.float32), ("fp8_e5m2", E5M2, np.float32)],
)
def test_vector_registers_have_the_types_in_force(dtype: str, element: Any, word: Any) -> None:
    bench = Bench()
    bench.dtype = dtype
    assert bench.dtype == dtype
    assert (bench.element_type, bench.word_type) == (np.dtype(element), np.dtype(word))
    sizes = {"r0": 128, "r1": 128, "mem_bypass": 128, "r_cyclic": 512}
    arrays = {name: np.arange(size).astype(element) for name, size in sizes.items()}
    arrays |= {name: np.arange(128).astype(word) for name in ("r_acc", "mult_res")}
    arrays["aaq_result"] = np.arange(128, dtype=np.int8)
    for factor, (name, array) in enumerate(arrays.items(), 2):
        setattr(bench, name, np.roll(array, factor))
    for factor, (name, array) in enumerate(arrays.items(), 2):
        bench.assert_bit_exact(getattr(bench, name), np.roll(array, factor))


def test_masks_are_truth_values() -> None:
    bench = Bench()
    masks = np.zeros((8, 128), bool)
    masks[0, 0] = masks[2, 127] = masks[7, 9] = True
    bench.r_mask = masks
    content = bench.state.regfile.get_register_bytes("r_mask")
    assert {place: byte for place, byte in enumerate(content) if byte} == {0: 1, 47: 0x80, 113: 2}
    bench.assert_bit_exact(bench.r_mask, masks)
    bench.r_mask = bytes(128)
    assert not bench.r_mask.any()


def test_a_vector_register_takes_exactly_its_size_and_type() -> None:
    bench = Bench()
    row = np.ones(128, np.int8)
    for name, size in (("r1", 128), ("r_cyclic", 512), ("r_acc", 512)):
        wrong = np.ones(size + 1, np.int8)
        message = f"`{name}` takes {size} bytes, found {size + 1}"
        check_refused(ValueError, message, lambda: setattr(bench, name, wrong))  # noqa: B023
    masks = np.ones((8, 64), bool)
    message = r"a mask has 128 truth values, found \(8, 64\)"
    check_refused(ValueError, message, lambda: setattr(bench, "r_mask", masks))
    check_refused(ValueError, "`r_mask`", lambda: setattr(bench, "r_mask", masks.reshape(4, 128)))
    check_refused(TypeError, "int64", lambda: setattr(bench, "r_acc", np.arange(64)))
    check_refused(AttributeError, "r2", lambda: setattr(bench, "r2", row))


def test_changing_a_part_of_a_register_in_place_is_refused() -> None:
    bench = Bench()
    for array in (bench.r0, bench.r_acc, bench.r_mask):
        check_refused(ValueError, "read-only", lambda: array.fill(1))  # noqa: B023


def test_an_element_type_that_there_is_not_is_refused() -> None:
    bench = Bench()
    message = "one of `int8`, `fp8_e4m3`, `fp8_e5m2`, found `fp8`"
    check_refused(ValueError, message, lambda: setattr(bench, "dtype", "fp8"))
    bench.cr[15] = 9
    check_refused(ValueError, "found 9", lambda: bench.dtype)


# Kernels and runs.


def test_a_kernel_runs_from_its_first_bundle_on_what_is_there() -> None:
    bench = check_run("incr lr0 5;;\nbkpt;;", Run(2, 1024, "bkpt", 2))
    bench.r0 = np.arange(128, dtype=np.int8)
    assert bench.run() == Run(2, 1024, "bkpt", 2)
    assert bench.lr[0] == 10
    bench.load_text("incr lr0 1; bkpt;;")
    assert bench.run().cycles == 1
    assert bench.lr[0] == 11
    assert bench.r0[5] == 5


@pytest.mark.filterwarnings("ignore:the kernel runs off its end")
def test_a_run_says_what_halted_it() -> None:
    check_run("set lr3 2000;;\n\nbr lr3;;", Run(2, 2000, "br lr3", 3))
    check_run("acc;;", Run(1024, 1024, None, None))
    check_run("break;; x: bkpt;;", Run(2, 1024, "bkpt", 1))


@pytest.mark.parametrize(("shift", "expected"), [(0, 127), (24, 2)])
def test_the_machine_shifts_before_it_quantizes_if_told_to(shift: int, expected: int) -> None:
    bench = Bench()
    bench.load_text("aaq; bkpt;;")
    bench.r_acc = np.full(128, 2 << 24, np.int32)
    bench.run(aaq_shift=shift)
    bench.assert_bit_exact(bench.aaq_result, [expected] * 128)
    check_refused(ValueError, "aaq_shift must be 0 to 31", lambda: bench.run(aaq_shift=32))


def test_a_fault_shows_its_place_and_leaves_the_state_of_before() -> None:
    bench = Bench()
    bench.load_text("set lr1 7;;\n  incr lr1 1; ldr_cyclic_mult_reg lr1\n cr0 lr1;;")
    message = (
        r"^bundle 1 \(line 2\), cycle 1, slot xmem, .*(?s:.*)"
        r"\n --> <kernel>:2:15\n  \|\n2 \|   incr lr1 1; ldr_cyclic_mult_reg lr1\n  \|  +\^+\.\.\.$"
    )
    check_refused(ExecutionFault, message, bench.run)
    assert bench.lr[1] == 7
    assert str(bench) == "<kernel>: stopped by a fault\nlr1 = 7"


def test_the_cycle_limit_shows_where_the_machine_was() -> None:
    bench = Bench()
    bench.load_text("x: incr lr0 1;;\n  bne lr0 lr1 x;;")
    message = (
        r"^the program did not halt within 9 cycles; bundle 1 is next\n"
        r"bundle 1 \(`x\+1`, line 2\): lr0 = 5, lr1 = 0\n"
        r" --> <kernel>:2:3\n  \|\n2 \|   bne lr0 lr1 x;;\n"
    )
    bench.lr[1] = 0
    check_refused(CycleLimitError, message, lambda: bench.run(9))
    assert str(bench).startswith("<kernel>: stopped at the cycle limit\n")


def test_all_mistakes_are_shown_and_the_old_kernel_stays() -> None:
    bench = check_run("incr lr0 1; bkpt;;", Run(1, 1024, "bkpt", 1))
    message = (
        r"(?s)E101\) and 1 more\nerror\[E101\].* --> <kernel>:1:1\n.*\n\nerror\[E104\].*:2:5\n"
    )
    check_refused(AssemblyError, message, lambda: bench.load_text("nope;;\nset r9 1;;"))
    assert bench.run().cycles == 1


def test_without_a_kernel_nothing_runs() -> None:
    bench = Bench()
    check_refused(RuntimeError, "a kernel must be loaded before it can be run", bench.run)
    assert bench.kernel is None
    assert repr(bench) == "<Bench: no kernel>"


def test_a_kernel_is_the_first_of_its_name_in_the_folders(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for number, folder in enumerate((one, two)):
        folder.mkdir()
        (folder / f"{folder.name}.s").write_text(f"set lr{number} 1; bkpt;;")
        (folder / "both.s").write_text(f"set lr{number + 2} 1; bkpt;;")
    bench = Bench([one, two])
    for name in ("one.s", "two.s", "both.s", two / "both.s"):
        bench.load(name)
        bench.run()
    assert bench.lr[:4] == [1, 1, 1, 1]
    assert bench.kernel == str(two / "both.s")


def test_a_kernel_that_is_not_there_is_named_with_all_places(tmp_path: Path) -> None:
    bench = Bench([tmp_path / "a", tmp_path / "b"])
    message = r"^a kernel is the path of a source file, found no `.*a/x.s` or `.*b/x.s`$"
    check_refused(FileNotFoundError, message, lambda: bench.load("x.s"))


def test_lines_of_a_file_with_other_line_ends_are_counted_right(tmp_path: Path) -> None:
    (tmp_path / "k.s").write_bytes(b"\xef\xbb\xbfacc;;\r\n\r\nbkpt;;\r\n")
    bench = Bench([tmp_path])
    bench.load("k.s")
    assert bench.run() == Run(2, 1024, "bkpt", 3)


@pytest.mark.parametrize("image_format", FORMATS)
def test_an_image_is_loaded_as_ipu_run_loads_it(tmp_path: Path, image_format: str) -> None:
    words = assemble("set lr1 7;; ldr_mult_reg r0 lr1 cr0; bkpt;;")
    (tmp_path / "k.img").write_bytes(encode_image(words, load_isa("ipu"), image_format))
    bench = Bench([tmp_path])
    bench.put(7, np.arange(128, dtype=np.int8))
    bench.load("k.img")
    assert bench.run() == Run(2, 1024, "bkpt", None)
    assert bench.r0[9] == 9
    assert bench.kernel == str(tmp_path / "k.img")
    assert str(bench).startswith(f"{bench.kernel}: halted by `bkpt` in bundle 1, cycles: 2\n")


def test_a_fault_in_an_image_names_the_bundle(tmp_path: Path) -> None:
    words = assemble("set lr1 7;; ldr_cyclic_mult_reg lr1 cr0 lr1;;")
    (tmp_path / "k.bin").write_bytes(encode_image(words, load_isa("ipu"), "bin"))
    bench = Bench([tmp_path])
    bench.load("k.bin")
    check_refused(ExecutionFault, r"^bundle 1, cycle 1, slot xmem, [^\n]*$", bench.run)


def test_what_is_no_image_is_refused_and_the_old_kernel_stays(tmp_path: Path) -> None:
    bench = check_run("bkpt;;", Run(1, 1024, "bkpt", 1))
    bench._folders = [tmp_path]
    (tmp_path / "k.bin").write_bytes(b"\0" * 23)
    message = "a word takes 24 bytes, found 23 bytes in all\nin the image `.*k.bin`"
    check_refused(ImageError, message, lambda: bench.load("k.bin"))
    (tmp_path / "k.edgenpu").write_text("NOP")
    message = "programs for `edgenpu` cannot be executed, only for `ipu`"
    check_refused(FileError, message, lambda: bench.load("k.edgenpu"))
    (tmp_path / "ipu.toml").write_text("isa = 1")
    check_refused(ConfigurationError, "ipu.toml:1: ", lambda: bench.load("k.bin"))
    assert bench.run().cycles == 1


def test_the_state_in_words_names_what_is_not_zero() -> None:
    bench = check_run("set lr2 -1;; x: bkpt;;", Run(2, 1024, "bkpt", 1))
    bench.aaq[1] = 20
    assert str(bench) == (
        "<kernel>: halted by `bkpt` in bundle 1 (`x`, line 1), cycles: 2\n"
        "lr2 = -1 (0xffffffff), aaq1 = 20 (0x14)"
    )
    assert str(Bench()) == "no kernel: not run yet\nlr, cr and aaq are all zero"


# Templates.

TEMPLATE = "{% for n in range(times) %}\nincr lr0 {{ n }};;\n{% endfor %}\nbkpt;;\n"


def test_a_template_is_loaded_with_values(tmp_path: Path) -> None:
    (tmp_path / "a.asm").write_text(TEMPLATE)
    bench = Bench([tmp_path])
    bench.load("a.asm", defines={"times": 4})
    assert bench.run() == Run(5, 1024, "bkpt", 4)
    assert bench.lr[0] == 6
    bench.load_text(TEMPLATE, defines={"times": 2})
    assert bench.run().cycles == 3


def test_a_template_with_contexts_is_loaded_in_the_one_that_the_values_choose(
    tmp_path: Path,
) -> None:
    (tmp_path / "ipu.toml").write_text('[template."*"]\ncontexts = [{times = 1}, {times = 2}]\n')
    (tmp_path / "a.asm").write_text(TEMPLATE)
    bench = Bench([tmp_path])
    bench.load("a.asm", defines={"times": 2})
    assert bench.run().cycles == 3
    several = "a template is assembled in one context, found 2: times=1; times=2$"
    check_refused(ValueError, several, lambda: bench.load("a.asm"))


def test_values_that_no_template_can_use_are_refused() -> None:
    message = "`defines` of `<kernel>`: expected a name of letters, digits and underscores"
    check_refused(ValueError, message, lambda: Bench().load_text("bkpt;;", defines={"a b": 1}))


def test_mistakes_of_a_template_are_shown_where_they_were_written() -> None:
    message = r"(?s)unknown.*--> <kernel>:2:1.*2 \| incrr lr0 \{\{ n \}\};;"
    text = TEMPLATE.replace("incr", "incrr")
    check_refused(AssemblyError, message, lambda: Bench().load_text(text, defines={"times": 1}))


# Assertions in comments.

ASSERTED = "set lr1 3;;\nl: # LOOP 4\nincr lr0 1; bne lr0 lr1 l;;\n# ASSERT all(r0 == lr0)\nbkpt;;"


def test_a_run_fails_where_an_assertion_about_data_does_not_hold() -> None:
    bench = Bench()
    bench.load_text(ASSERTED)
    check_refused(AssertionError, r"(?s)found r0 = \[0, 0, 0, 0, .*lr0 = 4\n.*:4:10", bench.run)
    assert "stopped by an assertion" in str(bench)
    bench.lr[0] = 0
    bench.r0 = np.full(128, 4, np.int8)
    assert bench.run().cycles == 6


def test_a_run_fails_before_it_begins_where_loop_registers_refute_an_assertion() -> None:
    bench = Bench()
    bench.load_text(ASSERTED)
    bench.lr[0] = 1
    check_refused(AssertionError, r"(?s)has 4 trips, found 3\n.*:2:11", bench.run)
    assert bench.run(assertions=False).cycles == 5


def test_the_cycle_limit_holds_with_assertions() -> None:
    bench = Bench()
    bench.load_text("# ASSERT lr0 == 0\nx: b x;;")
    check_refused(CycleLimitError, "50 cycles", lambda: bench.run(50))
