"""Results on their way are followed as a plain machine, bundle by bundle, lets them land."""

from __future__ import annotations

import random
from bisect import bisect_left
from collections import Counter
from typing import Iterator, NamedTuple

import pytest

from ipu_asm.emulator.code_program import CodeProgram, linked
from ipu_asm.emulator.code_runs import code_model, set_up
from ipu_asm.emulator.stops import EmulatorError
from ipu_asm.flow.accesses import RegisterAccess, accesses_of
from ipu_asm.flow.certificate import certificate_of
from ipu_asm.flow.landing import CALLED, RETURNED, flights_of
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from ipu_asm.program.line_table import read_effective_program
from ipu_asm.program.program import Program
from ipu_asm.text import SourceFile

ISA = load_isa("xdna1")
OPERATIONS = [
    "nop",
    "lda r0, [p0, #0]",
    "lda r1, [p0, #4]",
    "mul r2, r0, r1",
    "add r1, r1, r0",
    "mov r0, #1",
    "vlda wl0, [p1, #0]",
    "vlda wh0, [p1, #32]",
    "vshuffle x2, x0, x2, r0",
    "vmac.f bml0, bml0, x0, x2, r1",
    "vmov bml0, bml1",
    "vst amll0, [p2, #0]",
    "vlda.ups.s32.s16 bml1, s0, [p2, #0]",
    "mov s0, r0",
    "vmul cm0, x0, x2, r0; lda r0, [p0, #8]",
]
NOP, SLOTS = "nop", 5


class Event(NamedTuple):
    """Addresses of a write and of what comes after it, the registers, and the distance."""

    kind: str
    first: int
    second: int
    registers: tuple[str, str]
    distance: int


class Source(NamedTuple):
    """A text, and the most iterations that the loop counter holds, by the end of each loop."""

    text: str
    trips: dict[str, int]


def random_source(seed: int) -> Source:
    """Functions with branches, loops and calls of later functions, and of another file."""
    random_ = random.Random(seed)
    lines: list[str] = []
    trips: dict[str, int] = {}
    for number in range(random_.randint(1, 3)):
        lines += [f".globl f{number}", f".type f{number},@function", f"f{number}:"]
        for part in range(random_.randint(1, 3)):
            name = f"{number}_{part}"
            lines += [*_body(random_, 1, 6)]
            kind = random_.choice(["loop", "skip", "call", "hardware", "counted", "none"])
            if kind == "loop":
                lines += [f".L{name}:", *_body(random_, 1, 3), f"jnz r7, #.L{name}"]
                lines += _body(random_, SLOTS, SLOTS)
            elif kind == "skip":
                lines += [f"jz r7, #.L{name}", *_body(random_, SLOTS + 1, SLOTS + 3), f".L{name}:"]
            elif kind == "call":
                callee = random_.choice(["other", f"f{number + 1}"])
                lines += [f"jl #{callee}", *_body(random_, SLOTS, SLOTS)]
            elif kind in ("hardware", "counted"):
                body = _body(random_, 0, 3)
                count = "movxm lc, #20" if kind == "counted" else "mov lc, r9"
                trips[f".E{name}"] = 20 if kind == "counted" else 0
                lines += [f"movxm ls, #.S{name}", f"movxm le, #.E{name}", count, *[NOP] * 7]
                lines += [f".S{name}:", *body, f".E{name}:", *_body(random_, 1, 1)]
        lines += [*_body(random_, 0, 4), "ret lr", *_body(random_, SLOTS, SLOTS)]
    return Source("\n".join(lines) + "\n", trips)


def _body(random_: random.Random, least: int, most: int) -> list[str]:
    return [random_.choice(OPERATIONS) for _ in range(random_.randint(least, most))]


class State(NamedTuple):
    """A plain machine: the writes of the last bundles with their ages, and how control goes on.

    A jump takes effect after `slots` more bundles. `left` are the iterations of the
    loop that is executed.
    """

    address: int
    writes: tuple[tuple[int, RegisterAccess, int], ...] = ()
    stack: tuple[int, ...] = ()
    jump: str = ""
    slots: int = 0
    left: int = 0


def simulate(program: Program, trips: dict[str, int]) -> set[Event]:
    """Execute everything that control can do, in all orders, and note what happens too early."""
    found: set[Event] = set()
    seen: set[State] = set()
    exported = [a for label, a in program.label_addresses.items() if label[0] == "f"]
    waiting = [State(address) for address in exported]
    while waiting:
        state = waiting.pop()
        if state in seen:
            continue
        seen.add(state)
        assert len(seen) < 200_000
        after = step(program, state, found)
        waiting += go_on(program, after, trips, found)
    return found


def step(program: Program, state: State, found: set[Event]) -> State:
    """Issue a bundle."""
    address = state.address
    bundle = program.bundles[program.bundle_at_address[address]]
    accesses = accesses_of(ISA, bundle)
    for origin, write, age in state.writes:
        for access in accesses:
            if access.units.isdisjoint(write.units):
                continue
            pair = (write.register, access.register)
            lands = write.timing.def_cycle or 0
            if access.reads:
                is_passed_on = bool(write.timing.bypass) and (
                    write.timing.bypass == access.timing.bypass
                )
                sampled = age + (access.timing.use_cycle or 0) - 1
                if lands - is_passed_on > sampled:
                    found.add(Event("early", origin, address, pair, age))
            if access.writes and age + (access.timing.def_cycle or 0) <= lands:
                found.add(Event("overtaken", origin, address, pair, age))
    own = [(address, each, 0) for each in accesses if each.writes]
    writes = tuple(
        (origin, write, age + 1)
        for origin, write, age in (*state.writes, *own)
        if age + 1 < (write.timing.def_cycle or 0)
    )
    mnemonics = {i.mnemonic: i for i in bundle.instructions}
    jump, slots = state.jump, state.slots - bool(state.jump)
    for name in ("jnz", "jz", "jl", "ret"):
        if name in mnemonics:
            target = mnemonics[name].words[-1].removeprefix("#")
            jump, slots = f"{name} {target}", SLOTS
    return state._replace(writes=writes, jump=jump, slots=slots)


def go_on(
    program: Program, state: State, trips: dict[str, int], found: set[Event]
) -> Iterator[State]:
    """Yield where control may be in the next cycle."""
    address, labels = state.address, program.label_addresses
    behind = state._replace(address=address + 1)
    if state.jump and not state.slots:
        name, target = state.jump.split()
        free = behind._replace(jump="")
        if name == "ret":
            if state.stack:
                yield free._replace(address=state.stack[-1], stack=state.stack[:-1])
            else:
                found.update(_leaving(RETURNED, state))
        elif name == "jl" and target in labels:
            yield free._replace(address=labels[target], stack=(*state.stack, address + 1))
        elif name == "jl":
            found.update(_leaving(CALLED, state))
            yield free._replace(writes=())
        else:
            yield free
            yield free._replace(address=labels[target])
        return
    ends = {labels[label]: label for label in trips}
    if address in ends and not state.jump:
        start = labels[ends[address].replace("E", "S", 1)]
        count = trips[ends[address]]
        more = (state.left or count) - 1
        if more > 0 or not count:
            yield behind._replace(address=start, left=max(more, 0))
        if more == 0 or not count:
            yield behind._replace(left=0)
        return
    yield behind


def _leaving(how: str, state: State) -> Iterator[Event]:
    for origin, write, age in state.writes:
        pair = (write.register, str((write.timing.def_cycle or 0) - age))
        yield Event(how, origin, state.address, pair, age - 1)


def followed(program: Program) -> set[Event]:
    """What the analysis says, in the same words."""
    flights = flights_of(program)
    found = set()
    for kind in ("early", "overtaken"):
        for meeting in getattr(flights, kind):
            registers = meeting.write.register, meeting.other.register
            place = meeting.address, meeting.other_address
            found.add(Event(kind, *place, registers, meeting.distance))
    for departure in flights.departures:
        registers = departure.write.register, str(departure.remaining)
        place = departure.path[0], departure.path[-1]
        found.add(Event(departure.how, *place, registers, len(departure.path) - 1))
    return found


def check_follows(seed: int) -> set[Event]:
    """The analysis of a random program finds the events of the simulation, and no others."""
    source = random_source(seed)
    program = read_program(ISA, source.text)
    expected = simulate(program, source.trips)
    assert followed(program) == expected, seed
    return expected


@pytest.mark.parametrize("group", range(4))
def test_random_programs_are_followed_as_a_plain_machine_executes_them(group: int) -> None:
    kinds = {event.kind for seed in range(group, 160, 4) for event in check_follows(seed)}
    assert kinds == {"early", "overtaken", CALLED, RETURNED}


EXECUTED = [
    "lda r0, [p0, #0]", "lda r1, [p0, #4]", "mul r2, r0, r1", "add r1, r1, r0", "mova r0, #1",
    "add r2, r2, r1", "st r2, [p0, #8]", "st r0, [p0, #12] ; mul r0, r1, r1",
    "vlda wl0, [p1, #0]", "vlda wh0, [p1, #32]", "vlda wl2, [p1, #64] ; vmov x4, x2",
    "vadd.32 x2, x0, x2", "vst wl2, [p2, #0]", "vst wh0, [p2, #32]", "vmac cm0, cm0, x0, x2, r3",
    "vmul cm0, x2, x0, r3", "vst amll0, [p2, #64]", "nop",
]  # fmt: skip
MEMORY = 0x70000


def executed_source(seed: int) -> str:
    """Functions with loops, branches and calls of later functions, that end on a machine."""
    random_ = random.Random(seed)
    lines: list[str] = []
    # Spread, so that some programs keep all latencies.
    spread = random_.choice([0, 0, 3, 6])

    def body(most: int) -> list[str]:
        drawn = random_.choices(EXECUTED, k=random_.randint(0, most))
        return [line for each in drawn for line in (each, *[NOP] * random_.randint(0, spread))]

    count = random_.randint(1, 3)
    for number in range(count):
        lines += [f".globl f{number}", f".type f{number},@function", f"f{number}:"]
        lines += [f"mov r{10 + number}, lr", *body(5)]
        for part in range(random_.randint(1, 2)):
            name = f"{number}_{part}"
            kind = random_.choice(["loop", "skip", "call", "hardware"])
            trips = random_.randint(1, 4)
            slots = random_.choices([*EXECUTED, *[NOP] * len(EXECUTED) * spread], k=SLOTS)
            if kind == "loop":
                lines += [f"mova r7, #{trips}", f".L{name}:", "add r7, r7, #-1", *body(3)]
                lines += [f"jnz r7, #.L{name}", *slots]
            elif kind == "skip":
                lines += [f"mova r7, #{trips % 2}", f"jz r7, #.L{name}", *slots, *body(3)]
                lines += [f".L{name}:"]
            elif kind == "call" and number + 1 < count:
                lines += [f"jl #f{number + 1}", *slots]
            elif kind == "hardware":
                lines += [f"movxm ls, #.S{name}", f"movxm le, #.E{name}", f"movxm lc, #{trips}"]
                lines += [*[NOP] * 7, ".p2align 4", f".S{name}:", *body(3), f".E{name}:", NOP]
            lines += body(4)
        lines += [f"mov lr, r{10 + number}", "ret lr", *slots]
    return "\n".join(lines) + "\n"


class Poisoned(NamedTuple):
    """What a run leaves, and the pairs of writes and reads of unlanded results, by address."""

    left: dict[str, int]
    memory: bytes
    early: set[tuple[int, int, str]]
    trace: list[int]


def executed(program: Program, code: CodeProgram, *, has_poison: bool) -> Poisoned:
    """Run a program; registers whose next value is on its way hold another one, if it is asked."""
    model = code_model("xdna1")
    machine = model.make_machine(code)
    registers = {"p0": MEMORY, "p1": MEMORY + 256, "p2": MEMORY + 512, "r3": 24, "r1": 3, "r0": 5}
    set_up(machine, code, registers, {MEMORY: bytes(range(1, 256)) * 2})
    state, storage = machine.state, machine.state.storage
    early: set[tuple[int, int, str]] = set()
    trace: list[int] = []
    at = {pc: bisect_left(program.bundle_at_address, n) for pc, n in code.bundles.items()}
    machine.start(0)
    while not state.end and state.executed < 3_000:
        pc = state.pc
        trace.append(at[pc])
        pending = [late for _, late in state.late_operations()]
        flying = [(w.pc, w.part) for w in state.writes_in_flight() if w.landing > state.cycle]
        flying += [(late.pc, part) for late in pending for part, _ in late.targets]
        bundle = program.bundles[code.bundles[pc]]
        for origin, part in flying:
            for access in accesses_of(ISA, bundle):
                if access.reads and part in storage.parts_named(access.register):
                    early.add((at.get(origin, -1), at[pc], access.register))
        machine.step()
        # Operations that have begun may read an accumulator later: before that it is left.
        has_late = any(late.targets for _, late in state.late_operations())
        for write in state.writes_in_flight() if has_poison else ():
            if not (has_late and storage.parts[write.part].name.startswith("am")):
                value = storage.parts[write.part].cut(int.from_bytes(b"\x5a\xc3" * 64, "little"))
                state.cells[write.part] = (write.part, value, *state.cells[write.part][2:])
    assert state.end == "returned"
    state.drain()
    return Poisoned(state.values(), state.read_memory(MEMORY, 768), early, trace)


def check_poison(seed: int) -> str:
    """A certificate without overlaps means that poison is not read; a breach names who reads it."""
    effective = read_effective_program(ISA, SourceFile(executed_source(seed)))
    program = effective.program
    code = linked(effective, SourceFile(program.text), MEMORY)
    plain = executed(program, code, has_poison=False)
    found = certificate_of(program)
    assert not found.unclear, seed
    if not found.breaches and not found.overlaps:
        assert executed(program, code, has_poison=True)[:2] == plain[:2], seed
        return "met"
    shown = [breach for breach in found.breaches if _is_on(breach.meeting.path, plain.trace)]
    for kind, meeting in shown:
        if kind in ("early", "unwritten", "torn") and (meeting.other.timing.use_cycle or 1) == 1:
            pair = meeting.address, meeting.other_address, meeting.other.register
            assert pair in plain.early, seed
    if not found.breaches:
        return "overlaps"
    try:
        after = executed(program, code, has_poison=True)
    except (EmulatorError, AssertionError):
        return "broken and seen"
    return "broken and seen" if after[:2] != plain[:2] else "broken"


def _is_on(path: tuple[int, ...], trace: list[int]) -> bool:
    return any(tuple(trace[at : at + len(path)]) == path for at in range(len(trace)))


def test_a_certificate_means_that_no_value_from_before_a_landing_is_read() -> None:
    kinds = Counter(check_poison(seed) for seed in range(16))
    assert min(kinds[each] for each in ("met", "overlaps", "broken and seen")) > 0


def certificate(text: str) -> tuple[list[str], int, int]:
    """The kinds of breaches, and the numbers of results that rely on others or are not known."""
    found = certificate_of(read_program(ISA, text))
    return [each.kind for each in found.breaches], len(found.relied), len(found.unclear)


RETURN = "ret lr\n" + "nop\n" * 5
CALLER = ".type f,@function\nf:\njl #g\n{}.type g,@function\ng:\n{}" + RETURN


def test_a_result_may_land_in_the_first_bundle_of_a_function_that_does_not_read_it() -> None:
    slots = "nop\n" * 4 + "lda r0, [p0, #0]\n"
    after = "nop\n" * 6
    assert certificate(CALLER.format(slots + RETURN, after + "add r1, r0, #1\n")) == ([], 0, 0)
    body = "nop\n" * 5 + "add r1, r0, #1\nnop\nadd r2, r0, #1\n"
    early = CALLER.format(slots + RETURN, body)
    assert certificate(early) == (["early"], 0, 0)


def test_a_result_in_flight_at_a_call_of_another_file_relies_on_it() -> None:
    text = "f:\njl #elsewhere\n" + "nop\n" * 4 + "lda r0, [p0, #0]\n" + RETURN
    assert certificate(text) == ([], 1, 0)


def test_a_result_in_flight_at_a_return_relies_on_the_caller() -> None:
    assert certificate("f:\nret lr\n" + "nop\n" * 4 + "lda r0, [p0, #0]\n") == ([], 1, 0)
    assert certificate("f:\nlda r0, [p0, #0]\n" + RETURN) == ([], 0, 0)


def test_a_half_that_lands_between_the_halves_of_a_read_is_torn() -> None:
    pair = "vlda wl0, [p0], #32\nvlda wh0, [p0], #32\n"
    use = "vshuffle x2, x0, x4, r0\n"
    text = pair + "nop\n" * 5 + use + "nop\n" + use + RETURN
    assert certificate("f:\n" + text)[0] == ["torn"]
    assert certificate("f:\n" + pair + "nop\n" * 6 + use + "nop\n" + use + RETURN) == ([], 0, 0)


def test_an_older_result_must_not_replace_a_newer_one_unread() -> None:
    load, move, store = "lda r0, [p0, #0]\n", "mov r0, #1\n", "st r0, [p1, #0]\n"
    assert certificate("f:\n" + load + move + "nop\n" * 6 + store + RETURN)[0] == ["stale"]
    # Both are stored.
    text = "f:\n" + load + move + store + "nop\n" * 5 + store + RETURN
    assert certificate(text) == ([], 0, 0)


def test_an_operand_that_is_read_late_must_not_be_overwritten_before() -> None:
    load = "vlda.ups.s32.s16 bml1, s0, [p2, #0]\n"
    move = "mov s0, r1\n"
    text = "f:\n{}" + RETURN
    assert certificate(text.format(load + "nop\n" * 5 + move + "nop\n")) == ([], 0, 0)
    assert certificate(text.format(load + "nop\n" * 4 + move + "nop\n" * 4))[0] == ["overwritten"]


def test_a_loop_must_not_read_one_value_in_two_iterations() -> None:
    loop = "loop:\nst r0, [p1], #4\njnz r9, #loop\n" + "nop\n" * 4 + "lda r0, [p0], #4\n"
    text = "f:\nlda r0, [p0], #4\n" + "nop\n" * 6
    assert certificate(text + loop + RETURN)[0] == ["early"]
