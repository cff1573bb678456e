"""A toy instruction set whose updates are no sums and whose memory has rows, and its machine."""

from __future__ import annotations

from collections import Counter
from typing import Any, Mapping, Sequence

from ipu_asm.isa.build import IsaDescription, SlotDescription, build_isa
from ipu_asm.isa.model import InstructionDoc
from ipu_asm.isa.operands import IntegerType, LabelType, RegisterType
from ipu_asm.isa.storage import AddressSpace, RegisterFile
from ipu_asm.isa.surface import Surface

WORD = 1 << 32
_DOC = InstructionDoc(title="Toy", summary="For tests.", syntax="")
_LR = RegisterFile("lr", "loop register", ("lr0", "lr1", "lr2", "lr3"), "32 bits")
_CR = RegisterFile("cr", "config register", ("cr0", "cr1", "cr2", "cr3"), "32 bits")
_PAIRS = RegisterFile("pair", "pair", ("lrd0", "lrd2"), "two loop registers")
_FILES = (_LR, _CR, _PAIRS)
_TYPES = (
    RegisterType("Lr", 2, [_LR], _FILES),
    RegisterType("Cr", 2, [_CR], _FILES),
    RegisterType("Any", 3, [_LR, _CR], _FILES),
    RegisterType("Pair", 1, [_PAIRS], _FILES),
    IntegerType("Imm", 8, -128, 255),
    LabelType("To", 10),
)
_TIMES = {"Lr": "snapshot", "Cr": "snapshot", "Any": "snapshot"}
ROWS = 64


def _entry(operands: str, **keys: Any) -> dict[str, Any]:
    """An entry: `reg:Lr` is an operand that is read, `dest:Lr!` one that is only named."""
    described = []
    for name, _, kind in (each.partition(":") for each in operands.split()):
        time = None if kind.endswith("!") else _TIMES.get(kind)
        described.append(
            {"name": name, "type": kind.rstrip("!"), **({"read": time} if time else {})}
        )
    return {"operands": described, "doc": _DOC, **keys}


def _branch(relation: str) -> dict[str, Any]:
    condition = f"a {relation} b"
    return _entry("a:Any b:Any to:To", flow="branch", condition=condition)


_INSTRUCTIONS = {
    "alu": {
        "rest": _entry("", nop=True),
        "set": _entry("dest:Lr! src:Cr", computes={"dest": "src"}),
        "add": _entry("dest:Lr! a:Lr b:Any", computes={"dest": "a + b"}),
        "step": _entry("dest:Lr! imm:Imm", computes={"dest": "dest + zext8(imm)"}),
        "back": _entry("dest:Lr! imm:Imm", computes={"dest": "dest - zext8(imm)"}),
        "ring": _entry("dest:Lr! by:Any k:Imm", computes={"dest": "(dest + by) mod 2^k"}),
        "bytes": _entry("dest:Pair! by:Any", computes={"dest": "bytes(dest) + sext8(by)"}),
        "bytesi": _entry("dest:Pair! imm:Imm", computes={"dest": "bytes(dest) + sext8(imm)"}),
    },
    "mem": {
        "none": _entry("", nop=True),
        "load": _entry("at:Lr base:Cr", accesses=["read row memory[at + base]"]),
        "store": _entry("at:Lr base:Cr", accesses=["write 512 memory[at + base]"]),
    },
    "go": {
        "on": _entry("", nop=True),
        "beq": _branch("=="),
        "bne": _branch("!="),
        "blt": _branch("<"),
        "bge": _branch(">="),
        "halt": _entry("", flow="halt"),
    },
}
TOY = build_isa(
    IsaDescription(
        name="toy",
        title="Toy",
        surface=Surface("ipu", "toy-asm", ("#",), bundle_end=";;", separator=";"),
        slots=(
            SlotDescription("alu", "Arithmetic", "rest", capacity=2),
            SlotDescription("mem", "Memory", "none"),
            SlotDescription("go", "Control flow", "on"),
        ),
        instructions=_INSTRUCTIONS,
        operand_types={operand_type.name: operand_type for operand_type in _TYPES},
        register_files=_FILES,
        program_limit=1024,
        units_of={"lrd0": frozenset({"lr0", "lr1"}), "lrd2": frozenset({"lr2", "lr3"})},
        spaces={"memory": AddressSpace(ROWS * 512, rows=(128, 512))},
    )
)

Bundle = Sequence[Sequence[str]]
"""The words of each instruction."""


class Toy:
    """A machine for the toy; `run` ends at a halt, at a fault, or after so many cycles."""

    def __init__(self, registers: Mapping[str, int]) -> None:
        self.registers = dict.fromkeys((*_LR.registers, *_CR.registers), 0)
        self.registers.update({name: value % WORD for name, value in registers.items()})
        self.executions: Counter[int] = Counter()
        self.rows: Counter[tuple[int, int]] = Counter()
        self.ended = "limit"

    def run(self, bundles: Sequence[Bundle], labels: Mapping[str, int], cycles: int) -> None:
        address = 0
        for _ in range(cycles):
            if address >= len(bundles):
                self.ended = "ran off its end"
                return
            following = self._bundle(bundles[address], address, labels)
            if following is None:
                self.ended = "fault"
                return
            self.executions[address] += 1
            if following < 0:
                self.ended = "halted"
                return
            address = following

    def _bundle(self, bundle: Bundle, address: int, labels: Mapping[str, int]) -> int | None:
        old, new = self.registers, dict(self.registers)
        for words in bundle:
            self._update(words, old, new)
        following = address + 1
        for name, *operands in bundle:
            if name in ("load", "store"):
                row = new[operands[0]] + new[operands[1]]
                if row >= ROWS:
                    return None
                self.rows[address, row] += 1
            elif name == "halt":
                following = -1
            elif name in ("beq", "bne", "blt", "bge"):
                a, b = (_signed(old[operand]) for operand in operands[:2])
                taken = {"beq": a == b, "bne": a != b, "blt": a < b, "bge": a >= b}[name]
                following = labels[operands[2]] if taken else following
        self.registers = new
        return following

    @staticmethod
    def _update(words: Sequence[str], old: Mapping[str, int], new: dict[str, int]) -> None:
        name, dest, *sources = (*words, "", "")[:4]
        if name not in _INSTRUCTIONS["alu"]:
            return
        values = [old[each] if each in old else int(each or 0) for each in sources]
        if name == "set":
            new[dest] = values[0]
        elif name == "add":
            new[dest] = (values[0] + values[1]) % WORD
        elif name in ("step", "back"):
            new[dest] = (old[dest] + (values[0] if name == "step" else -values[0])) % WORD
        elif name == "ring":
            new[dest] = (old[dest] + values[0]) % (1 << values[1])
        elif name in ("bytes", "bytesi"):
            step = (values[0] + 128) % 256 - 128
            number = int(dest[3:])
            for register in (f"lr{number}", f"lr{number + 1}"):
                sums = [each + step for each in old[register].to_bytes(4, "little")]
                limited = bytes(min(max(each, 0), 255) for each in sums)
                new[register] = int.from_bytes(limited, "little")


def _signed(value: int) -> int:
    return (value + WORD // 2) % WORD - WORD // 2
