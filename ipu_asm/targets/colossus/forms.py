"""Conversion of the table of instruction forms to instruction specs with operand types."""

from __future__ import annotations

import re
from functools import cache

from ipu_asm.isa.model import InstructionSpec, Operand
from ipu_asm.isa.operands import OperandType
from ipu_asm.targets.colossus.counting import facts_of
from ipu_asm.targets.colossus.documentation import describe_operand, documentation
from ipu_asm.targets.colossus.instruction_spec import FORMS as TABLE
from ipu_asm.targets.colossus.operands import (
    ControlRegister,
    NumberOperand,
    Range,
    RegisterOperand,
    WordOperand,
)
from ipu_asm.targets.colossus.registers import (
    BOTH_CSRS,
    SUPERVISOR_CSRS,
    UPPER_CSRS,
    WORKER_CSRS,
)

_REGISTER = re.compile(r"\$([am])([A-Za-z]+\d?)(?::([24]))?(\+=|\+\+|@|>>|:BL|:BU|:B)?")
_BITS = re.compile(r"(zimm|simm)(\d+)")
_ACCESS = re.compile(r"(?:ld[szb]?|stm?)(8|16|32|64|128)(step)?")
_OF_ADDRESS = re.compile(r"\$m(?:Base|Delta|Off|Offset)0")
_HIGHEST = 0xFFF << 20
_WRITING = ("+=", "++")
_FLOWS = {"br": "indirect", "bri": "jump", "call": "branch"}
_EXITS = "exit"
_BRANCHES = "br"

_NUMBERS: dict[str, OperandType] = {
    each.name: each
    for each in (
        NumberOperand(
            "imm16", 16, Range(-32768, 65535), note=", read as signed or as unsigned as it needs"
        ),
        NumberOperand(
            "imm12",
            12,
            Range(0, 4095),
            Range(-(1 << 31), _HIGHEST, 1 << 20),
            note=", 12 bits at the bottom or at the top of the word",
        ),
        NumberOperand("immz12", 12, Range(-(1 << 31), _HIGHEST, 1 << 20)),
        NumberOperand("imm32", 32, Range(-(1 << 31), (1 << 32) - 1)),
        NumberOperand("neg16", 16, Range(-32767, 32767)),
        NumberOperand("symbol20", 20, Range(0, (1 << 20) - 1), symbols=True),
        NumberOperand("target19", 19, Range(0, (1 << 19) - 1), symbols=True, note=" of a word"),
        NumberOperand("target20", 20, Range(0, (1 << 20) - 1), symbols=True, note=" of a word"),
        NumberOperand("bundles8", 8, Range(0, 255)),
        NumberOperand("strides2", 4, Range(0, 15)),
        NumberOperand("strides2x2", 4, Range(0, 15)),
        NumberOperand("strides3x2", 6, Range(0, 63)),
        WordOperand("flags", "flags"),
        WordOperand("rounding", "a rounding mode"),
        ControlRegister(
            "csr",
            {**BOTH_CSRS, **WORKER_CSRS, **SUPERVISOR_CSRS},
            "a control and status register",
        ),
        ControlRegister("ucsr", UPPER_CSRS, "a control and status register of the aux pipeline"),
    )
}


@cache
def operand_type(name: str, by_number: bool = False) -> OperandType:
    """Return the operand type for a token of the table. `by_number`: see `RegisterOperand`."""
    match = _REGISTER.fullmatch(name)
    if match:
        return _register_type(match[1], int(match[3] or 1), match[4] or "", by_number)
    bits = _BITS.fullmatch(name)
    if bits is None:
        return _NUMBERS[name]
    width = int(bits[2])
    if bits[1] == "zimm":
        return NumberOperand(name, width, Range(0, (1 << width) - 1))
    return NumberOperand(name, width, Range(-(1 << (width - 1)), (1 << (width - 1)) - 1))


@cache
def _register_type(file: str, width: int, suffix: str, by_number: bool) -> RegisterOperand:
    return RegisterOperand(file, width, suffix, by_number)


@cache
def _operand(token: str, name: str, is_plain_access: bool) -> Operand:
    match = _REGISTER.fullmatch(token)
    access = ""
    if match:
        access = {"Src": "rw", "Dst": "w"}.get(match[2][:3], "r") if "Dst" in match[2] else "r"
        access = "rw" if match[4] in _WRITING else access
    # Plain loads and stores encode only the numbers of the address registers.
    by_number = is_plain_access and _OF_ADDRESS.fullmatch(token) is not None
    return Operand(name, operand_type(token, by_number), describe_operand(token), access=access)


def _spec(traits: str, form: str) -> InstructionSpec:
    slot, *others = traits.split()
    mnemonic, *tokens = form.split()
    access = _ACCESS.fullmatch(mnemonic)
    is_plain = access is not None and not access[2]
    return InstructionSpec(
        mnemonic=mnemonic,
        slot=slot,
        opcode=0,
        opcode_bits=0,
        operands=tuple(_operand(token, token.lstrip("$"), is_plain) for token in tokens),
        doc=documentation(mnemonic, tokens, _syntax(mnemonic, tokens)),
        execute_fn="",
        flow=_flow(mnemonic),
        nop=mnemonic in ("nop", "fnop"),
        traits=frozenset((*others, *_sizes(mnemonic))),
        counting=facts_of(form),
    )


def _sizes(mnemonic: str) -> tuple[str, ...]:
    """Return the trait with the number of bytes that a load or store accesses per address."""
    match = _ACCESS.fullmatch(mnemonic)
    return (f"bytes{int(match[1]) // 8}",) if match else ()


def _syntax(mnemonic: str, tokens: list[str]) -> str:
    """Return the syntax line of a form, with first and last register of each group."""
    shown = (_REGISTER.sub(_shown_register, token) for token in tokens)
    return f"{mnemonic} {', '.join(shown)}".strip()


def _shown_register(match: re.Match[str]) -> str:
    group = f":{match[2]}+{int(match[3]) - 1}" if match[3] else ""
    return f"${match[1]}{match[2]}{group}{match[4] or ''}"


def _flow(mnemonic: str) -> str | None:
    if mnemonic.startswith(_EXITS):
        return "halt"
    if mnemonic in _FLOWS:
        return _FLOWS[mnemonic]
    return "branch" if mnemonic.startswith(_BRANCHES) else None


FORMS = tuple(_spec(traits, form) for traits, form in TABLE)
