"""Description of Graphcore Colossus: its forms as instructions, and the surface of its assembly."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any, Mapping

from ipu_asm.diagnostics import Severity
from ipu_asm.isa.build import FormsDescription, alternatives, build_forms, unit_slot
from ipu_asm.isa.model import InstructionSpec, Isa, Operand, Scheduling
from ipu_asm.isa.operands import OperandType
from ipu_asm.isa.scalar import Counting, CountingFacts, RepeatLimits, counting_facts
from ipu_asm.isa.storage import CodeSizes
from ipu_asm.isa.surface import (
    COMMON,
    SYMBOL_DIRECTIVES,
    ForeignMnemonic,
    ForeignSyntax,
    SeverityDirective,
    Surface,
    by_name,
)
from ipu_asm.targets.colossus.control_registers import ControlRegister
from ipu_asm.targets.colossus.documentation import describe_operand, documentation
from ipu_asm.targets.colossus.instruction_spec import FORMS as TABLE
from ipu_asm.targets.colossus.manifest import MANIFEST
from ipu_asm.targets.colossus.operands import (
    LOCAL_PREFIX,
    NumberOperand,
    Range,
    RegisterOperand,
    WordOperand,
)
from ipu_asm.targets.colossus.registers import (
    ALIASES,
    BOTH_CSRS,
    CSR_MODES,
    MEMORIES,
    REGISTER_FILES,
    SUPERVISOR_CSRS,
    UNITS,
    UPPER_CSRS,
    WORKER_CSRS,
    ZEROS,
    group,
)

COUNTING = Counting(
    registers=frozenset(group("m", number, 1) for number in range(15)),
    links=frozenset((ALIASES["$lr"],)),
    repeats=RepeatLimits(bundle_bytes=8, most=4095),
)
"""Constants, decrementing branches and `rpt`.

`brnzdec` tests its register before it decrements it, so that a loop that begins with N there has
N + 1 iterations. Counters of `rpt` have 12 bits on the smallest tiles.
"""

# By the form as `instruction_spec` has it.
_FACTS: Mapping[str, Mapping[str, Any]] = {
    "add $mDst0 $mSrc0 $mSrc1": {"computes": {"mDst0": "mSrc0 + mSrc1"}},
    "add $mDst0 $mSrc0 imm16": {"computes": {"mDst0": "mSrc0 + sext16(imm16)"}},
    "sub $mDst0 $mSrc0 neg16": {"computes": {"mDst0": "mSrc0 - sext16(neg16)"}},
    "mov $mDst0 $mSrc0": {"computes": {"mDst0": "mSrc0"}},
    "zero $mDst0": {"computes": {"mDst0": "0"}},
    "setzi $mDst0 symbol20": {"computes": {"mDst0": "symbol20"}},
    "ldconst $mDst0 imm32": {"computes": {"mDst0": "imm32"}},
    "brnz $mSrc0 target19": {"branch": "mSrc0 != 0"},
    "brz $mSrc0 target19": {"branch": "mSrc0 == 0"},
    "brnzdec $mSrcDst0 target19": {
        "branch": "mSrcDst0 != 0",
        "computes": {"mSrcDst0": "mSrcDst0 - 1"},
    },
    "br $mSrc0": {"pointer": "mSrc0"},
    "rpt $mSrc0 bundles8": {"repeat": ("mSrc0", "bundles8")},
    "rpt zimm12 bundles8": {"repeat": ("zimm12", "bundles8")},
}


def facts_of(form: str) -> CountingFacts | None:
    """Return the facts of a form, None if it has none."""
    entry = _FACTS.get(form)
    return None if entry is None else counting_facts(entry)


_REGISTER = re.compile(r"\$([am])([A-Za-z]+\d?)(?::([24]))?(\+=|\+\+|@|>>|:BL|:BU|:B)?")
_BITS = re.compile(r"(zimm|simm)(\d+)")
_ACCESS = re.compile(r"(?:ld[szb]?|stm?)(8|16|32|64|128)(step)?")
_STATEFUL = re.compile(
    r"f16(?!tof|v\dtof)|f8v|tof(16|8)|rand|gina|rmask|acc|mac|amp|slic|aop|axpy", re.ASCII
)
_OF_ADDRESS = re.compile(r"\$m(?:Base|Delta|Off|Offset)0")
_MAX_HIGH_BITS = 0xFFF << 20
_WRITING = ("+=", "++")
_FLOWS = {"br": "indirect", "bri": "jump", "call": "branch"}
_EXITS = "exit"
_GENERATIONS = {
    "ipu2": " Tiles of the first generation do not have it.",
    "ipu21": " Only tiles with `__IPU_ARCH_VERSION__` 21 have it.",
}
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
            Range(-(1 << 31), _MAX_HIGH_BITS, 1 << 20),
            note=", 12 bits at the bottom or at the top of the word",
        ),
        NumberOperand("immz12", 12, Range(-(1 << 31), _MAX_HIGH_BITS, 1 << 20)),
        NumberOperand("imm32", 32, Range(-(1 << 31), (1 << 32) - 1)),
        NumberOperand("neg16", 16, Range(-32767, 32767), negated=True),
        NumberOperand("symbol16", 16, Range(0, (1 << 16) - 1), symbols=True),
        NumberOperand("symbol20", 20, Range(0, (1 << 20) - 1), symbols=True),
        NumberOperand("target19", 19, Range(0, (1 << 19) - 1), symbols=True, note=" of a word"),
        NumberOperand("target20", 20, Range(0, (1 << 20) - 1), symbols=True, note=" of a word"),
        NumberOperand("bundles8", 8, Range(0, 255)),
        NumberOperand("strides2", 8, Range(0, 255)),
        NumberOperand("strides2x2", 4, Range(0, 15)),
        NumberOperand("strides3x2", 6, Range(0, 63)),
        WordOperand("flags", 6, "flags"),
        WordOperand("flags8", 8, "flags"),
        WordOperand("rounding", 4, "a rounding mode"),
        ControlRegister(
            "csr", {**BOTH_CSRS, **WORKER_CSRS, **SUPERVISOR_CSRS}, "a control and status register"
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
        access = ("w" if match[2].startswith("Dst") else "rw") if "Dst" in match[2] else "r"
        access = "rw" if match[4] in _WRITING else access
    # Plain loads and stores encode only the numbers of the address registers.
    by_number = is_plain_access and _OF_ADDRESS.fullmatch(token) is not None
    return Operand(name, operand_type(token, by_number), describe_operand(token), access=access)


def _spec(traits: str, form: str) -> InstructionSpec:
    slot, *others = traits.split()
    mnemonic, *tokens = form.split()
    access = _ACCESS.fullmatch(mnemonic)
    is_plain = access is not None and not access[2]
    doc = documentation(mnemonic, tokens, _syntax(mnemonic, tokens))
    where = "".join(_GENERATIONS.get(trait, "") for trait in others)
    return InstructionSpec(
        mnemonic=mnemonic,
        slot=slot,
        opcode=0,
        opcode_bits=0,
        operands=tuple(_operand(token, token.lstrip("$"), is_plain) for token in tokens),
        doc=doc._replace(summary=f"{doc.summary}{where}"),
        execute_fn="",
        flow=_flow(mnemonic),
        nop=mnemonic in ("nop", "fnop"),
        traits=frozenset((*others, *_sizes(mnemonic), *_state(mnemonic, slot))),
        counting=facts_of(form),
    )


def _sizes(mnemonic: str) -> tuple[str, ...]:
    """Return the trait with the number of bytes that a load or store accesses per address."""
    match = _ACCESS.fullmatch(mnemonic)
    return (f"bytes{int(match[1]) // 8}",) if match else ()


def _state(mnemonic: str, slot: str) -> tuple[str, ...]:
    """Return the trait of instructions that may use accumulators or random numbers."""
    is_stateful = slot == "aux" and _STATEFUL.search(mnemonic) is not None
    return ("stateful",) if is_stateful else ()


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


FORMS = tuple(_spec(traits, form) for traits, line in TABLE for form in alternatives(line))

# Codes of findings about operands, and about incompatible halves of a bundle.
_OPERANDS = ("E102", "E103", "E104", "E105", "E106")
_BUNDLES = ("E201", "C101", "C102", "C106")

DIRECTIVES: Mapping[str, str] = {
    **COMMON,
    ".allow_invalid_execution_mode": (
        "From here on an instruction of the other execution mode is no error."
    ),
    ".allow_invalid_operands": "From here on wrong operands are no errors.",
    ".allow_invalid_repeat": "From here on a body that `rpt` cannot repeat is no error.",
    ".allow_optimizations": "From here on a half of a bundle may stand in the wrong lane.",
    ".dc.l": "Puts 32-bit values here.",
    ".error_on_invalid_bundles": "From here on bundles whose halves do not go together are errors.",
    ".error_on_invalid_operands": "From here on wrong operands are errors, as they are at first.",
    ".supervisor": "What follows is code of the supervisor, which has no aux pipeline.",
    ".warn_on_invalid_bundles": (
        "From here on bundles whose halves do not go together are only warnings."
    ),
    ".worker": "What follows is code of workers.",
}

FOREIGN = ForeignSyntax(
    by_name(
        {
            # `and` has the same edit distance, but `ad` is more likely short for `add`.
            "ad": ForeignMnemonic("", ("add",)),
            "jmp jump j b bra goto": ForeignMnemonic(
                "`bri` goes to a label, `br` to the address in a register", ("br", "bri")
            ),
            "ret": ForeignMnemonic("`br $lr` returns from a call"),
            "halt hlt stop exit": ForeignMnemonic("`exitz` and `exitnz` end a worker", ("exitz",)),
            "li ldi movi": ForeignMnemonic("`setzi` writes a number into a register", ("setzi",)),
            "mv": ForeignMnemonic("`mov` copies a register", ("mov",)),
            "beqz bz": ForeignMnemonic("`brz` branches on zero", ("brz",)),
            "bnez bnz": ForeignMnemonic("`brnz` branches on anything but zero", ("brnz",)),
        }
    ),
    sigils="%",
)

SURFACE = Surface(
    grammar="colossus",
    language_id=MANIFEST.language_id,
    word_pattern=r"\$[A-Za-z][A-Za-z0-9_]*(?::[A-Za-z0-9]+)?|\\?[\p{L}_.][\p{L}0-9_.$]*"
    r"|(?<![\p{L}0-9_.$])[+-]?[0-9][\p{L}0-9_.]*",
    comments=("//", "#"),
    bundle_end="",
    separator=";",
    hints={"?": "macros take `\\` before the names of their arguments"},
    foreign=FOREIGN,
    operand_separator=", ",
    block_comments=(("/*", "*/"),),
    brackets=("{", "}"),
    linked=True,
    local_prefix=LOCAL_PREFIX,
    numeric_labels=True,
    preprocessed=True,
    c_preprocessor=True,
    predefined={
        "__ASSEMBLER__": ("1",),
        "__IPU__": ("1",),
        "__IPU_ARCH_VERSION__": ("2", "21", "1"),
    },
    modes={".worker": "worker", ".supervisor": "supervisor"},
    severity_directives=(
        SeverityDirective(".allow_invalid_operands", _OPERANDS, ".error_on_invalid_operands"),
        SeverityDirective(
            ".warn_on_invalid_bundles", _BUNDLES, ".error_on_invalid_bundles", Severity.WARNING
        ),
        SeverityDirective(".allow_optimizations", ("C101",)),
        SeverityDirective(".allow_invalid_repeat", ("C103", "C104")),
        SeverityDirective(".allow_invalid_execution_mode", ("C105",)),
    ),
    directives=DIRECTIVES,
    symbol_directives=SYMBOL_DIRECTIVES,
    half_suffix="h",
    register_aliases=frozenset((*ALIASES, *CSR_MODES)),
)


# Roundings to 16 and 8 bits may be stochastic, so that they draw random numbers in their order.
_CONTROL, _ACCUMULATORS = "control state", "accumulators"
_SCHEDULING = Scheduling(
    addresses=("mBase", "mDelta", "mAddr"),
    hidden={
        "aux": {_CONTROL: "r"},
        "stateful": {_ACCUMULATORS: "rw"},
        "system": {_CONTROL: "rw", _ACCUMULATORS: "rw"},
    },
    not_repeated=frozenset(("alone", "control", "system")),
    loop_alignment=".align 8",
    loop_entry=("{{ rpt {turns}, {last} ; fnop }}",),
    counter_update="add {turns}, {turns}, {added}",
    no_ops={"main": "nop", "aux": "fnop"},
)


@lru_cache(maxsize=1)
def load() -> Isa:
    """Return the instruction set, built from the forms in `instruction_spec`."""
    return build_forms(
        FormsDescription(
            name="colossus",
            title=MANIFEST.title,
            surface=SURFACE,
            slots=(unit_slot("main", "Main pipeline"), unit_slot("aux", "Aux pipeline")),
            forms=FORMS,
            register_files=REGISTER_FILES,
            units_of=UNITS,
            zeros=frozenset(ZEROS),
            memories=MEMORIES,
            scheduling=_SCHEDULING,
            counting=COUNTING,
            code_sizes=CodeSizes(single=4, bundle=8, no_op="nop", filling=4),
        )
    )
