"""What a bundle does to the registers that are followed, and where control goes after it."""

from __future__ import annotations

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.bundle.operand_matching import Instruction
from ipu_asm.flow.accesses import LATEST, RegisterAccess, access_of, accesses_of
from ipu_asm.flow.control_flow import CALL, RETURN
from ipu_asm.isa.model import Isa
from ipu_asm.isa.scalar import CountingFacts
from ipu_asm.named_tuple import NamedTuple

BRANCH, JUMP, CALLS, RETURNS, HALTS = "branch", "jump", "call", "return", "halt"
_MACRO = "macro"


class LabelUse(NamedTuple):
    """A label operand: the numbers of the instruction and of the operand."""

    instruction: int
    operand: int


class Assignment(NamedTuple):
    """A register that gets a constant plus registers with signs, or the address of a label."""

    register: str
    constant: int
    terms: tuple[tuple[str, int], ...] = ()
    label: LabelUse | None = None


class Jump(NamedTuple):
    """A transfer of control `delay` bundles later, to a label or to the address in `pointer`.

    `kind` is one of the constants above. A branch is taken if the register `tested` is not zero,
    or, with `on_zero`, if it is; "" if the condition is another.
    """

    kind: str
    delay: int = 0
    label: LabelUse | None = None
    pointer: str = ""
    tested: str = ""
    on_zero: bool = False


class RepeatUse(NamedTuple):
    """A repeating instruction: its number of iterations, or the register that holds it.

    `bundles` is the number of bundles that it repeats, or the text of an expression.
    """

    iterations: int | None
    register: str
    bundles: int | str


class Effect(NamedTuple):
    """What a bundle does to registers that are followed.

    All sources are read before anything is written. `lost` registers have no known value after
    the bundle; of those in `late`, another value lands up to so many bundles later. `reads` are
    registers that are read for something else. A bundle that `is_opaque` may do anything.
    `is_single`: it is issued once, and is not the short form of several instructions. A matrix
    operation has its configuration in the register `configured`, and a first source of `parts`.
    """

    assignments: tuple[Assignment, ...] = ()
    lost: frozenset[str] = frozenset()
    late: tuple[tuple[str, int], ...] = ()
    reads: frozenset[str] = frozenset()
    jump: Jump | None = None
    repeat: RepeatUse | None = None
    is_opaque: bool = False
    is_single: bool = True
    configured: str = ""
    parts: int = 0


OPAQUE = Effect(is_opaque=True)


@cached_on_bundle
def effect_of(isa: Isa, bundle: Bundle) -> Effect:
    if bundle.has_unknown or bundle.has_uncertain_effect or bundle.syntax.plan.inner_directives:
        return OPAQUE
    if any(_has_unknown_result(instruction) for instruction in bundle.instructions):
        return OPAQUE
    reader = _Reader(isa, bundle)
    for number, instruction in enumerate(bundle.instructions):
        if not instruction.is_idle:
            reader.read(number, instruction)
    return OPAQUE if reader.is_opaque else reader.effect()


def _has_unknown_result(instruction: Instruction) -> bool:
    """Return whether an operand that may name a written register has no value, as in a macro."""
    spec = instruction.spec
    assert spec is not None
    return any(
        value is None and operand is not None and access_of(spec, operand) != "r"
        for operand, value in zip(instruction.operands, instruction.values)
        if operand is not None and (access_of(spec, operand) or hasattr(operand.type, "registers"))
    )


class _Reader:
    def __init__(self, isa: Isa, bundle: Bundle) -> None:
        self.is_opaque = False
        self._isa = isa
        self._followed = isa.counting.registers
        self._accesses = accesses_of(isa, bundle)
        self._assignments: list[Assignment] = []
        self._lost: set[str] = set()
        self._late: list[tuple[str, int]] = []
        self._reads: set[str] = set()
        self._jumps: list[Jump] = []
        self._repeats: list[RepeatUse] = []
        self._is_single = True
        self._configured = ""
        self._parts = 0

    def effect(self) -> Effect:
        targets = [each.register for each in self._assignments]
        unclear = {register for register in targets if targets.count(register) > 1}
        if len(self._jumps) > 1 or len(self._repeats) > 1 or (self._jumps and self._repeats):
            return OPAQUE
        return Effect(
            tuple(self._assignments),
            frozenset(self._lost | unclear),
            tuple(self._late),
            frozenset(self._reads),
            self._jumps[0] if self._jumps else None,
            self._repeats[0] if self._repeats else None,
            is_single=self._is_single,
            configured=self._configured,
            parts=self._parts,
        )

    def read(self, number: int, instruction: Instruction) -> None:
        spec = instruction.spec
        assert spec is not None
        facts = spec.counting or CountingFacts()
        accesses = [access for access in self._accesses if access.instruction == number]
        computed = self._assigned(number, instruction, facts, accesses)
        named = {term.operand for sum_ in facts.computes.values() for term in sum_}
        named |= {facts.pointer, facts.test.operand if facts.test else ""}
        for access in accesses:
            self._add_access(instruction, access, computed, named)
        self._is_single = self._is_single and _MACRO not in spec.traits
        if spec.flow is not None or {CALL, RETURN} & spec.traits:
            self._jumps.append(self._jump(number, instruction, facts, accesses))
        if facts.repeat is not None:
            self._add_repeat(instruction, facts, accesses)
        if facts.shape is not None:
            self._configured = self._register(instruction, facts.shape.configuration, accesses, "r")
            self._parts = sum(
                len(access.units)
                for access in accesses
                if (operand := instruction.operands[access.operand]) is not None
                and operand.name == facts.shape.source
            )

    def _add_access(
        self, instruction: Instruction, access: RegisterAccess, computed: set[str], named: set[str]
    ) -> None:
        followed = access.units & self._followed
        if not followed:
            return
        operand = instruction.operands[access.operand] if access.operand >= 0 else None
        if "w" not in access.access and "r" in access.access:
            if operand is None or operand.name not in named:
                self._reads |= followed
            return
        if operand is not None and operand.name in computed:
            return
        self._lost |= followed
        self._reads |= followed if access.reads else set()
        cycle = access.timing.def_cycle
        if cycle is None and self._isa.has_exposed_pipeline:
            cycle = LATEST
        if cycle is not None and cycle > 1:
            self._late += [(register, cycle - 1) for register in followed]

    def _assigned(
        self,
        number: int,
        instruction: Instruction,
        facts: CountingFacts,
        accesses: list[RegisterAccess],
    ) -> set[str]:
        """Add the assignments of an instruction; return the names of the operands assigned to."""
        computed: set[str] = set()
        for name, sum_ in facts.computes.items():
            target = self._register(instruction, name, accesses, "w")
            if not target:
                continue
            constant, terms, label = 0, [], None
            for term in sum_:
                value = int(term.operand) if term.operand.isdigit() else None
                if value is None:
                    value, label = self._number(number, instruction, term.operand)
                if value is not None and term.bits:
                    half = 1 << (term.bits - 1)
                    value = value if -half <= value < half else None
                register = self._register(instruction, term.operand, accesses, "r")
                if register:
                    terms.append((register, term.sign))
                elif value is not None:
                    constant += term.sign * value
                elif label is None or len(sum_) > 1:
                    break
            else:
                computed.add(name)
                self._assignments.append(Assignment(target, constant, tuple(terms), label))
        return computed

    def _number(
        self, number: int, instruction: Instruction, name: str
    ) -> tuple[int | None, LabelUse | None]:
        """Return the value of an operand that is a number, or its place if it is a label."""
        for place, operand in enumerate(instruction.operands):
            if operand is not None and operand.name == name:
                value = instruction.values[place]
                if isinstance(value, str):
                    return None, LabelUse(number, place)
                return (value if not hasattr(operand.type, "registers") else None), None
        return None, None

    def _register(
        self, instruction: Instruction, name: str, accesses: list[RegisterAccess], access: str
    ) -> str:
        """Return the register in an operand, if its value is followed and it is used at once."""
        for each in accesses:
            operand = instruction.operands[each.operand] if each.operand >= 0 else None
            if operand is None or operand.name != name or access not in each.access:
                continue
            cycle = each.timing.def_cycle if access == "w" else each.timing.use_cycle
            at_once = cycle == 1 or (cycle is None and not self._isa.has_exposed_pipeline)
            if at_once and len(each.units) == 1:
                (register,) = each.units
                if register in self._followed or (access == "r" and register in self._isa.zeros):
                    return register
        return ""

    def _jump(
        self,
        number: int,
        instruction: Instruction,
        facts: CountingFacts,
        accesses: list[RegisterAccess],
    ) -> Jump:
        spec = instruction.spec
        assert spec is not None
        labels = [LabelUse(number, place) for place in instruction.labels]
        label = labels[0] if len(labels) == 1 else None
        pointer = tested = ""
        if facts.pointer:
            pointer = self._register(instruction, facts.pointer, accesses, "r")
        if facts.test is not None:
            tested = self._register(instruction, facts.test.operand, accesses, "r")
        kind = JUMP
        if CALL in spec.traits:
            kind = CALLS
        elif RETURN in spec.traits:
            kind = RETURNS
        elif spec.flow == "halt":
            kind = HALTS
        elif spec.flow == "branch":
            kind = BRANCH
        on_zero = facts.test is not None and facts.test.is_zero
        return Jump(kind, spec.delay_slots, label, pointer, tested, on_zero)

    def _add_repeat(
        self, instruction: Instruction, facts: CountingFacts, accesses: list[RegisterAccess]
    ) -> None:
        assert facts.repeat is not None
        register = self._register(instruction, facts.repeat.iterations, accesses, "r")
        count, _ = self._number(0, instruction, facts.repeat.iterations)
        for operand, value, word in zip(
            instruction.operands, instruction.values, instruction.words[1:]
        ):
            if operand is not None and operand.name == facts.repeat.length:
                length = value + 1 if isinstance(value, int) else word
                self._repeats.append(RepeatUse(count, register, length))
