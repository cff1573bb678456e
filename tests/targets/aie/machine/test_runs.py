"""Programs run on the machines of both generations."""

from typing import Any

import pytest

from ipu_asm.emulator import ProgramRun, run_program
from ipu_asm.emulator.code_program import read_code_program
from ipu_asm.emulator.code_runs import code_model, set_up
from ipu_asm.targets.aie.machine.machine import CoreMachine
from tests.vectors import records

EXECUTIONS = records("xdna_exec")
DELAY = "nop\n" * 5


def numbers(texts: dict[str, str]) -> dict[str, int]:
    return {name: int(text, 16) for name, text in texts.items()}


def recorded(record: dict[str, Any]) -> ProgramRun:
    memory = {int(at, 16): bytes.fromhex(data) for at, data in record["memory"].items()}
    text = "\n".join(record["program"])
    return run_program(text, record["isa"], registers=numbers(record["registers"]), memory=memory)


def run(text: str, **registers: int) -> ProgramRun:
    return run_program(text, "xdna2", registers=registers)


def machine_of(text: str, isa: str = "xdna2", **registers: int) -> CoreMachine:
    model = code_model(isa)
    program = read_code_program(text, isa, model.data_address)
    machine: CoreMachine = model.make_machine(program)
    set_up(machine, program, registers, {})
    machine.start(program.entry(None))
    return machine


@pytest.mark.parametrize("record", EXECUTIONS, ids=[each["name"] for each in EXECUTIONS])
def test_a_recorded_program_ends_with_its_registers_memory_and_cycles(
    record: dict[str, Any],
) -> None:
    found = recorded(record)
    assert (found.end, found.reason) == ("done", "")
    expected = numbers(record["final_registers"])
    assert {name: found.register(name) for name in expected} == expected
    for at, data in record["final_memory"].items():
        assert found.memory(int(at, 16), len(data) // 2).hex() == data
    assert found.cycles == record["cycles"]


def test_a_read_in_the_window_of_a_load_gets_the_old_value() -> None:
    found = run_program(
        "lda r0, [p0, #0]\n" + "nop\n" * 5 + "mov r1, r0\nmov r2, r0\ndone",
        "xdna2",
        registers={"p0": 0x70000, "r0": 7},
        memory={0x70000: b"\x2a\0\0\0"},
    )
    assert (found.register("r1"), found.register("r2")) == (7, 42)


def test_an_earlier_write_that_lands_later_stays() -> None:
    found = run_program(
        "lda r0, [p0, #0]\nmov r0, #5\nmov r1, r0\ndone",
        "xdna1",
        registers={"p0": 0x70000},
        memory={0x70000: b"\x2a\0\0\0"},
    )
    assert (found.register("r1"), found.register("r0")) == (5, 42)


def test_the_first_function_returns_to_its_caller() -> None:
    found = run(
        f"helper:\nmov r0, #1\nret lr\n{DELAY}"
        f".globl f\n.type f,@function\nf:\nmov r1, #2\nret lr\n{DELAY}"
    )
    assert (found.end, found.register("r0"), found.register("r1")) == ("returned", 0, 2)
    assert found.cycles == 7


def test_an_entry_is_any_label() -> None:
    text = f"a:\nmov r0, #1\ndone\nb:\nmov r0, #2\nret lr\n{DELAY}"
    found = run_program(text, "xdna1", entry="b")
    assert (found.end, found.register("r0")) == ("returned", 2)


def test_a_call_links_to_what_follows_its_delay_slots() -> None:
    found = run(f"jl #f\n{DELAY}done\nf:\nret lr\n{DELAY}")
    assert (found.end, found.cycles) == ("done", 13)


@pytest.mark.parametrize("isa", ["xdna1", "xdna2"])
def test_branches_count_down_and_go_to_addresses_in_pointers(isa: str) -> None:
    text = "movxm p0, #turn\nmovxm p1, #end\nmov r0, #2\n"
    text += f"turn: jnzd r0, r0, p0\nadd r1, r1, #1\n{DELAY}"
    text += f"j p1\n{DELAY}mov r1, #99\nend: done"
    found = run_program(text, isa, registers={"r1": 0})
    assert (found.end, found.register("r0"), found.register("r1")) == ("done", 0xFFFF_FFFF, 3)
    assert found.cycles == 3 + 2 * 6 + 7 + 6 + 1


def test_data_of_a_program_are_in_memory_with_the_addresses_of_symbols() -> None:
    text = """
        movxm p0, #table
        lda r0, [p0, #4]
        lda p1, [p0, #0]
        nop
        nop
        nop
        nop
        nop
        nop
        done
        .data
    table:
        .word value
        .word 42
    value:
        .word 7
    """
    found = run_program(text, "xdna2")
    assert (found.end, found.register("r0")) == ("done", 42)
    assert found.register("p1") == found.register("p0") + 8
    assert found.memory(found.register("p1"), 4) == bytes((7, 0, 0, 0))


def test_stores_of_bytes_delay_the_next_access() -> None:
    text = "st.s8 r0, [p0, #0]\nlda r1, [p0, #0]\n" + "nop\n" * 7 + "done"
    found = run_program(text, "xdna2", registers={"p0": 0x70000, "r0": 0x1FF})
    assert (found.register("r1"), found.cycles) == (0xFF, 10 + 6)


def test_a_load_sees_what_was_there_before_a_store_of_its_bundle() -> None:
    text = "lda r1, [p0, #0]; st r0, [p0, #0]\nlda r2, [p0, #0]\n" + "nop\n" * 7 + "done"
    found = run_program(text, "xdna1", registers={"p0": 0x70000, "r0": 9})
    assert (found.register("r1"), found.register("r2")) == (0, 9)


def test_composed_registers_are_their_parts() -> None:
    found = run("mov r3, #7\ndone", **{"r3:r2": 5 << 32 | 6, "dm1": 1 << 2047 | 3, "ex4": 1 << 575})
    assert found.register("l1") == 7 << 32 | 6
    assert (found.register("bmll1"), found.register("bmhh1")) == (3, 1 << 511)
    assert (found.register("eh4"), found.register("x4")) == (1 << 31, 0)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("vtanh wl0, bmll0\ndone", "vtanh: bits of the result"),
        ("vshuffle x0, x1, x2, r0\ndone", "vshuffle: no public source says what mode 54 does"),
        ("vmac dm0, dm0, x0, x1, r1\ndone", "vmac: the configuration 0x400 is not public"),
        ("mov r1, srFPFlags\ndone", "mov: when operations set `srfpflags` is not public"),
        (
            "sub r1, r2, r3\nmov r1, srCarry\ndone",
            "mov: the carry of differences and magnitudes is not public",
        ),
        ("j #a\nj #a\na:\nnop\n" + DELAY, "what a branch in the delay slots of another one does"),
    ],
)
def test_what_is_not_public_ends_a_run_with_a_reason(text: str, reason: str) -> None:
    found = run(text, r0=54, r1=0x400)
    assert (found.end, found.reason) == ("unknown", reason)


@pytest.mark.parametrize(
    ("text", "end", "reason"),
    [
        ("nop", "fault", "the program goes on after its last bundle, at 0x10"),
        ("j p0\n" + DELAY, "fault", "there is no code at 0x1234"),
        (
            "lda r0, [p0, #0]\ndone",
            "fault",
            "lda: data memory is 0x40000 to 0x7ffff, found 4 bytes at 0x1234",
        ),
        ("a: j #a\n" + DELAY, "limit", "the program did not end within 1,000 cycles"),
    ],
)
def test_a_run_that_goes_wrong_ends_with_a_reason(text: str, end: str, reason: str) -> None:
    found = run_program(text, "xdna1", registers={"p0": 0x1234}, max_cycles=1000)
    assert (found.end, found.reason) == (end, reason)


def test_open_questions_are_told_once() -> None:
    found = run("vmul.f dm0, x0, x2, r0\nvmul.f dm1, x0, x2, r0\ndone", r0=60, x0=0, x2=0)
    assert len(found.warnings) == 1
    assert found.warnings[0].startswith("`vmul.f` is not fully known: rounding of the sum")


def test_a_register_that_nothing_has_written_is_told() -> None:
    found = run("mov r1, r0\nmov r2, r1\ndone")
    assert found.warnings == ("`r0` is read before anything has written it; it counts as 0",)


def test_a_negative_number_of_32_bits_fits_a_pointer() -> None:
    found = run("done", m0=0xFFFF_FFC0, m1=-64, m2=0xF_FFC0)
    assert {found.register(f"m{number}") for number in range(3)} == {0xF_FFC0}


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"registers": {"crsta": 1}}, LookupError, "no register `crsta`; did you mean `crsat`?"),
        ({"registers": {"p0": 1 << 20}}, ValueError, "`p0` has 20 bits, found 0x100000"),
        ({"registers": {"r0": "1"}}, TypeError, "the value of `r0` is a whole number, found str"),
        (
            {"memory": {0: b"1"}},
            ValueError,
            "data memory is 0x40000 to 0x7ffff, found 1 byte at 0x0",
        ),
        ({"max_cycles": -1}, ValueError, "`max_cycles` is at least 0, found -1"),
    ],
)
def test_wrong_arguments_are_told(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message.replace("?", r"\?")):
        run_program("done", "xdna2", **arguments)


def test_a_set_without_such_a_machine_is_told() -> None:
    with pytest.raises(LookupError, match="executes code of `xdna1`, `xdna2`, found `ipu`"):
        run_program("done", "ipu")


def test_a_state_comes_back_from_its_copy() -> None:
    text = "lda r0, [p0], #4\nmul r1, r2, r3\nst r2, [p0, #4]\nnop\nadd r4, r0, r1\ndone"
    machine = machine_of(text, p0=0x70000, r2=6, r3=7)
    machine.run(2)
    saved = machine.snapshot()
    ends = []
    for _ in range(2):
        machine.run(100)
        machine.state.drain()
        ends.append([machine.state.register(f"r{n}") for n in range(5)] + [machine.state.cycle])
        ends.append(list(machine.state.memory[0x70000:0x70010]))
        machine.restore(saved)
    assert ends[:2] == ends[2:]
    assert machine.state.cycle == 2


def test_who_writes_a_register_and_when_it_lands_is_known_in_flight() -> None:
    machine = machine_of("mul r1, r2, r3\nvmac dm0, dm0, x0, x1, r0\ndone", r2=6, r3=7, r0=0x328)
    machine.run(2)
    (write,) = machine.state.writes_in_flight()
    assert (write.value, write.issue, write.landing, write.pc) == (42, 0, 2, 0)
    ((read_at, late),) = machine.state.late_operations()
    assert (read_at, late.issue, {landing for _, landing in late.targets}) == (1 + 4, 1, {6})
    machine.state.drain()
    assert machine.state.last_writes("r1") == [write]


def test_observers_see_what_memory_was_before() -> None:
    machine = machine_of("st r0, [p0, #0]\nst r1, [p0, #0]\ndone", p0=0x70000, r0=1, r1=2)
    seen: list[tuple[object, ...]] = []
    machine.state.observers.append(lambda store: seen.append(tuple(store[:3])))
    machine.run(100)
    one, two = b"\1\0\0\0", b"\2\0\0\0"
    assert seen == [(0x70000, one, bytes(4)), (0x70000, two, one)]
