"""The model of an instruction set: slots, instructions, operands, registers. Immutable values.

`build.build_isa` and `forms.build_forms` validate a description and create an `Isa`. Everything
that users see of an instruction (syntax line, ranges, completion, page) is derived from here.
"""

from __future__ import annotations

from functools import cached_property
from typing import Callable, Mapping, Sequence

from ipu_asm.isa.operands import OperandType
from ipu_asm.isa.scalar import Counting, CountingFacts, ScalarFacts
from ipu_asm.isa.storage import AddressSpace, CodeSizes, MemLines, Memory, RegisterFile
from ipu_asm.isa.surface import Surface
from ipu_asm.named_tuple import NamedTuple

DEPRECATED = "deprecated"
"""The trait of every instruction that has a text in `InstructionSpec.deprecated`."""


class InstructionDoc(NamedTuple):
    """The documentation of an instruction, with the fields of the "Adding Instructions" document.

    `operands` holds a line ``name: description`` per operand, in their order; `operation` is
    pseudo-code; `example` is one or more complete bundles.
    """

    title: str
    summary: str
    syntax: str
    operands: Sequence[str] = ()
    operation: str = ""
    example: str = ""


class Operand(NamedTuple):
    """One operand of an instruction.

    `read` is when the value of a register operand is read: "live" after the writes of earlier slots
    in the same bundle, "snapshot" before the bundle; None if the instruction receives the
    register's number instead of its value. `low` is the lowest bit of its field in the slot, and
    `field_width` the width of that field; the value is in its low bits, the others are 0. `advice`
    is what to write instead of a number, where none may stand. An `optional` operand may be omitted
    and then has the value `default`. `keyword` is the name of an operand that is written
    ``keyword=value``; with `positional_allowed` it may also be written as the value alone. A
    `suggested` operand may be omitted, which is rarely meant: completion writes it.

    The other fields describe exposed pipelines, where results take several cycles. `access` is what
    happens to the registers that the operand names ("r", "w", "rw"; empty if its type determines it
    or if it is unknown), `use_cycle` the cycle in which they are read and `def_cycle` the cycle in
    which they are written (1 is the cycle of issue, None unknown). A writer and a reader with the
    same `bypass` can be one cycle closer.
    """

    name: str
    type: OperandType
    description: str
    read: str | None = None
    low: int = 0
    optional: bool = False
    keyword: str | None = None
    default: int = 0
    positional_allowed: bool = False
    access: str = ""
    use_cycle: int | None = None
    def_cycle: int | None = None
    bypass: str = ""
    field_width: int = 0
    advice: str = ""
    suggested: bool = False

    @property
    def bits(self) -> int:
        """The mask of its field in the slot."""
        return ((1 << (self.field_width or self.type.width)) - 1) << self.low


class Implicit(NamedTuple):
    """A register that an instruction accesses without an operand that names it.

    For the fields, see `Operand`.
    """

    register: str
    access: str
    use_cycle: int | None = None
    def_cycle: int | None = None
    bypass: str = ""


ALONE = "alone"
"""The trait of instructions that may not stand in a bundle with another one."""


class InstructionSpec(NamedTuple):
    """One instruction, or one form of it where a mnemonic has several.

    `opcode_bits` is the opcode at its position in the slot, plus fixed bits. `reads` maps further
    inputs (operands without `read`, or names of machine state) to "live" or "snapshot"; `writes`
    names operands or state that change. `flow` is branch, jump, indirect, halt, break or None.
    `idle` gives operand values with which the instruction has no effect. `execute_fn` is empty in a
    set without an emulator. `all_operands_required`: every operand must be written, in its place.
    `delay_slots` is the number of bundles after a branch that are executed before it takes effect.
    `traits` are properties that rules of the set query. `cycles` is the duration: the product of
    these operands, divided by the number. `scalar` is what it does to registers that never depend
    on data, in sets that state it; `counting` is how it counts and branches, in sets whose
    registers may hold data. `register_reads` maps an operand and a register file to what the
    instruction reads in addition if the operand names a register of that file. `becomes` are the
    words of the instruction that the assembler puts in place of a pseudo-instruction, with the
    names of its operands; empty for a real one.
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
    all_operands_required: bool = True
    implicit: tuple[Implicit, ...] = ()
    delay_slots: int = 0
    traits: frozenset[str] = frozenset()
    cycles: tuple[tuple[str, ...], int] | None = None
    scalar: ScalarFacts | None = None
    register_reads: Mapping[tuple[str, str], Mapping[str, str]] = {}
    becomes: tuple[str, ...] = ()
    counting: CountingFacts | None = None

    @property
    def required(self) -> int:
        """The number of operands that must be written."""
        return sum(not operand.optional for operand in self.operands)

    @property
    def syntax(self) -> str:
        """The documented syntax line, or one made of the operand names."""
        return self.doc.syntax or " ".join([self.mnemonic, *(o.name for o in self.operands)])

    def is_idle_with(self, value_of: Callable[[str], object]) -> bool:
        """Return whether the instruction has no effect with these values of its operands."""
        if self.nop or not self.idle:
            return self.nop
        return all(value_of(name) == value for name, value in self.idle.items())

    def operand(self, name: str) -> Operand | None:
        """Return the operand of that name, None if there is none."""
        return next((operand for operand in self.operands if operand.name == name), None)


class Field(NamedTuple):
    """A bit field of a slot: its operand type (or "opcode"), lowest bit, and width in bits.

    A field that several types share has their names, separated by `/`.
    """

    type: str
    low: int
    width: int


class Slot(NamedTuple):
    """A functional unit of the bundle and its positions in the word.

    `lows` has the lowest bit of every position, in the order in which instructions fill them;
    `default` is the instruction, as text, that fills a position for which the bundle has none.
    `units` are the functional units that an instruction of the slot occupies, in sets without
    words: slots that share a unit exclude each other, but for those that a slot may be `beside`.
    `simulation_only`: the emulator has the slot, the machine does not.
    """

    name: str
    title: str
    default: str
    fields: tuple[Field, ...]
    width: int
    lows: tuple[int, ...]
    exclusive_writes: bool = False
    units: tuple[str, ...] = ()
    simulation_only: bool = False
    beside: frozenset[str] = frozenset()

    @property
    def capacity(self) -> int:
        """The number of instructions of this slot that a bundle can hold."""
        return len(self.lows)


class Scheduling(NamedTuple):
    """What schedules of operations in order may write.

    `twins` are mnemonics that mean the same with the same operands, in other slots. Names of
    operands that hold addresses begin with one of `addresses`. `hidden` are accesses to state that
    no operand names, by mnemonic, slot or trait. Instructions with a trait in `not_repeated` may
    not stand in a loop.

    A loop begins with `loop_setup`, `setup_bundles` or more in front of its body, and has
    `loop_alignment` and `loop_entry` right in front of it, with `{turns}`, `{added}`, `{start}`,
    `{end}` and the number of the `{last}` bundle. A loop that counts down its register itself takes
    `{added}` turns off by `counter_update`, and gives them back. `no_ops` fill its bundles.
    Accesses behind one of `delaying` mnemonics may wait.
    """

    twins: tuple[tuple[str, ...], ...] = ()
    addresses: tuple[str, ...] = ()
    hidden: Mapping[str, Mapping[str, str]] = {}
    not_repeated: frozenset[str] = frozenset()
    loop_setup: tuple[str, ...] = ()
    setup_bundles: int = 0
    loop_alignment: str = ""
    loop_entry: tuple[str, ...] = ()
    counter_update: str = ""
    no_ops: Mapping[str, str] = {}
    delaying: frozenset[str] = frozenset()


class Isa:
    """An instruction set. It is immutable; `build_isa` or `build_forms` creates it.

    `forms` has all forms of mnemonics with more than one. `units_of` maps registers to the parts
    that they share with others. `family` is a folder beside the set's own whose rules it shares.
    With `has_exposed_pipeline`, instructions state the cycle in which results are written.
    `loop_registers` hold the first and last bundle of a hardware loop. `live_at_return` are the
    registers that callers may read after a function returns. `zeros` read as zero. The first of
    `memories` is the default. `scratch` registers hold neither arguments nor values that a function
    must preserve, so that they are undefined when it begins. `scheduling` is for sets
    whose bundles are made from operations in order. `spaces` are what instructions access by
    addresses that are sums of registers.
    `constants` are registers that always hold the same number, `resets` those that hold another
    number than 0 when a program begins. `mem_lines` is the form of the words in `mem` images.
    `counting` is what loops count with, for sets whose registers may hold data. `code_sizes` is
    given where instructions and bundles have fixed sizes.
    """

    def __init__(
        self,
        name: str,
        title: str,
        surface: Surface,
        *,
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
        live_at_return: frozenset[str] = frozenset(),
        zeros: frozenset[str] = frozenset(),
        memories: tuple[Memory, ...] = (),
        scratch: frozenset[str] = frozenset(),
        scheduling: Scheduling | None = None,
        spaces: Mapping[str, AddressSpace] = {},
        constants: Mapping[str, int] = {},
        resets: Mapping[str, int] = {},
        mem_lines: MemLines | None = None,
        counting: Counting | None = None,
        code_sizes: CodeSizes | None = None,
    ) -> None:
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
        self.live_at_return = live_at_return
        self.scratch = scratch
        self.scheduling = scheduling
        self.spaces = spaces
        self.constants = constants
        self.resets = resets
        self.mem_lines = mem_lines or MemLines("0x", -(-word_bits // 4))
        self.counting = counting or Counting()
        self.code_sizes = code_sizes
        self._forms = dict(forms or {})
        self._units_of = dict(units_of or {})
        self._folded = {name.lower(): spec for name, spec in instructions.items()}

    @cached_property
    def unit(self) -> str:
        """The noun for the content of one address."""
        return "bundle" if sum(slot.capacity for slot in self.slots) > 1 else "instruction"

    @cached_property
    def working_slots(self) -> tuple[Slot, ...]:
        """The slots that have instructions other than no-ops and breakpoints.

        Only these count in reports about the use of slots.
        """
        specs = [*self.instructions.values(), *(s for each in self._forms.values() for s in each)]
        names = {spec.slot for spec in specs if not spec.nop and spec.flow != "break"}
        return tuple(slot for slot in self.slots if slot.name in names)

    @cached_property
    def branches(self) -> bool:
        """Whether some instruction names the address where control continues."""
        return any(spec.flow in ("branch", "jump") for spec in self.instructions.values())

    def __repr__(self) -> str:
        return f"<Isa {self.name}: {len(self.instructions)} instructions, {self.word_bits} bits>"

    def spec(self, mnemonic: str) -> InstructionSpec | None:
        """Return the instruction of a mnemonic, in any case if the surface is case-insensitive."""
        spec = self.instructions.get(mnemonic)
        if spec is None and self.surface.case_insensitive:
            spec = self._folded.get(mnemonic.lower())
        return spec

    def in_memory(self, name: str) -> Isa:
        """Return a copy for the machine with the memory map of that name."""
        other = Isa.__new__(Isa)
        vars(other).update(vars(self))
        other.memory = next(memory for memory in self.memories if memory.name == name)
        return other

    def forms(self, spec: InstructionSpec) -> tuple[InstructionSpec, ...]:
        """Return all forms of the mnemonic of `spec`, in the order in which they are tried."""
        return self._forms.get(spec.mnemonic) or (spec,)

    @property
    def has_words(self) -> bool:
        """Whether the encoding of instructions is known, so that programs can be assembled."""
        return self.word_bits > 0

    def units(self, register: str) -> frozenset[str]:
        """Return the parts of a register: two registers with a common part overlap."""
        return self._units_of.get(register) or frozenset((register,))

    def instructions_of(self, slot: str) -> list[InstructionSpec]:
        """Return the instructions of a slot in opcode order, the first form of each mnemonic.

        Pseudo-instructions come last.
        """
        found: dict[str, InstructionSpec] = {}
        for spec in self.instructions.values():
            for form in self.forms(spec):
                if form.slot == slot:
                    found.setdefault(form.mnemonic, form)
        if len(self._forms) and self.has_words:
            return sorted(found.values(), key=lambda form: (bool(form.becomes), form.opcode))
        return list(found.values())
