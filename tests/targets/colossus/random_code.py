"""Valid Colossus code by chance: every form with operands of every sort."""

from __future__ import annotations

from random import Random

from ipu_asm.isa import load_isa
from ipu_asm.isa.model import InstructionSpec, Operand
from ipu_asm.targets.colossus.control_registers import ControlRegister
from ipu_asm.targets.colossus.operands import NumberOperand, RegisterOperand

ISA = load_isa("colossus")
FORMS = [form for spec in ISA.instructions.values() for form in ISA.forms(spec)]
PLAIN = [
    form
    for form in FORMS
    if not form.traits & {"control", "system", "alone", "supervisor", "repeat", "constant"}
]
ZERO = 15


def operand(random: Random, each: Operand, low: int = 0) -> str:
    """Something right for an operand; of registers one from number `low` on."""
    kind = each.type
    if isinstance(kind, RegisterOperand):
        # Nothing is loaded from where no memory is.
        last = ZERO if kind.file == "m" and kind.group_width == 1 else 16
        return kind.format(random.choice(range(low, last, kind.group_width)))
    if isinstance(kind, NumberOperand):
        first, last, step = random.choice(kind.ranges)
        number = random.choice((first, last, random.randrange(first, last + 1, step)))
        return random.choice((str(number), hex(number), f"{number} + 0"))
    if isinstance(kind, ControlRegister):
        return random.choice(list(kind.registers))
    return str(random.randrange(8))


def instruction(random: Random, form: InstructionSpec, low: int = 0) -> str:
    """An instruction of a form."""
    operands = ", ".join(operand(random, each, low) for each in form.operands)
    return f"{form.mnemonic} {operands}".strip()


def halves(random: Random) -> tuple[str, str]:
    """The halves of a bundle that write no register both."""
    main = random.choice([form for form in PLAIN if form.slot == "main"])
    aux = random.choice([form for form in PLAIN if form.slot == "aux"])
    return _low(random, main), instruction(random, aux, low=8)


def _low(random: Random, form: InstructionSpec) -> str:
    """An instruction whose results are in the lower half of the registers."""
    for _ in range(1000):
        text = instruction(random, form)
        numbers = [
            name.register[2:].split(":")[0]
            for word, each in zip(text[len(form.mnemonic) :].split(","), form.operands)
            for name in each.type.names(word.strip())
            if "w" in each.access and name.register[1] == "a"
        ]
        if all(int(number) < 8 for number in numbers):
            return text
    raise AssertionError(form)


def program(random: Random, length: int = 12) -> list[str]:
    """Lines of worker code that is valid, in which a repeat stands somewhere."""
    lines = [".worker", ".align 8", "start:"]
    for _ in range(length):
        main, aux = halves(random)
        # In pairs, so that the alignment stays.
        lines.append(random.choice((f"{{ {main} ; {aux} }}", f"{main} ; {aux}")))
    at = random.randrange(3, len(lines))
    body = [f"  {{ {main} ; {aux} }}" for main, aux in (halves(random) for _ in range(3))]
    count = random.choice(("2", "((2f - 1f) / 8) - 1"))
    lines[at:at] = [f"{{ rpt $m0, {count} ; fnop }}", "1:", *body, "2:"]
    return lines
