"""What AI Engines count with: constants, decrementing branches and hardware loops.

`jnzd` tests its source before it decrements it, so that a loop that begins with N there has N + 1
iterations. A hardware loop has as many iterations as `lc` says when it is entered; compilers write
its registers seven bundles before its last one at the latest.
"""

from __future__ import annotations

from typing import Any, Mapping

from ipu_asm.isa.counting import Counting, CountingFacts, LoopCounter, counting_facts
from ipu_asm.targets.aie.registers import numbered

LOOP_REGISTERS = ("ls", "le")
COUNTING = Counting(
    registers=frozenset((*numbered("r", 32), *numbered("p", 8), *LOOP_REGISTERS, "lc")),
    links=frozenset(("lr",)),
    hardware_loop=LoopCounter("lc", distance=7),
)

_CONSTANT = {"computes": {"dst": "imm"}}
_COPY = {"computes": {"dst": "src"}}
_SUM = {"computes": {"dst": "src1 + src2"}}
_INCREMENT = {"computes": {"dst": "src + imm"}}
# By mnemonic and the names of all operands.
_FACTS: Mapping[tuple[str, ...], Mapping[str, Any]] = {
    ("mov", "dst", "imm"): _CONSTANT,
    ("mova", "dst", "imm"): _CONSTANT,
    ("movx", "dst", "imm"): _CONSTANT,
    ("movxm", "dst", "imm"): _CONSTANT,
    ("mov", "dst", "src"): _COPY,
    ("add", "dst", "src1", "src2"): _SUM,
    ("add.nc", "dst", "src1", "src2"): _SUM,
    ("add", "dst", "src", "imm"): _INCREMENT,
    ("add.nc", "dst", "src", "imm"): _INCREMENT,
    ("sub", "dst", "src1", "src2"): {"computes": {"dst": "src1 - src2"}},
    ("jnz", "cond", "target"): {"branch": "cond != 0"},
    ("jz", "cond", "target"): {"branch": "cond == 0"},
    ("jnzd", "dst", "src", "target"): {
        "branch": "src != 0",
        "computes": {"dst": "src - 1"},
        "pointer": "target",
    },
    ("j", "target"): {"pointer": "target"},
}


def facts_of(
    mnemonic: str, operands: tuple[str, ...], *, has_pointer: bool
) -> CountingFacts | None:
    """Return the facts of a form; `has_pointer`: its target is in a register."""
    entry = _FACTS.get((mnemonic, *operands))
    if entry is None:
        return None
    facts = counting_facts(entry)
    return facts if has_pointer else facts._replace(pointer="")
