"""Numbers of the vector units against plain integers and fractions."""

from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ipu_asm.emulator import ProgramRun, UnknownResultError, run_program
from ipu_asm.emulator.code_program import read_code_program
from ipu_asm.emulator.code_runs import code_model, set_up
from ipu_asm.targets.aie.machine.deferred import DeferredProducts, Piece, Product, Terms
from ipu_asm.targets.aie.machine.numbers import bf16_of_fp32, saturated, shifted_right
from ipu_asm.targets.aie.machine.products import INTEGERS
from ipu_asm.targets.xdna1.machine import model as xdna1
from ipu_asm.targets.xdna2.machine import model as xdna2

EXAMPLES = Path(__file__).parents[4] / "examples"
MODES = (0, 1, 2, 3, 8, 9, 10, 11, 12, 13)
RANDOM = np.random.default_rng(7)


GENERATIONS = {"xdna1": xdna1.GENERATION, "xdna2": xdna2.GENERATION}


def terms_of(isa: str, key: tuple[int, int, int], size: int, *, is_negated: bool = False) -> Terms:
    generation = GENERATIONS[isa]
    is_float = key[0] == 2
    shapes = generation.float_shapes if is_float else generation.shapes
    methods = generation.multiply_floats if is_float else INTEGERS
    return Terms(shapes[key], True, False, is_negated, 0, (False,), size, methods)


def rounded(value: Fraction, mode: int) -> int:
    """A fraction to an integer, by the names of the modes."""
    low = value.numerator // value.denominator
    rest = value - low
    if not rest:
        return low
    if mode < 8:
        return low + (False, True, value < 0, value > 0)[mode]
    if rest != Fraction(1, 2):
        return low + (rest > Fraction(1, 2))
    is_odd = low % 2 == 1
    ties = {8: False, 9: True, 10: value < 0, 11: value > 0, 12: is_odd, 13: not is_odd}
    return low + ties[mode]


@pytest.mark.parametrize("mode", MODES)
def test_shifts_round_as_fractions_do(mode: int) -> None:
    values = np.concatenate((np.arange(-40, 40), RANDOM.integers(-(2**40), 2**40, 200)))
    for shift in (0, 1, 3, 31):
        found = shifted_right(values, shift, mode).tolist()
        assert found == [rounded(Fraction(value, 1 << shift), mode) for value in values.tolist()]


@pytest.mark.parametrize("mode", MODES)
def test_bfloat16_rounds_as_fractions_do(mode: int) -> None:
    words = RANDOM.integers(0, 1 << 32, 500).astype(np.uint32)
    words[::3] &= 0xFFFF8000  # many ties
    words = words[words & 0x7F80_0000 < 0x7F00_0000]
    for word, found in zip(words.tolist(), bf16_of_fp32(words, mode).tolist()):
        sign = -1 if word >> 31 else 1
        expected = sign * rounded(Fraction(sign * (word & 0x7FFF_FFFF), 1 << 16), mode)
        assert found & 0x7FFF == abs(expected)


def test_modes_that_are_not_public_are_refused() -> None:
    with pytest.raises(UnknownResultError, match="crRnd = 5"):
        shifted_right(np.array([1]), 1, 5)
    with pytest.raises(UnknownResultError, match="crSat = 2"):
        saturated(np.array([1]), 8, 2, is_signed=True)


@pytest.mark.parametrize(("low", "high"), [(0, 256), (100, 160), (0, 3), (252, 256)])
def test_sums_of_xdna1_are_those_of_plain_integers(low: int, high: int) -> None:
    """Lanes together, in floating point, against terms that are aligned one by one."""

    def numbers(count: int) -> NDArray[Any]:
        fields = RANDOM.integers(low, high, count) << 7
        words = fields | RANDOM.integers(0, 128, count) | RANDOM.integers(0, 2, count) << 15
        return np.where(RANDOM.random(count) < 0.1, 0, words).astype(np.uint16)

    with np.errstate(all="ignore"):
        for is_negated in (False, True) * 8:
            a, b = numbers(32), numbers(32)
            acc = (numbers(16).astype(np.uint32) << 16) | RANDOM.integers(0, 1 << 16, 16)
            terms = terms_of("xdna1", (2, 3, 0), 64, is_negated=is_negated)
            data = acc.astype(np.uint32).tobytes()
            found = xdna1.multiply_floats(terms, a.tobytes(), b.tobytes(), [data], [False])
            sign = 0x8000 * is_negated
            expected = [
                xdna1._special_sum(
                    [(int(a[8 * i + k]), int(b[4 * k + j]) ^ sign) for k in range(8)],
                    [(int(acc[4 * i + j]), False)],
                )
                for i in range(4)
                for j in range(4)
            ]
            assert np.frombuffer(found, np.uint32).tolist() == expected


def test_blocks_are_added_with_one_rounding() -> None:
    for _ in range(20):
        parts = [RANDOM.integers(-128, 128, 64).astype(np.int8) for _ in range(2)]
        exponents = [RANDOM.integers(110, 145, 8).astype(np.uint8) for _ in range(2)]
        acc = RANDOM.standard_normal(64).astype(np.float32)
        a, b = (part.tobytes() + own.tobytes() for part, own in zip(parts, exponents))
        terms = terms_of("xdna2", (2, 1, 0), 256)
        found = np.frombuffer(
            xdna2.multiply_floats(terms, a, b, [acc.tobytes()], [False]), np.float32
        )
        for i in range(8):
            for j in range(8):
                sums = sum(
                    int(x) * int(y) for x, y in zip(parts[0][8 * i :][:8], parts[1][8 * j :][:8])
                )
                scale = Fraction(2) ** (int(exponents[0][i]) + int(exponents[1][j]) - 266)
                exact = sums * scale + Fraction(float(acc[8 * i + j]))
                assert nearest(exact, found[8 * i + j])


def nearest(exact: Fraction, found: np.float32) -> bool:
    """Whether no float32 number is nearer."""
    up, down = np.nextafter(found, np.float32(np.inf)), np.nextafter(found, np.float32(-np.inf))
    own = abs(Fraction(float(found)) - exact)
    return all(own <= abs(Fraction(float(other)) - exact) for other in (up, down))


def check_example(path: str, registers: dict[str, int], memory: dict[int, bytes]) -> ProgramRun:
    run = run_program(
        (EXAMPLES / path).read_text(),
        path.partition("/")[0],
        registers={"p0": 0x70000, "p1": 0x71000, "p2": 0x72000, **registers},
        memory=memory,
    )
    assert run.end == "returned"
    return run


def test_the_example_of_a_tile_adds_a_product_of_matrices() -> None:
    a, b = RANDOM.integers(-9, 9, (4, 8)), RANDOM.integers(-9, 9, (8, 4))
    c = RANDOM.integers(-9, 9, (4, 4)).astype(np.float32)
    words = [(each.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16) for each in (a, b)]
    memory = {0x70000: words[0].tobytes(), 0x71000: words[1].tobytes(), 0x72000: c.tobytes()}
    run = check_example("xdna1/matmul_4x8x4.aie2", {}, memory)
    assert (
        np.frombuffer(run.memory(0x72000, 64), np.float32).reshape(4, 4).tolist()
        == (c + a @ b).tolist()
    )
    assert run.cycles == 16


def test_the_example_of_integers_adds_what_a_loop_loads() -> None:
    a, b = (RANDOM.integers(-(2**15), 2**15, 96).astype(np.int16) for _ in range(2))
    memory = {0x70000: a.tobytes(), 0x71000: b.tobytes()}
    run = check_example("xdna1/add_int16.aie2", {"r0": 3}, memory)
    assert run.memory(0x72000, 192) == (a + b).tobytes()


def test_the_example_of_lanes_adds_products() -> None:
    a, b = (RANDOM.integers(-9, 9, (3, 32)) for _ in range(2))
    words = [(each.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16) for each in (a, b)]
    memory = {0x70000: words[0].tobytes(), 0x71000: words[1].tobytes()}
    run = check_example("xdna2/matmul_bf16.aie2p", {"r0": 60, "r1": 3}, memory)
    found = np.frombuffer(run.memory(0x72000, 128), np.float32)
    assert found.tolist() == (a * b).sum(0).tolist()


def test_products_computed_together_are_those_computed_alone() -> None:
    """Chains through accumulators, looked at while they run and at the end."""
    text = "".join(
        f"vmac.f bm{half}{n}, bm{half}{m}, x{k}, x{k + 4}, r{k % 2}; vst wl0, [p0, #0]\n"
        for n, m, k in [(0, 0, 0), (1, 0, 1), (0, 1, 2), (2, 2, 3), (0, 2, 0), (1, 1, 1)] * 3
        for half in "lh"
    )
    text += "nop\n" * 4 + "vst amll0, [p0, #32]\n" + "done\n"
    registers = {f"x{n}": int.from_bytes(RANDOM.bytes(64), "little") for n in range(8)}
    for n in range(8):  # ordinary numbers in most, infinities and NaNs in one
        if n != 3:
            registers[f"x{n}"] &= int.from_bytes(b"\xff\xbf" * 32, "little")
    registers |= {"p0": 0x70000, "r0": 28, "r1": 60}
    seen = []
    for looks in (False, True):
        model = code_model("xdna1")
        program = read_code_program(text, "xdna1", model.data_address)
        machine = model.make_machine(program)
        set_up(machine, program, registers, {})
        machine.start(0)
        trace = (lambda pc, state=machine.state: state.register("cm0")) if looks else None
        machine.run(1000, None, trace)
        machine.state.drain()
        seen.append((machine.state.values(), machine.state.read_memory(0x70000, 64)))
    assert seen[0] == seen[1]
    assert any(seen[0][1][32:])


BLOCKS = {(0x3B, 0x43): (110, 150), (0x3F, 0x40): (60, 200), (0, 0x7F): (0, 256)}
KINDS = [
    *(("xdna1", key, 64, (64, 64)) for key in xdna1.GENERATION.float_shapes),
    *(("xdna1", key, 128, (64, 64)) for key in xdna1.GENERATION.shapes),
    ("xdna2", (2, 3, 1), 256, (64, 64)),
    ("xdna2", (2, 1, 0), 256, (72, 72)),
    *(("xdna2", key, 256, (64, 64)) for key in xdna2.GENERATION.shapes),
]


@pytest.mark.parametrize(("isa", "key", "size", "factors"), KINDS)
@pytest.mark.parametrize("exponents", BLOCKS)
def test_chains_of_products_are_those_computed_one_by_one(
    isa: str, key: tuple[int, int, int], size: int, factors: tuple[int, int],
    exponents: tuple[int, int],
) -> None:  # fmt: skip
    """`exponents` are upper bytes of bfloat16 numbers, the last ones with infinities and NaNs."""

    def factor(count: int) -> bytes:
        data = RANDOM.integers(0, 256, count).astype(np.uint8)
        if key[0] == 2 and count == 64:
            data[1::2] = RANDOM.integers(*exponents, 32) | RANDOM.integers(0, 2, 32) << 7
        data[64:] = RANDOM.integers(*BLOCKS[exponents], count - min(count, 64))
        return data.tobytes()

    def product(number: int, accumulators: list[Any]) -> Product:
        return Product(kinds[number % 2], *pairs[number], accumulators)

    kinds = [terms_of(isa, key, size, is_negated=bool(negated)) for negated in (0, key[1] == 3)]
    pairs = [(factor(factors[0]), factor(factors[1])) for _ in range(24)]
    start = RANDOM.standard_normal(size // 4).astype(np.float32).tobytes()
    with np.errstate(all="ignore"):
        results = []
        for is_together in (False, True):
            deferred = DeferredProducts()
            found: list[Product] = []
            for number in range(24):
                last = found[number - 3] if number >= 3 else None
                half = slice(0, size // 2), slice(size // 2, size)
                pieces: list[Any] = [Piece(last, each) for each in half] if last else [start]
                found.append(product(number, [pieces] if number % 7 else []))
                deferred.add(found[-1])
                if not is_together:
                    try:
                        deferred.compute_all()
                    except UnknownResultError:
                        break
            with suppress(UnknownResultError):
                deferred.compute_all()
            results.append([each.result for each in found])
    assert results[0] == results[1][: len(results[0])]
