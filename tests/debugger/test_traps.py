"""What stops by itself: breaks, halts, faults, NaNs that appear and sums that overflow."""

from __future__ import annotations

import struct
from typing import Callable, Iterator, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.debugger.breakpoints import Breakpoint, Condition, DataBreakpoint, Stop, Trap
from ipu_asm.emulator import DType, ExecutionFault, Ipu, IpuState
from ipu_asm.emulator.stops import StopReason
from ipu_asm.targets.ipu.machine.state import DTYPE, SCALAR_NAMES
from tests.debugger.ipu_regions import region, whole_region
from tests.debugger.sessions import LOOP, NO_TRAPS, debugger_on

Traps = Mapping[Trap, Condition | None]
Prepare = Callable[[IpuState], None]

NUMBERS: Traps = {Trap.NAN: None, Trap.OVERFLOW: None}
ENDS = (StopReason.BKPT, StopReason.ENDED, StopReason.FAULT)
INFINITY, MINUS_INFINITY, QUIET_NAN = 0x7F80_0000, 0xFF80_0000, 0x7FC0_0000


def never(state: IpuState) -> bool:
    return False


def check_stops(
    text: str,
    traps: Traps,
    prepare: Prepare = lambda state: None,
    stops: int = 1_000,
    **options: object,
) -> list[Stop]:
    """All stops of a run with some traps, and that going back finds the same ones."""
    debugger = debugger_on(text, traps, prepare, max_cycles=10_000, **options)
    found = [debugger.start()]
    while found[-1].reason not in ENDS and len(found) < stops:
        found.append(debugger.continue_())
    back = [debugger.reverse_continue() for _ in found]
    assert back[-1].reason is StopReason.START
    assert back[:-1][::-1] == found[:-1]
    return found


def with_words(dtype: DType = DType.INT8, **registers: int | Mapping[int, int]) -> Prepare:
    """Fills aaq registers, and elements of `r_acc` and `mult_res`, with words."""

    def prepare(state: IpuState) -> None:
        state.set_cr_dtype(dtype)
        for name, value in registers.items():
            if isinstance(value, int):
                state.regfile.scalars[SCALAR_NAMES.index(name)] = value
                continue
            content = state.regfile.get_register_bytes(name)
            for element, word in value.items():
                struct.pack_into("<I", content, 4 * element, word)
            state.regfile.set_register_bytes(name, 0, content)

    return prepare


def test_breaks_stop_only_where_their_condition_holds() -> None:
    late: Traps = {Trap.BREAK: lambda state: state.regfile.get_lr(4) > 126}
    stops = check_stops(LOOP, late)
    assert [(stop.reason, stop.trap) for stop in stops[:-1]] == [(StopReason.BREAK, Trap.BREAK)] * 2
    assert [stop.cycle for stop in stops[:-1]] == [17 + 26 * 126, 17 + 26 * 127]


@pytest.mark.parametrize(
    ("traps", "stop_on_halt", "expected"),
    [
        (NO_TRAPS, False, (StopReason.ENDED, None)),
        (NO_TRAPS, True, (StopReason.BKPT, None)),
        ({Trap.BKPT: None}, False, (StopReason.BKPT, Trap.BKPT)),
        ({Trap.BKPT: None}, True, (StopReason.BKPT, Trap.BKPT)),
        ({Trap.BKPT: never}, False, (StopReason.ENDED, None)),
        ({Trap.BKPT: never}, True, (StopReason.BKPT, None)),
    ],
)
def test_bkpt_stops_for_its_trap_or_because_every_halt_does(
    traps: Traps, stop_on_halt: bool, expected: tuple[StopReason, Trap | None]
) -> None:
    [stop] = check_stops("set lr1 3;; bkpt;;", traps, stop_on_halt=stop_on_halt)
    assert (stop.reason, stop.trap) == expected
    assert (stop.cycle, stop.pc) == (2, 1)
    assert stop.description == "halted by `bkpt` in bundle 1 (line 1)"


def test_other_halts_have_no_trap() -> None:
    debugger = debugger_on("set lr1 1024;; br lr1;;", {Trap.BKPT: None}, stop_on_halt=False)
    stop = debugger.continue_()
    assert (stop.reason, stop.trap, stop.pc) == (StopReason.ENDED, None, 1)


@pytest.mark.parametrize(
    ("traps", "trap"),
    [
        (NO_TRAPS, None),
        ({Trap.FAULT: None}, Trap.FAULT),
        ({Trap.FAULT: never}, None),
        ({Trap.FAULT: lambda state: state.regfile.get_lr(2) == 1}, Trap.FAULT),
    ],
)
def test_a_fault_always_stops_and_tells_whether_its_trap_was_set_off(
    traps: Traps, trap: Trap | None
) -> None:
    faulty = "set lr1 -1;;\nagain: incr lr2 1;;\nldr_mult_reg r0 lr1 cr0;;\nbkpt;;"
    [stop] = check_stops(faulty, traps)
    assert (stop.reason, stop.trap, stop.pc) == (StopReason.FAULT, trap, 2)


def test_a_stop_behind_the_last_bundle_comes_before_the_end() -> None:
    debugger = debugger_on("set lr1 3; bkpt;;", NO_TRAPS, stop_on_halt=False)
    debugger.breakpoints.set_at_data([DataBreakpoint(whole_region("lr1"))])
    stops = [debugger.continue_(), debugger.continue_()]
    assert [(stop.reason, stop.cycle, stop.pc) for stop in stops] == [
        (StopReason.DATA, 1, 0),
        (StopReason.ENDED, 1, 0),
    ]


def test_a_halt_that_an_edit_has_undone_is_found_on_the_way_back_too() -> None:
    debugger = debugger_on("set lr1 3;; bkpt;; incr lr1 1;; bkpt;;")
    first = debugger.continue_()
    debugger.edit(whole_region("pc"), (2).to_bytes(4, "little"))
    assert debugger.continue_().cycle == 4
    back = debugger.reverse_continue()
    assert (back.reason, back.cycle, back.description) == (StopReason.BKPT, 2, first.description)
    assert debugger.continue_().cycle == 4
    debugger.go_to(0)
    assert debugger.continue_().cycle == 2


def test_a_nan_among_the_products_stops_with_its_place() -> None:
    def prepare(state: IpuState) -> None:
        state.set_cr_dtype(DType.FP8_E4M3)
        state.regfile.set_register_bytes("r", 0, bytes([0x38] * 5 + [0x7F, 0xFF] + [0x38] * 121))

    text = "set lr1 1;;\nloop: incr lr2 1;;\n  mult.ee r0 lr0 lr0 lr0;\n acc;;\nbkpt;;"
    stop, end = check_stops(text, NUMBERS, prepare)
    assert (stop.reason, stop.trap, stop.cycle, stop.pc) == (StopReason.NAN, Trap.NAN, 3, 3)
    assert stop.description == (
        "`mult.ee r0 lr0 lr0 lr0` made 2 NaNs in `mult_res`, the first in element 5, and "
        "`acc` made 2 NaNs in `r_acc`, the first in element 5, in bundle 2 (`loop+1`, line 3)"
    )
    assert end.reason is StopReason.BKPT


def test_infinity_minus_infinity_makes_a_nan_and_one_that_stays_stops_nobody() -> None:
    words = with_words(
        DType.FP8_E5M2, r_acc={3: INFINITY, 9: QUIET_NAN}, mult_res={3: MINUS_INFINITY, 7: INFINITY}
    )
    stop, _ = check_stops("acc;; acc;; acc;; bkpt;;", NUMBERS, words)
    assert stop.cycle == 1
    assert stop.description == ("`acc` made a NaN in `r_acc`, in element 3, in bundle 0 (line 1)")


def test_a_nan_in_an_aaq_register_stops() -> None:
    words = with_words(DType.FP8_E4M3, r_acc={0: INFINITY, 1: MINUS_INFINITY})
    stop, _ = check_stops(
        "agg sum value cr0 aaq2;; agg sum value cr0 aaq2;; bkpt;;", NUMBERS, words
    )
    where = "in bundle 0 (line 1)"
    assert stop.description == f"`agg sum value cr0 aaq2` made a NaN in `aaq2`, {where}"


def test_integers_that_look_like_nans_are_none() -> None:
    words = with_words(DType.INT8, mult_res={5: QUIET_NAN})
    assert [stop.reason for stop in check_stops("acc.first;; bkpt;;", NUMBERS, words)] == [
        StopReason.BKPT
    ]


def test_a_sum_that_does_not_fit_stops_with_what_it_is() -> None:
    words = with_words(
        r_acc={5: 0x7FFF_FFFF, 100: 0x8000_0000}, mult_res={5: 1, 100: 0xFFFF_FFFF}, aaq1=1
    )
    text = "set lr1 0;;\nloop: acc;;\nreset_acc;; acc.add_aaq aaq1;; bkpt;;"
    stop, _ = check_stops(text, NUMBERS, words)
    assert (stop.reason, stop.trap, stop.cycle) == (StopReason.OVERFLOW, Trap.OVERFLOW, 2)
    assert stop.description == (
        "`acc` overflowed in 2 elements of `r_acc`, the first being element 5 with an exact result "
        "of 2147483648, in bundle 1 (`loop`, line 2)"
    )


def test_a_sum_of_three_that_fits_does_not_overflow_on_the_way() -> None:
    words = with_words(
        r_acc={5: 0x7FFF_FFFF, 6: 0x7FFF_FFFF}, mult_res={5: 1, 6: 3}, aaq0=0xFFFF_FFFE
    )
    stop, _ = check_stops("acc.add_aaq aaq0;; bkpt;;", NUMBERS, words)
    assert stop.description == (
        "`acc.add_aaq aaq0` overflowed in element 6 of `r_acc` with an exact result of 2147483648, "
        "in bundle 0 (line 1)"
    )


def test_a_condition_decides_about_numbers_too() -> None:
    third: Traps = {Trap.OVERFLOW: lambda state: state.regfile.get_lr(1) == 4}
    words = with_words(mult_res=dict.fromkeys(range(128), 0x7000_0000))
    text = "again: incr lr1 1; acc;; bne lr1 lr2 again;; bkpt;;"
    stops = check_stops(text, third, words, 1)
    assert [stop.cycle for stop in stops] == [7]


def test_traps_and_breakpoints_stop_together() -> None:
    debugger = debugger_on(
        "set lr1 0;; acc;; bkpt;;", NUMBERS, with_words(r_acc={5: 0x7FFF_FFFF}, mult_res={5: 1})
    )
    here, data = Breakpoint(2), DataBreakpoint(region("r_acc", 20, 4))
    debugger.breakpoints.set_at_bundles([here])
    debugger.breakpoints.set_at_data([data])
    stop = debugger.continue_()
    assert (stop.reason, stop.trap, stop.cycle) == (StopReason.OVERFLOW, Trap.OVERFLOW, 2)
    assert set(stop.hits) == {here, data}
    assert stop.description.count(";") == 2


def test_an_element_type_that_the_user_changes_is_the_one_that_counts() -> None:
    nans = dict.fromkeys(range(128), QUIET_NAN)
    debugger = debugger_on("again: acc.first;; acc;; b again;;", NUMBERS, with_words(mult_res=nans))
    overflow = debugger.continue_()
    debugger.edit(whole_region("cr15"), bytes([1, 0, 0, 0]))
    debugger.edit(whole_region("r_acc"), bytes(512))
    nan = debugger.continue_()
    assert [overflow.reason, nan.reason] == [StopReason.OVERFLOW, StopReason.NAN]
    debugger.go_to(0)
    assert debugger.continue_() == overflow
    assert debugger.continue_() == nan
    assert debugger.reverse_continue() == overflow


INSTRUCTIONS = {
    "mult": ["mult.ee r0 lr1 lr0 lr0", "mult.ve.cr lr1 lr0 lr0 cr1",
             "mult.ve.aaq lr0 lr0 lr0 aaq0"],
    "acc": ["acc", "acc.first", "reset_acc", "acc.add_aaq aaq0", "acc.add_aaq.first aaq1",
            "acc.max aaq0", "acc.max.first aaq1", "acc.stride 16 on off lr0"],
    "aaq": ["agg sum value cr0 aaq0", "agg max value cr0 aaq1", "agg sum inv_sqrt cr0 aaq0",
            "agg max value_cr cr1 aaq1"],
    "lr": ["incr lr1 7"],
}  # fmt: skip
slots = st.tuples(*(st.sampled_from(["", *names]) for names in INSTRUCTIONS.values()))
bundles = slots.map(lambda names: "; ".join(filter(None, names)) or "acc_nop")
words = st.sampled_from(
    [0, 1, 0x3F80_0000, INFINITY, MINUS_INFINITY, QUIET_NAN, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF]
)


@given(
    st.lists(bundles, min_size=1, max_size=6),
    st.sampled_from(list(DType)),
    st.binary(min_size=16, max_size=16),
    st.lists(words, min_size=8, max_size=8),
)
def test_nans_and_overflows_are_what_numbers_before_and_after_tell(
    program: list[str], dtype: DType, elements: bytes, numbers: list[int]
) -> None:
    def prepare(state: IpuState) -> None:
        fill = with_words(
            dtype, r_acc=dict(enumerate(numbers[:4])), aaq0=numbers[4], aaq1=numbers[5]
        )
        fill(state)
        state.regfile.set_cr(1, numbers[6])
        state.regfile.set_register_bytes("r", 0, elements * 8)
        state.regfile.set_register_bytes("r_cyclic", 0, elements[::-1] * 32)

    text = ";;\n".join([*program, *program, "bkpt"])
    expected = list(_incidents(debugger_on(text, prepare=prepare).state, text))
    found = check_stops(text, NUMBERS, prepare)
    assert [(stop.cycle, stop.reason) for stop in found if stop.reason not in ENDS] == expected


def _incidents(state: IpuState, text: str) -> Iterator[tuple[int, StopReason]]:
    """Cycles and reasons of the incidents of a program without branches, told from its text."""
    ipu, is_float = Ipu(state), state.regfile.scalars[DTYPE] != 0
    for source in text.split(";;\n")[:-1]:
        before = _numbers(state)
        try:
            ipu.run(1)
        except ExecutionFault:
            return
        after = _numbers(state)
        if is_float:
            if any(_is_nan(new) and not _is_nan(old) for old, new in zip(before, after)):
                yield ipu.cycles, StopReason.NAN
        elif any(not -(1 << 31) <= total < 1 << 31 for total in _sums(source, before, after)):
            yield ipu.cycles, StopReason.OVERFLOW


def _numbers(state: IpuState) -> list[int]:
    """128 words of `r_acc`, 128 of `mult_res`, 4 aaq registers."""
    registers = state.regfile
    content = registers.get_r_acc_bytes() + registers.get_register_bytes("mult_res")
    return [*struct.unpack("<256I", content), *map(registers.get_aaq, range(4))]


def _is_nan(word: int) -> bool:
    value: float = struct.unpack("<f", struct.pack("<I", word))[0]
    return value != value


def _sums(source: str, before: list[int], after: list[int]) -> list[int]:
    """The exact sums that a bundle makes of integers."""
    [*names] = [part.split() for part in source.split("; ") if part.startswith("acc")]
    if not names or names[0][0] not in ("acc", "acc.add_aaq", "acc.add_aaq.first"):
        return []
    [mnemonic, *operands] = names[0]
    old = [0] * 128 if mnemonic.endswith("first") else before[:128]
    extra = before[256 + int(operands[0].removeprefix("aaq"))] if operands else 0
    return [_signed(a) + _signed(b) + _signed(extra) for a, b in zip(old, after[128:256])]


def _signed(word: int) -> int:
    return word - (1 << 32) if word >> 31 else word


def test_only_traps_that_can_be_hit_look_at_numbers() -> None:
    addresses = debugger_on("again: acc;; b again;;", NO_TRAPS).runner.trap_addresses
    assert addresses.monitor(NO_TRAPS, is_type_edited=True) is None
    assert addresses.monitor({Trap.OVERFLOW}, is_type_edited=False) is not None
    assert addresses.monitor({Trap.NAN}, is_type_edited=False) is None
    assert addresses.monitor({Trap.NAN}, is_type_edited=True) is not None
