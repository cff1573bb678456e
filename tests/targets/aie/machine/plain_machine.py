"""A second model of the cores, as plain as possible, and random programs for it.

It shares nothing with the machine of the project: registers are lists of all writes, operations are
tuples of the generator, and cycles are written out below. An operation reads an operand at issue +
its read cycle and writes at issue + its result cycle; a read sees the newest write that landed
before, or in the same cycle through the same bypass. What is read late is read late.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Callable, Iterator

WORD = 0xFFFF_FFFF
DELAY_SLOTS = 5
MEMORY = 0x70000
SIZE = 0x1000
CONFIGURATION = 0x308  # signed bytes, matrices of 8 columns
ROWS = {"xdna1": 4, "xdna2": 8}
QUARTER = {"xdna1": 256, "xdna2": 512}  # bits of a part of an accumulator
ACC_READ, ACC_RESULT = {"xdna1": 3, "xdna2": 4}, {"xdna1": 5, "xdna2": 6}


@dataclass
class Operation:
    """An operation: its text, what it reads (register, cycle, bypass), computes and writes.

    `results` are registers with the cycle and the bypass of the write. `compute` gets the values
    that were read, and the memory; it returns those to write.
    """

    text: str
    reads: list[tuple[str, int, str]] = field(default_factory=list)
    results: list[tuple[str, int, str]] = field(default_factory=list)
    compute: Callable[..., tuple[int, ...]] = lambda memory: ()
    is_access: bool = False
    is_part_store: bool = False
    target: int | None = None  # the number of a bundle
    is_taken: Callable[[int], bool] = lambda value: True
    stores: bool = False


Bundle = list[Operation]


def signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> bits - 1 & 1 else value


class PlainMachine:
    """Executes bundles; `places` are their addresses, for the registers of the loop."""

    def __init__(self, isa: str, bundles: list[Bundle], places: list[int]) -> None:
        self.isa, self.bundles, self.places = isa, bundles, places
        self.writes: dict[str, list[tuple[int, int, int, str]]] = {}
        self.memory = bytearray(SIZE)
        self.cycle = self.next = self.quiet = 0
        self.waiting: list[tuple[int, int, Operation]] = []  # when, issue, operation
        self.branch: tuple[int, int] | None = None

    def set_register(self, name: str, value: int) -> None:
        self.put(name, value, -1, -1, "")

    def parts(self, name: str) -> list[tuple[str, int]]:
        """The parts of a register that hold values, lowest first, with their bits."""
        number = name.lstrip("abcdefghijklmnopqrstuvwxyz")
        if name[0] == "x":
            return [(f"wl{number}", 256), (f"wh{number}", 256)]
        if name.startswith("cm") and self.isa == "xdna1":
            return [(f"am{h}{q}{number}", 256) for h in "lh" for q in "lh"]
        if name.startswith("dm"):
            return [(f"bm{h}{q}{number}", 512) for h in "lh" for q in "lh"]
        return [(name, 256 if name[0] == "w" else 32 if name[0] in "r" or name == "lc" else 20)]

    def put(self, name: str, value: int, landing: int, issue: int, bypass: str) -> None:
        for part, bits in self.parts(name):
            entry = (landing, issue, value & (1 << bits) - 1, bypass)
            self.writes.setdefault(part, []).append(entry)
            value >>= bits

    def get(self, name: str, cycle: int, bypass: str = "") -> int:
        value = shift = 0
        for part, bits in self.parts(name):
            seen = [
                each
                for each in [(-9, -9, 0, ""), *self.writes.get(part, [])]
                if each[0] < cycle or (each[0] == cycle and bypass and each[3] == bypass)
            ]
            value |= max(seen, key=lambda each: each[:2])[2] << shift
            shift += bits
        return value

    def finish(self, before: int) -> None:
        """Run the operations whose last operand is read up to a cycle."""
        for when, issue, operation in sorted(self.waiting, key=lambda each: each[:2]):
            if when <= before:
                self.waiting.remove((when, issue, operation))
                values = [
                    self.get(name, issue + at, bypass) for name, at, bypass in operation.reads
                ]
                found = operation.compute(self.memory, *values)
                for (name, at, bypass), value in zip(operation.results, found):
                    self.put(name, value, issue + at, issue, bypass)

    def step(self) -> None:
        """Execute the next bundle."""
        bundle = self.bundles[self.next]
        if any(each.is_access for each in bundle):
            self.cycle = max(self.cycle, self.quiet)
        here, issue = self.next, self.cycle
        self.finish(issue)
        taken = None
        # Loads of a bundle see what was there before its stores.
        for operation in sorted(bundle, key=lambda each: each.stores):
            when = issue + max((at for _, at, _ in operation.reads), default=1)
            self.waiting.append((when, issue, operation))
            if operation.is_part_store:
                self.quiet = issue + 7
            if operation.target is not None:
                values = [self.get(name, issue + 1) for name, _, _ in operation.reads]
                taken = operation.target if operation.is_taken(*values) else None
        self.finish(issue + 1)
        self.cycle, self.next = issue + 1, here + 1
        left = self.get("lc", issue + 1)
        if self.branch is not None:
            slots, target = self.branch
            self.branch = (slots - 1, target) if slots > 1 else None
            if slots == 1:
                self.next = target
        elif left and self.get("le", issue + 1) == self.places[here]:
            self.put("lc", left - 1, issue + 1, issue, "")
            if left > 1:
                self.next = self.places.index(self.get("ls", issue + 1))
        if taken is not None:
            self.branch = (DELAY_SLOTS, taken)

    def landings(self) -> set[tuple[str, int]]:
        """The parts with writes in flight, and when these land."""
        found = {
            (part, landing)
            for part, writes in self.writes.items()
            for landing, _, _, _ in writes
            if landing >= self.cycle
        }
        for _, issue, operation in self.waiting:
            for name, at, _ in operation.results:
                found |= {(part, issue + at) for part, _ in self.parts(name)}
        return found


class Programs:
    """Random programs of one generation."""

    def __init__(self, isa: str, seed: int) -> None:
        self.isa = isa
        self.random = random.Random(seed)
        self.acc = "cm" if isa == "xdna1" else "dm"
        self.places: list[int] = []

    def program(self) -> list[Bundle]:
        """A program of straight pieces with a branch forward, and a hardware loop at the end."""
        bundles = [self.bundle() for _ in range(self.random.randrange(4, 20))]
        slot = self.random.randrange(len(bundles))
        bundles += [self.bundle() for _ in range(DELAY_SLOTS + 4)]
        target = self.random.randrange(slot + 6, len(bundles))
        bundles[slot] = [self.branch(target), self.store_unit(), self.multiply()]
        start = len(bundles) + 12
        end = start + self.random.randrange(1, 9)
        count = self.random.randrange(1, 5)
        for register, bundle in (("ls", start), ("le", end)):
            text = f"movxm {register}, #.B{bundle}"
            bundles.append([Operation(text, [], [(register, 1, "")], self.place(bundle))])
        loop = Operation(f"mova lc, #{count}", [], [("lc", 1, "")], lambda memory: (count,))
        bundles.append([loop])
        while len(bundles) <= end + 2:
            bundles.append(self.bundle())
        return [*bundles, [Operation("done")]]

    def place(self, bundle: int) -> Callable[..., tuple[int, ...]]:
        return lambda memory: (self.places[bundle],)

    def bundle(self) -> Bundle:
        """Operations for some of the units, with different destinations."""
        pick = self.random.random
        scalars = self.random.sample(range(12), 4)
        vectors = self.random.sample(range(2, 8), 4)
        found: Bundle = []
        if pick() < 0.5:
            found.append(self.load_unit(scalars[0], vectors[0]))
        if pick() < 0.3:
            found.append(self.vector_load("vldb", 2, vectors[1]))
        if pick() < 0.4:
            found.append(self.store_unit())
        if pick() < 0.6:
            found.append(self.scalar(scalars[1]))
        if pick() < 0.5:
            found.append(self.move_unit(scalars[2], vectors[2]))
        if pick() < 0.5:
            found.append(self.multiply())
        return found or [Operation("nop")]

    def offset(self, step: int, count: int) -> int:
        return step * self.random.randrange(-count, count)

    def load_unit(self, scalar: int, vector: int) -> Operation:
        kind = self.random.randrange(5)
        if kind == 0:
            offset = self.offset(4, 8)
            return Operation(
                f"lda r{scalar}, [p0, #{offset}]", [("p0", 1, "")], [(f"r{scalar}", 7, "")],
                lambda memory, p: (int.from_bytes(memory[p + offset - MEMORY:][:4], "little"),),
                is_access=True,
            )  # fmt: skip
        if kind == 1:
            return self.vector_load("vlda", 1, vector)
        if kind == 2:
            return self.step_in_two_dimensions()
        if kind == 3:
            value = self.random.randrange(-100, 100)
            text, result = f"mova r{scalar}, #{value}", (f"r{scalar}", 1, "")
            return Operation(text, [], [result], lambda memory: (value,))
        offset, register = self.offset(1, 4), self.random.randrange(12)
        return Operation(
            f"st.s8 r{register}, [p0, #{offset}]", [("p0", 1, ""), (f"r{register}", 7, "")], [],
            store(offset, 1), is_access=True, is_part_store=True, stores=True,
        )  # fmt: skip

    def step_in_two_dimensions(self) -> Operation:
        """A pointer that goes round: three steps forward, then back."""

        def compute(
            memory: bytearray, p: int, m: int, dn: int, dj: int, dc: int
        ) -> tuple[int, ...]:
            p, dc = (p + m, 0) if dc == dn else (p + dj, dc + 1)
            return p & 0xFFFFF, dc

        reads = [(name, 1, "") for name in ("p5", "m1", "dn1", "dj1", "dc1")]
        return Operation("padda.2d [p5], d1", reads, [("p5", 1, ""), ("dc1", 1, "")], compute)

    def vector_load(self, mnemonic: str, pointer: int, vector: int) -> Operation:
        size = 32 if self.isa == "xdna1" else 64
        name = f"wl{vector}" if self.isa == "xdna1" else f"x{vector}"
        offset = self.offset(size, 3)
        return Operation(
            f"{mnemonic} {name}, [p{pointer}, #{offset}]", [(f"p{pointer}", 1, "")],
            [(name, 7, "")],
            lambda memory, p: (int.from_bytes(memory[p + offset - MEMORY:][:size], "little"),),
            is_access=True,
        )  # fmt: skip

    def store_unit(self) -> Operation:
        if self.random.random() < 0.5:
            offset, register = self.offset(4, 8), self.random.randrange(12)
            reads = [("p3", 1, ""), (f"r{register}", 1, "")]
            text = f"st r{register}, [p3, #{offset}]"
            return Operation(text, reads, [], store(offset, 4), is_access=True, stores=True)
        size = 32 if self.isa == "xdna1" else 64
        number, offset = self.random.randrange(2, 8), self.offset(size, 3)
        name = f"wh{number}" if self.isa == "xdna1" else f"x{number}"
        reads = [("p4", 1, ""), (name, 1, "")]
        text = f"vst {name}, [p4, #{offset}]"
        return Operation(text, reads, [], store(offset, size), is_access=True, stores=True)

    def scalar(self, dst: int) -> Operation:
        functions: dict[str, tuple[int, Callable[[int, int], int]]] = {
            "sub": (1, lambda a, b: a - b),
            "mul": (2, lambda a, b: a * b),
            "xor": (1, lambda a, b: a ^ b),
            "and": (1, lambda a, b: a & b),
            "lt": (1, lambda a, b: int(signed(a, 32) < signed(b, 32))),
            "geu": (1, lambda a, b: int(a >= b)),
        }
        name, (result, function) = self.random.choice(list(functions.items()))
        a, b = (self.random.randrange(12) for _ in range(2))
        return Operation(
            f"{name} r{dst}, r{a}, r{b}", [(f"r{a}", 1, ""), (f"r{b}", 1, "")],
            [(f"r{dst}", result, "")], lambda memory, x, y: (function(x, y) & WORD,),
        )  # fmt: skip

    def move_unit(self, scalar: int, vector: int) -> Operation:
        a, b = (self.random.randrange(2, 8) for _ in range(2))
        if self.random.random() < 0.3:
            source = self.random.randrange(12)
            text = f"mov r{scalar}, r{source}"
            reads, results = [(f"r{source}", 1, "")], [(f"r{scalar}", 1, "")]
            return Operation(text, reads, results, lambda memory, x: (x,))

        def add(memory: bytearray, x: int, y: int) -> tuple[int, ...]:
            total = 0
            for at in range(0, 512, 32):
                total |= ((x >> at) + (y >> at) & WORD) << at
            return (total,)

        return Operation(
            f"vadd.32 x{vector}, x{a}, x{b}", [(f"x{a}", 1, "MOV"), (f"x{b}", 1, "MOV")],
            [(f"x{vector}", 2, "MOV")], add,
        )  # fmt: skip

    def multiply(self) -> Operation:
        dst, acc = (self.random.randrange(4) for _ in range(2))
        a, b = (self.random.randrange(2, 8) for _ in range(2))
        rows, acc_read, result = ROWS[self.isa], ACC_READ[self.isa], ACC_RESULT[self.isa]

        def compute(memory: bytearray, old: int, x: int, y: int, conf: int) -> tuple[int, ...]:
            left = [signed(x >> 8 * n & 255, 8) for n in range(64)]
            right = [signed(y >> 8 * n & 255, 8) for n in range(64)]
            found = 0
            for i in range(rows):
                for j in range(8):
                    at = 32 * (8 * i + j)
                    sums = sum(left[8 * i + k] * right[8 * k + j] for k in range(8))
                    found |= ((old >> at) + sums & WORD) << at
            return (found,)

        return Operation(
            f"vmac {self.acc}{dst}, {self.acc}{acc}, x{a}, x{b}, r15",
            [(f"{self.acc}{acc}", acc_read, "VEC"), (f"x{a}", 1, ""), (f"x{b}", 1, ""),
             ("r15", 1, "")],
            [(f"{self.acc}{dst}", result, "VEC")], compute,
        )  # fmt: skip

    def branch(self, target: int) -> Operation:
        name = self.random.choice(("jz", "jnz"))
        register = self.random.randrange(12)
        return Operation(
            f"{name} r{register}, #.B{target}", [(f"r{register}", 1, "")], target=target,
            compute=lambda memory, value: (), is_taken=lambda value: (value == 0) == (name == "jz"),
        )  # fmt: skip

    def registers(self) -> Iterator[tuple[str, int]]:
        """What the host sets before a run."""
        pick = self.random
        for number in range(12):
            yield f"r{number}", pick.choice((0, 1, pick.getrandbits(32)))
        yield "r15", CONFIGURATION
        yield from ((f"p{number}", MEMORY + 0x400 + 64 * number) for number in range(5))
        yield from (("p5", MEMORY), ("m1", 0xFFFF0), ("dn1", 2), ("dj1", 8))
        yield from ((f"x{number}", pick.getrandbits(512)) for number in range(2, 8))


def store(offset: int, size: int) -> Callable[..., tuple[int, ...]]:
    """Returns what stores the low bytes of its second operand."""

    def compute(memory: bytearray, p: int, value: int) -> tuple[int, ...]:
        at = p + offset - MEMORY
        memory[at : at + size] = (value & (1 << 8 * size) - 1).to_bytes(size, "little")
        return ()

    return compute


def text_of(bundles: list[Bundle]) -> str:
    """The program as assembly, a label in front of each bundle."""
    lines = ("; ".join(each.text for each in bundle) for bundle in bundles)
    return "".join(f".B{number}: {line}\n" for number, line in enumerate(lines))
