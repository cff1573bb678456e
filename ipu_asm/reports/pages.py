"""Markdown pages of instructions and of rules, as shown by hover, `--explain` and the reference.

Those of instructions are derived from their `InstructionSpec` and the layout of their slot.
`python -m ipu_asm.reports.pages` writes those of rules to `docs/rules`.
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import Iterator, Mapping, Sequence

from ipu_asm.diagnostics.suggestions import Vocabulary
from ipu_asm.isa.model import Implicit, InstructionSpec, Isa, Operand, Slot
from ipu_asm.isa.operands import KeywordType, OperandType
from ipu_asm.lint import Rule, pages_folder
from ipu_asm.lint.rules import all_rules, near_codes, near_rules
from ipu_asm.reports.markdown import fenced_code

_READ_TIMINGS: Mapping[str, str] = {
    "snapshot": "value from before this bundle",
    "live": "value as this bundle's earlier slots leave it",
}
_ACCESSES: Mapping[str, str] = {"r": "read", "w": "written", "rw": "read and written"}
_MAX_FORMS = 12
_ORDINALS = ("first", "second", "third", "fourth")


def instruction_markdown(
    isa: Isa, spec: InstructionSpec, others: Sequence[InstructionSpec] | None = None
) -> str:
    """Return the page of one instruction, without a final line break.

    `others` are the other forms of its mnemonic to list; by default the first `_MAX_FORMS` of all.
    """
    language = isa.surface.language_id
    forms = _other_forms(isa, spec) if others is None else others
    most = _MAX_FORMS if others is None else len(forms)
    sections = (
        fenced_code(spec.syntax, language),
        _heading(isa, spec),
        _deprecation(spec),
        _remarks(isa, spec),
        spec.doc.summary,
        _titled("Operands", "\n".join(_operand_lines(isa, spec))),
        _titled("Operation", fenced_code(spec.doc.operation, "text") if spec.doc.operation else ""),
        _titled("Reads and writes", "\n".join(_effect_lines(isa, spec))),
        _titled("Timing", "\n".join(_timing_lines(isa, spec))),
        _titled("Encoding", "\n".join(_encoding_lines(isa, spec))),
        _titled("Other forms", "\n".join(_form_lines(isa, forms, most))),
        _titled("Example", fenced_code(spec.doc.example, language) if spec.doc.example else ""),
    )
    return "\n\n".join(section for section in sections if section)


def encoding_lines(isa: Isa, spec: InstructionSpec) -> list[str]:
    """Return the bit positions of an instruction's fields, one line for each place in the word.

    A line is like ``opcode 156:154 = 1 | dest 153:152 | offset 151:148``. The list is empty if the
    instruction set has no encoding.
    """
    slot = isa.slot_by_name[spec.slot]
    if not isa.has_words:
        return []
    return [" | ".join(_bit_ranges(slot, spec, low)) for low in slot.lows]


def read_timing(spec: InstructionSpec) -> dict[str, str]:
    """Return the operands and state that an instruction reads, each with "live" or "snapshot"."""
    return {**{o.name: o.read for o in spec.operands if o.read}, **spec.reads}


def _titled(title: str, body: str) -> str:
    return f"**{title}**\n\n{body}" if body else ""


def _heading(isa: Isa, spec: InstructionSpec) -> str:
    slot = isa.slot_by_name[spec.slot]
    if len(isa.slots) == 1:
        return f"**{spec.doc.title}**"
    places = "" if slot.capacity == 1 else f", {slot.capacity} a bundle"
    return f"**{spec.doc.title}** (slot `{slot.name}`{places})"


def _deprecation(spec: InstructionSpec) -> str:
    return f"**Deprecated:** {spec.deprecated}." if spec.deprecated else ""


def _remarks(isa: Isa, spec: InstructionSpec) -> str:
    """Return what the assembler puts for the instruction, and where the machine lacks it."""
    remarks = []
    if spec.becomes:
        remarks.append(f"The assembler puts `{' '.join(spec.becomes)}` for it.")
    if isa.slot_by_name[spec.slot].simulation_only and not spec.nop:
        remarks.append("**Only in simulation:** the machine does not have its slot.")
    return " ".join(remarks)


def _operand_lines(isa: Isa, spec: InstructionSpec) -> Iterator[str]:
    times = read_timing(spec)
    for operand in spec.operands:
        text = f": {operand.description}" if operand.description else ""
        notes = ["read" + _when(isa, times[operand.name])] if operand.name in times else []
        notes += ["written"] if operand.name in spec.writes else []
        notes += [_ACCESSES[operand.access]] if operand.access else []
        note = f" ({'; '.join(notes)})" if notes else ""
        yield f"- {_written(operand)}, {_type_text(operand.type)}{text}{note}"
        if isinstance(operand.type, KeywordType):
            for word, meaning in operand.type.complete():
                yield f"    - `{word}`: {meaning}"


def _type_text(operand_type: OperandType) -> str:
    """Return a description of the type; only the title for keywords, which are listed below."""
    return operand_type.title if isinstance(operand_type, KeywordType) else operand_type.describe()


def _written(operand: Operand) -> str:
    name = f"`{operand.keyword}={operand.name}`" if operand.keyword else f"`{operand.name}`"
    if not operand.optional:
        return name
    return f"{name} (optional, `{operand.type.format(operand.default)}` without it)"


def _when(isa: Isa, time: str) -> str:
    """Return when something is read; "" if the instruction set has no bundles."""
    return f": {_READ_TIMINGS[time]}" if isa.unit == "bundle" else ""


def _effect_lines(isa: Isa, spec: InstructionSpec) -> Iterator[str]:
    times = read_timing(spec)
    for time in _READ_TIMINGS:
        names = [f"`{name}`" for name, when in times.items() if when == time]
        if names:
            yield f"- reads {', '.join(names)}{_when(isa, time)}"
    for (operand, file), reads in spec.register_reads.items():
        for time in _READ_TIMINGS:
            names = [f"`{name}`" for name, when in reads.items() if when == time]
            if names:
                reads_here = f"- reads {', '.join(names)}{_when(isa, time)}"
                yield f"{reads_here}, if `{operand}` is one of the registers `{file}`"
    implicit = [f"`{each.register}`" for each in spec.implicit if "r" in each.access]
    if implicit:
        yield f"- reads {', '.join(implicit)}"
    written = [f"`{name}`" for name in spec.writes]
    written += [f"`{each.register}`" for each in spec.implicit if "w" in each.access]
    written += ["the program counter"] if spec.flow not in (None, "break") else []
    if written:
        yield f"- writes {', '.join(written)}"


def _timing_lines(isa: Isa, spec: InstructionSpec) -> Iterator[str]:
    """Yield latencies of results, late reads and delay slots, omitting those of one cycle."""
    ends: list[tuple[str, Operand | Implicit]] = [(o.name, o) for o in spec.operands]
    ends += [(each.register, each) for each in spec.implicit]
    for name, end in ends:
        if end.def_cycle is not None and end.def_cycle > 1:
            yield f"- `{name}` lands {end.def_cycle} {isa.unit}s later"
        if end.use_cycle is not None and end.use_cycle > 1:
            yield f"- `{name}` is read {_count(end.use_cycle - 1, isa.unit)} later"
    if spec.delay_slots:
        yield (
            f"- {_count(spec.delay_slots, isa.unit)} after it {_are(spec.delay_slots)} executed "
            "before it takes effect"
        )


def _count(number: int, unit: str) -> str:
    return f"1 {unit}" if number == 1 else f"{number} {unit}s"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _other_forms(isa: Isa, spec: InstructionSpec) -> list[InstructionSpec]:
    return [form for form in isa.forms(spec) if form is not spec]


def _form_lines(isa: Isa, forms: Sequence[InstructionSpec], most: int) -> Iterator[str]:
    """Yield forms with their slots and bounds, merging forms that differ only in the slot."""
    slots: dict[tuple[str, ...], list[str]] = {}
    for form in forms:
        bounds = (operand.type.bounds for operand in form.operands)
        slots.setdefault((f"`{form.syntax}`", *filter(None, bounds)), []).append(f"`{form.slot}`")
    for line, names in list(slots.items())[:most]:
        slots_text = f" (slot {' or '.join(names)})" if len(isa.slots) > 1 else ""
        yield f"- {line[0]}{slots_text}" + "".join(f", {bounds}" for bounds in line[1:])
    if len(slots) > most:
        yield f"- and {len(slots) - most} more"


def _encoding_lines(isa: Isa, spec: InstructionSpec) -> Iterator[str]:
    lines = encoding_lines(isa, spec)
    for number, line in enumerate(lines):
        place = f"as {_ORDINALS[number]}: " if 1 < len(lines) <= len(_ORDINALS) else ""
        yield f"- {place}`{line}`"


def _bit_ranges(slot: Slot, spec: InstructionSpec, low: int) -> list[str]:
    opcode = slot.fields[0]
    ranges = [(operand.low, operand.type.width, operand.name, "") for operand in spec.operands]
    if opcode.width < slot.width:
        ranges.append((opcode.low, opcode.width, "opcode", f" = {spec.opcode}"))
    parts = [
        f"{name} {_bits(low + start, width)}{value}"
        for start, width, name, value in sorted(ranges, reverse=True)
    ]
    if opcode.width == slot.width:
        digits = -(-slot.width // 4)
        parts.insert(0, f"fixed bits 0x{spec.opcode_bits:0{digits}x}")
    return parts


def _bits(low: int, width: int) -> str:
    return f"{low + width - 1}:{low}" if width > 1 else str(low)


def reference_link(isa: Isa, spec: InstructionSpec) -> str | None:
    """Return the place of an instruction in the reference as a `file:` URI with its line.

    Returns None if the page is not installed or does not have the instruction.
    """
    uri, lines = _page(isa.name)
    line = lines.get(heading_of(isa, spec))
    return None if line is None else f"{uri}#L{line}"


def heading_of(isa: Isa, spec: InstructionSpec) -> str:
    """Return the mnemonic, with the slot if it has forms in several."""
    slots = {form.slot for form in isa.forms(spec)}
    return f"`{spec.mnemonic}`" if len(slots) == 1 else f"`{spec.mnemonic}` in `{spec.slot}`"


@lru_cache(maxsize=16)
def _page(name: str) -> tuple[str, Mapping[str, int]]:
    """Return the URI of an instruction set's page, and the first line of each heading.

    There are no headings without the page.
    """
    path = Path(os.path.dirname(pages_folder()), "reference", f"{name}.md")
    found: dict[str, int] = {}
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return "", found
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("### "):
            found.setdefault(line.removeprefix("### "), number)
    return path.as_uri(), found


_MAX_SUGGESTIONS = 5
_SHORTEST_PART = 3
FOLDER = Path(pages_folder())
_INTRODUCTION = """\
# Rules

What `ipu-lint`, `ipu-as` and the language server report. A finding is selected, ignored and
suppressed by its code or its name; `ipu-lint --explain NAME` shows a page of this folder.
`--fix` applies safe fixes, `--fix --unsafe-fixes` the unsafe ones, too. A display fix is a
suggestion: it is shown and offered in editors, and no command applies it. A template (a file with
`{{`, `{%` or `{#`) is never edited, because what it says is only known when it has been expanded.

| Code | Name | Severity | Fix | What it reports |
|---|---|---|---|---|
"""


def pages() -> dict[str, str]:
    """Return the text of each page by file name."""
    rules = all_rules()
    rows = []
    for rule in rules:
        code, name, severity = rule.id
        fixes = [applicability.label for applicability in rule.fixes]
        link = f"[{name}]({name}.md)"
        rows.append(
            f"| {code} | {link} | {severity.label} | {', '.join(fixes)} | {rule.summary} |\n"
        )
    texts = {f"{rule.id.name}.md": rule_markdown(rule) + "\n" for rule in rules}
    return {"README.md": _INTRODUCTION + "".join(rows), **texts}


def write_pages(folder: Path = FOLDER) -> None:
    """Write all pages and remove those of rules that no longer exist."""
    texts = pages()
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("*.md"):
        if path.name not in texts:
            path.unlink()
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


def explain(query: str, isa: Isa) -> str | None:
    """Return the page of a rule, by code or name, or of an instruction, by mnemonic; else None."""
    for rule in all_rules():
        if query.upper() == rule.id.code or query.lower() == rule.id.name:
            return rule_markdown(rule)
    spec = _instruction(query, isa)
    return instruction_markdown(isa, spec) if spec is not None else None


def suggestions(query: str, isa: Isa) -> list[str]:
    """Return near matches for an unknown `query`: similar names, then names that contain it.

    Names that begin with it come before those that only contain it. Where there is none of either,
    names of rules with the same words are returned, and for a code those that begin alike.
    """
    rules = all_rules()
    codes, names = [rule.id.code for rule in rules], [rule.id.name for rule in rules]
    found = [Vocabulary(words).nearest(query) for words in (names, list(isa.instructions), codes)]
    near = [word for word in found if word is not None]
    if len(query) >= _SHORTEST_PART:
        part = query.lower()
        inside = [word for word in (*names, *isa.instructions) if part in word.lower()]
        near += sorted(inside, key=lambda word: not word.lower().startswith(part))
    return list(dict.fromkeys(near or near_rules(query) or near_codes(query)))[:_MAX_SUGGESTIONS]


def rule_markdown(rule: Rule) -> str:
    """Return the page of one rule, without a final line break."""
    summary, _, rest = rule.documentation.strip().partition("\n")
    code, name, severity = rule.id
    fixes = " or ".join(applicability.label for applicability in rule.fixes)
    fix = f"{fixes} fix" if fixes else "no fix"
    facts = f"`{code}` · {severity.label} · {fix}"
    return f"# {name}\n\n{facts}\n\n{summary}\n\n{rest.strip()}"


def _instruction(query: str, isa: Isa) -> InstructionSpec | None:
    spec = isa.spec(query)
    if spec is not None:
        return spec
    same = (spec for name, spec in isa.instructions.items() if name.lower() == query.lower())
    return next(same, None)


if __name__ == "__main__":
    write_pages()
