"""What the descriptions of all IPUs share: their syntax, advice, and a notation of instructions.

An instruction is one block:

    mult.ve.cr {cyclic_offset} {mask_offset} {cr_idx:CrIdx}
        Title | Summary in sentences,
        over several lines. {FAULT}
        cr_idx: Register whose low byte is the scalar (cr0-cr15)
        = mult_res[i] = ...
        > mult.ve.cr lr0 lr15 cr3;
        > acc;;
        - reads r_cyclic, old r_acc; writes mult_res; requires cr15 in 0..2

An operand is ``{name:Type}`` where the method receives its number; ``@live`` or ``@old`` after the
type is the time at which its register is read instead, before the bundle for `old`. Its line
below says what it is. ``{name}`` alone is an operand that several instructions share. A fact is a
key of the entry; what a fact `reads` names is live unless `old` stands before it. The rest is as
`isa/notations.py` says.

`entries` returns the entries that "Adding Instructions" describes; an entry may as well be written
in that form, and added to its slot.
"""

from __future__ import annotations

import re
from functools import wraps
from typing import Any, Callable, Mapping

from ipu_asm.isa.model import InstructionDoc, Isa
from ipu_asm.isa.notations import Block, blocks, raw_blocks
from ipu_asm.isa.operands import KeywordType, LabelType
from ipu_asm.isa.storage import RegisterFile
from ipu_asm.isa.surface import ForeignMnemonic, Surface, by_name
from ipu_asm.targets.ipu_family import LANGUAGE_ID

LOOP = RegisterFile(
    "lr",
    "loop register",
    tuple(f"lr{number}" for number in range(16)),
    "32 bits: counters, addresses and indices; written by the lr slot only",
)

CONFIG_REGISTERS = tuple(f"cr{number}" for number in range(16))
IMMEDIATE_BOUNDS = (-(1 << 15), (1 << 16) - 1)
LABEL = LabelType("Label", 10)

VERTICAL_STRIDE = KeywordType(
    "VerticalStride",
    2,
    "vertical stride",
    {"off": "every row", "on": "rows 0, 2, 4, ...", "on_inv": "rows 1, 3, 5, ..."},
    reserved="reserved",
)

_COMMENTS = "comments run from `#` or `//` to the end of the line"
_EXPRESSIONS = "there are no expressions: write the number or the register itself"

_CONSTANTS = (
    "there are no named constants: write the number itself, or name it in a template, with "
    "`{% set N = 128 %}` at the top and `{{ N }}` where it is used"
)

_NAMING = (".equ", ".equiv", ".eqv", ".set", ".define", ".xdefine", ".assign", ".const")
_BRACES = "a bundle ends with `;;` and has no braces around it"

SURFACE = Surface(
    grammar="ipu",
    language_id=LANGUAGE_ID,
    word_pattern=r"(?<![\p{L}0-9_.])[+-]?[\p{L}0-9_][\p{L}0-9_.]*",
    comments=("#", "//"),
    bundle_end=";;",
    templates=True,
    separator=";",
    hints={
        ",": "operands are separated by blanks, not commas",
        "operand =": "operands are separated by blanks, without `=`",
        "/*": f"{_COMMENTS}; there are no block comments",
        "*/": f"{_COMMENTS}; there are no block comments",
        ";": f"{_COMMENTS}; `;` separates instructions",
        "directive": "there are no directives: a source has bundles, labels and comments",
        **dict.fromkeys((*_NAMING, "="), _CONSTANTS),
        **dict.fromkeys(["(", "*", "/", "&", "|", "^", "~", "<", ">", "!", "=="], _EXPRESSIONS),
        **dict.fromkeys("{}", _BRACES),
        '"': "there are no strings",
        "'": "there are no characters in quotes: write the number itself",
        "\r": "a carriage return ends a line only together with a newline",
        "\f": "only blanks, tabs and newlines separate",
        "\ufeff": "a byte-order mark may stand only at the very start of a file",
        "+": "a sign belongs to the number that follows it, without a blank",
        "-": "a sign belongs to the number that follows it, without a blank",
        ".": "a name begins with a letter, a digit or `_`",
        "[": "registers and addresses are written without brackets",
    },
)
"""The surface of a set without its mnemonics: `SURFACE._replace(foreign=...)`."""


def common_mnemonics(uses_capitals: bool = False) -> dict[str, ForeignMnemonic]:
    """Return the foreign mnemonics about which all IPUs give the same advice.

    With `uses_capitals`, mnemonics in it are written in capitals.
    """

    def name(mnemonic: str) -> str:
        return mnemonic.upper() if uses_capitals else mnemonic

    halt, branch, indirect = name("bkpt"), name("b"), name("br")
    return by_name(
        {
            "jmp jump j bra goto": ForeignMnemonic(
                f"`{branch}` goes to a label, `{indirect}` to the address in a loop register",
                (indirect, branch),
            ),
            "call jal bl": ForeignMnemonic(f"there are no calls; `{branch}` goes to a label"),
            "ret": ForeignMnemonic(f"there are no calls to return from; `{halt}` ends a program"),
            "halt hlt stop exit": ForeignMnemonic(f"`{halt}` ends a program", (halt,)),
            "bltu bgtu bgeu bleu": ForeignMnemonic(
                f"`{name('blt')}` compares signed numbers, and no branch compares unsigned ones"
            ),
            "acc.min acc.min.first": ForeignMnemonic(
                f"the accumulator keeps sums and maxima (`{name('acc.max')}`), no minima"
            ),
        }
    )


def reloaded_on_change(
    table: Mapping[str, Mapping[str, Any]],
) -> Callable[[Callable[[], Isa]], Callable[[], Isa]]:
    """Cache the instruction set that a function builds until entries of its table change."""

    def decorate(build: Callable[[], Isa]) -> Callable[[], Isa]:
        loaded: dict[Any, Isa] = {}

        @wraps(build)
        def load() -> Isa:
            fingerprint = tuple(
                (slot, *entries, *map(id, entries.values())) for slot, entries in table.items()
            )
            if fingerprint not in loaded:
                loaded.clear()
                loaded[fingerprint] = build()
            return loaded[fingerprint]

        return load

    return decorate


Entry = dict[str, Any]

_OPERAND = re.compile(r"\{(\w+)(?::(\w+)(?:@(live|old))?)?\}")
_TIMES = {"live": "live", "old": "snapshot"}
_LISTS = ("accesses", "windows", "requires", "traits", "writes")

_SHARED = """\
{vertical_stride:VerticalStride} Rows to keep: off all, on even, on_inv odd ones
{label:Label} A label, or +N or -N bundles from this one; must lie in 0 to 1023
{STOPS} Stops a debugger in front of this bundle, before any of its slots has run; resuming runs the
    bundle without asking again. A run without a debugger ignores it at no cost in cycles.
{STOPS_IF} Stops a debugger in front of this bundle if a loop register holds a given number,
    compared before this bundle's lr instructions run. The number counts as unsigned, so a negative
    one never matches a register that holds a small negative value.
{STOPPED} Register to test, all 32 bits (lr0-lr15), value from before the bundle
{STOP_VALUE} Number to wait for, 16 bits, read as 0 to 65535 (-1 means 65535)
{PRODUCTS} The products are this bundle's, or those of the last mult instruction if it has none.
{OLD_VALUES} It compares the values from before the bundle
{ENDS} Ends the program, always and with or without a debugger; the other slots of the bundle still
    run. To stop in a debugger and go on, use
"""


class Notation:
    """Reads blocks; `shared` has operands and texts of several blocks, ``{name...} text`` each."""

    def __init__(self, shared: str) -> None:
        self._texts: dict[str, str] = {}
        self._operands: dict[str, tuple[re.Match[str], str]] = {}
        for block in (*raw_blocks(_SHARED), *raw_blocks(shared)):
            head, _, text = " ".join(map(str.strip, block)).partition("} ")
            operand = _OPERAND.fullmatch(f"{head}}}")
            if operand is None or operand[2] is None:
                self._texts[head[1:]] = text
            else:
                self._operands[operand[1]] = operand, text

    def entries(self, table: str) -> dict[str, Entry]:
        """Return the entries of a slot by mnemonic. Raises ValueError for an invalid block."""
        entries: dict[str, Entry] = {}
        for block in blocks(table, self._texts):
            mnemonic, entry = self._entry(block)
            if mnemonic in entries:
                raise ValueError(f"{mnemonic}: two blocks of the slot begin with this mnemonic")
            entries[mnemonic] = entry
        return entries

    def pseudo_entries(self, table: str) -> dict[str, Entry]:
        """Return the entries of pseudo-instructions, which have the fact `becomes`."""
        entries = self.entries(table)
        for entry in entries.values():
            entry["operands"] = [operand["name"] for operand in entry["operands"]]
            del entry["execute_fn"]
        return entries

    def _entry(self, block: Block) -> tuple[str, Entry]:
        mnemonic, _, form = block.head.partition(" ")
        matches = list(_OPERAND.finditer(form))
        if " ".join(match[0] for match in matches) != form:
            raise ValueError(f"{mnemonic}: operands are `{{name:Type@time}}`, found `{form}`")
        names = [match[1] for match in matches]
        title, summary, texts = block.texts(names)
        operands = [self._operand(match, texts) for match in matches]
        missing = [name for name in names if name not in texts]
        if missing:
            raise ValueError(f"{mnemonic}: a line `{missing[0]}: text` is missing")
        idle = ["nothing changes"] if "nop" in block.facts else []
        entry: Entry = {
            "operands": operands,
            "doc": InstructionDoc(
                title=title,
                summary=summary,
                syntax=" ".join((mnemonic, *names)),
                operands=[f"{name}: {texts[name]}" for name in names] or (),
                operation="\n".join(block.operation or idle),
                example="\n".join(block.example) or f"{mnemonic};;",
            ),
            "execute_fn": f"execute_{mnemonic.lower().replace('.', '_')}",
        }
        for fact in block.facts:
            _add(entry, *fact.split(" ", 1))
        return mnemonic, entry

    def _operand(self, match: re.Match[str], texts: dict[str, str]) -> Entry:
        name = match[1]
        if match[2] is None:
            if name not in self._operands:
                raise ValueError(f"`{match[0]}` is no shared operand; write `{{{name}:Type}}`")
            match, text = self._operands[name]
            texts.setdefault(name, text)
        operand = {"name": name, "type": match[2]}
        return operand | {"read": _TIMES[match[3]]} if match[3] else operand


def _add(entry: Entry, key: str, value: str = "") -> None:
    if key == "nop":
        entry[key] = True
    elif key == "writes":
        entry[key] = value.split(", ")
    elif key in _LISTS:
        entry.setdefault(key, []).append(value)
    elif key == "reads":
        entry[key] = _reads(value)
    elif key == "computes":
        operand, _, term = value.partition(" = ")
        entry[key] = {operand: term}
    elif key == "idle":
        operand, _, number = value.partition(" ")
        entry[key] = {operand: int(number)}
    elif key == "advice":
        name, _, advice = value.partition(": ")
        next(each for each in entry["operands"] if each["name"] == name)["advice"] = advice
    elif key == "register_reads":
        operand, file, reads = value.split(" ", 2)
        entry[key] = {operand: {file: _reads(reads)}}
    else:
        entry[key] = value


def _reads(text: str) -> dict[str, str]:
    """Return state with the time at which it is read: ``old r_acc, mult_res``."""
    states = (state.rpartition(" ") for state in text.split(", "))
    return {name: "snapshot" if time else "live" for time, _, name in states}
