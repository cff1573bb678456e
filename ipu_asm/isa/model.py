"""What an instruction set is: slots, instructions, operands, registers. Values, no behaviour.

An `Isa` is made by `build.build_isa`, which proves the description first. Everything that people
see of an instruction (its syntax, its ranges, its completion, its page) is derived from here.
"""

from __future__ import annotations

import re
from copy import copy
from typing import TYPE_CHECKING, Callable, Mapping, NamedTuple, Sequence

from ipu_asm.isa.foreign_syntax import ForeignSyntax

if TYPE_CHECKING:
    from ipu_asm.diagnostics import Severity
    from ipu_asm.isa.memory import Memory
    from ipu_asm.isa.operands import OperandType

_NUMBERED = re.compile(r"([A-Za-z_]+)([0-9]+)")
_MOST_RANGES = 5


class InstructionDoc(NamedTuple):
    """What people read about an instruction, in the shape of the "Adding Instructions" document.

    `operands` holds a line ``name: description`` for each operand, in their order; `operation` is
    pseudo-code; `example` is one or more complete bundles.
    """

    title: str
    summary: str
    syntax: str
    operands: Sequence[str] = ()
    operation: str = ""
    example: str = ""


class RegisterFile(NamedTuple):
    """Registers of one sort, `elements` numbers in each.

    `title` is what one of them is called in a sentence.
    """

    name: str
    title: str
    registers: tuple[str, ...]
    summary: str
    elements: int = 1

    def spoken(self) -> str:
        """The registers in a few words: `lr0` to `lr15`, or the list where it is short."""
        if len(self.registers) > 3:
            return f"`{self.registers[0]}` to `{self.registers[-1]}`"
        return ", ".join(f"`{register}`" for register in self.registers)

    def ranged(self) -> str:
        """The registers as briefly as can be: `r0-r31`, or `wl0-wl11` and `wh0-wh11`.

        Of one beginning all numbers between the first and the last are there.
        """
        ranges: dict[str, list[str]] = {}
        for register in self.registers:
            match = _NUMBERED.fullmatch(register)
            ranges.setdefault(match[1] if match else register, []).append(register)
        if len(ranges) > _MOST_RANGES:
            return self.spoken()
        ends = ([each[0], each[-1]] if len(each) > 1 else each for each in ranges.values())
        return ", ".join(f"`{'-'.join(pair)}`" for pair in ends)


class Operand(NamedTuple):
    """One operand of an instruction.

    `read` tells when a register that is read for its value is looked at: "live" sees what earlier
    slots of the same bundle wrote, "snapshot" sees the state before the bundle, None means that the
    instruction gets the register's number. `low` is the lowest bit of its field in the slot.
    `optional` ones may be left out and are `default` then. `keyword` is the name of an operand
    that is written ``keyword=value``, where `by_place` is set also as the value alone.

    Where results take several bundles to land, `access` says what happens to the registers that the
    operand names ("r", "w", "rw"; empty where its type says it, or where nothing is known),
    `use_cycle` in which cycle they are read and `def_cycle` in which they are written (1 is the
    cycle of issue, None unknown). Ends that share a `bypass` are one cycle nearer to each other.
    """

    name: str
    type: OperandType
    description: str
    read: str | None = None
    low: int = 0
    optional: bool = False
    keyword: str | None = None
    default: int = 0
    by_place: bool = False
    access: str = ""
    use_cycle: int | None = None
    def_cycle: int | None = None
    bypass: str = ""


class Implicit(NamedTuple):
    """A register that an instruction reads or writes without an operand that names it.

    The fields are those of `Operand`.
    """

    register: str
    access: str
    use_cycle: int | None = None
    def_cycle: int | None = None
    bypass: str = ""


class InstructionSpec(NamedTuple):
    """One instruction, or one form of it where a mnemonic has several.

    `opcode_bits` is its opcode in its place in the slot, plus fixed bits. `reads` maps what is read
    besides operands marked `read` (operand or state names) to "live" or "snapshot"; `writes` names
    what changes. `flow` is branch, jump, indirect, halt, break or None. `idle` gives operand values
    with which the instruction does nothing at all. `execute_fn` is empty where nothing executes the
    instruction set. `all_due` tells that every operand must be written in its place. `delay_slots`
    is how many bundles behind a branch are executed before it takes effect. `traits` are words of
    its instruction set for what its rules ask. `cycles` tells how long it takes: the product of
    these operands, divided by the number.
    """

    mnemonic: str
    slot: str
    opcode: int
    opcode_bits: int
    operands: tuple[Operand, ...]
    doc: InstructionDoc
    execute_fn: str
    reads: Mapping[str, str] = {}
    writes: tuple[str, ...] = ()
    flow: str | None = None
    deprecated: str | None = None
    idle: Mapping[str, int] = {}
    nop: bool = False
    all_due: bool = True
    implicit: tuple[Implicit, ...] = ()
    delay_slots: int = 0
    traits: frozenset[str] = frozenset()
    cycles: tuple[tuple[str, ...], int] | None = None

    @property
    def positional(self) -> tuple[Operand, ...]:
        """The operands that may be written without a keyword."""
        return tuple(o for o in self.operands if o.keyword is None or o.by_place)

    @property
    def required(self) -> int:
        """How many operands must be written."""
        return sum(not operand.optional for operand in self.operands)

    @property
    def syntax(self) -> str:
        """The syntax line: the documented one, or one made of the operand names."""
        return self.doc.syntax or " ".join([self.mnemonic, *(o.name for o in self.operands)])

    def is_idle_with(self, value_of: Callable[[str], object]) -> bool:
        """Whether the instruction does nothing at all with these values of its operands."""
        if self.nop or not self.idle:
            return self.nop
        return all(value_of(name) == value for name, value in self.idle.items())

    def operand(self, name: str) -> Operand | None:
        """The operand of that name."""
        return next((operand for operand in self.operands if operand.name == name), None)


class Field(NamedTuple):
    """A bit field of a slot: its operand type (or "opcode"), lowest bit and width."""

    type: str
    low: int
    width: int


class Slot(NamedTuple):
    """A functional unit of the bundle and the places in the word that hold its instructions.

    `lows` has the lowest bit of every place, in the order in which instructions fill them;
    `default` is the instruction, as text, that stands in a place which a bundle does not name.
    `units` are what an instruction of the slot takes up, where that is not a place of its own: two
    slots with a unit in common exclude each other.
    """

    name: str
    title: str
    default: str
    fields: tuple[Field, ...]
    width: int
    lows: tuple[int, ...]
    exclusive_writes: bool = False
    units: tuple[str, ...] = ()

    @property
    def capacity(self) -> int:
        """How many instructions of this slot one bundle can carry."""
        return len(self.lows)


class Pardon(NamedTuple):
    """A directive from which on the findings of some codes are not told, until `ended_by`.

    With `severity` they are told, but matter only that much.
    """

    directive: str
    codes: tuple[str, ...]
    ended_by: str = ""
    severity: Severity | None = None


class Surface(NamedTuple):
    """How programs of an instruction set are written, and what its files are called.

    `comments` are the marks that begin a comment, the one to write first. `bundle_end` and
    `separator` are empty where a line's end does their work. `hints` maps a character or word that
    people try and the grammar refuses to a sentence, `foreign` is what else they try.
    `operand_separator` is what to write between two operands, `number_mark` what numbers begin
    with. With `any_case` mnemonics are known in capital and small letters.

    `block_comments` are pairs of marks around comments that may span lines. `brackets` are the
    marks around a bundle of several instructions, where it has such. `linked` tells that labels
    may be defined in other files: all but those that begin with `local_prefix`. `numeric_labels`
    (``1:``, ``1b``, ``2f``) may be defined again. `preprocessed` tells that macros and a
    preprocessor may make names that the text itself does not explain. `modes` are the directives
    that set an execution mode, `pardons` those that make some findings none; `of_symbols` take a
    symbol and an expression. `directives` says in a sentence what each one does that is known.
    """

    grammar: str
    language_id: str
    comments: tuple[str, ...]
    bundle_end: str
    separator: str
    hints: Mapping[str, str] = {}
    foreign: ForeignSyntax = ForeignSyntax()
    operand_separator: str = " "
    number_mark: str = ""
    any_case: bool = False
    block_comments: tuple[tuple[str, str], ...] = ()
    brackets: tuple[str, str] | None = None
    linked: bool = False
    local_prefix: str = ""
    numeric_labels: bool = False
    preprocessed: bool = False
    modes: Mapping[str, str] = {}
    pardons: tuple[Pardon, ...] = ()
    directives: Mapping[str, str] = {}
    of_symbols: tuple[str, ...] = ()


class Isa:
    """An instruction set. Nothing in it changes after `build_isa` has made it."""

    def __init__(
        self,
        name: str,
        title: str,
        surface: Surface,
        slots: tuple[Slot, ...],
        instructions: Mapping[str, InstructionSpec],
        register_files: tuple[RegisterFile, ...],
        word_bits: int,
        image_bytes: int,
        program_limit: int,
        forms: Mapping[str, tuple[InstructionSpec, ...]] | None = None,
        units_of: Mapping[str, frozenset[str]] | None = None,
        family: str = "",
        has_exposed_pipeline: bool = False,
        loop_registers: tuple[str, str] | None = None,
        returned: frozenset[str] = frozenset(),
        zeros: frozenset[str] = frozenset(),
        memories: tuple[Memory, ...] = (),
        scratch: frozenset[str] = frozenset(),
    ) -> None:
        """`forms` has all forms of the mnemonics that have several; `units_of` the parts that a
        register shares with others. The set shares the rules of its `family`, a folder beside its
        own; with an exposed pipeline its instructions say when their results land.
        `loop_registers` hold the first and the last bundle of a loop that the machine closes by
        itself; `returned` are the registers that callers may read when a function returns.
        `zeros` read as zero. Of the `memories` of its machines the first counts where nobody
        says which one it is. A function finds nothing in `scratch` registers when it begins: they
        hold no arguments, and nothing that it would have to keep.
        """
        self.name = name
        self.title = title
        self.surface = surface
        self.slots = slots
        self.instructions = instructions
        self.register_files = register_files
        self.word_bits = word_bits
        self.image_bytes = image_bytes
        self.program_limit = program_limit
        self.slot_by_name = {slot.name: slot for slot in slots}
        self.file_of_register = {
            register: file for file in register_files for register in file.registers
        }
        self.family = family
        self.has_exposed_pipeline = has_exposed_pipeline
        self.zeros = zeros
        self.memories = memories
        self.memory = memories[0] if memories else None
        self.loop_registers = loop_registers
        self.returned = returned
        self.scratch = scratch
        self._forms = dict(forms or {})
        self._units_of = dict(units_of or {})
        self._folded = {name.lower(): spec for name, spec in instructions.items()}
        # What stands at one address, in a word.
        self.unit = "bundle" if sum(slot.capacity for slot in slots) > 1 else "instruction"
        self.branches = any(spec.flow in ("branch", "jump") for spec in instructions.values())

    def __repr__(self) -> str:
        return f"<Isa {self.name}: {len(self.instructions)} instructions, {self.word_bits} bits>"

    def spec(self, mnemonic: str) -> InstructionSpec | None:
        """The instruction of that name, written as programs must write it."""
        spec = self.instructions.get(mnemonic)
        if spec is None and self.surface.any_case:
            spec = self._folded.get(mnemonic.lower())
        return spec

    def in_memory(self, name: str) -> Isa:
        """The same set for the machine with the memory of that name."""
        other = copy(self)
        other.memory = next(memory for memory in self.memories if memory.name == name)
        return other

    def forms(self, spec: InstructionSpec) -> tuple[InstructionSpec, ...]:
        """All forms of the mnemonic of `spec`, in the order in which they are tried."""
        return self._forms.get(spec.mnemonic) or (spec,)

    @property
    def has_words(self) -> bool:
        """Whether instructions have bits, so that programs can be assembled."""
        return self.word_bits > 0

    def units(self, register: str) -> frozenset[str]:
        """The parts of a register: two registers that share one overlap."""
        return self._units_of.get(register) or frozenset((register,))

    def instructions_of(self, slot: str) -> list[InstructionSpec]:
        """The instructions of one slot in opcode order; of several forms there, the first."""
        found: dict[str, InstructionSpec] = {}
        for spec in self.instructions.values():
            for form in self.forms(spec):
                if form.slot == slot:
                    found.setdefault(form.mnemonic, form)
        return list(found.values())
