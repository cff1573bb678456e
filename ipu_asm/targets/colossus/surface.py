"""Surface of Colossus assembly: directives, and advice about syntax of other assemblers."""

from __future__ import annotations

from typing import Mapping

from ipu_asm.diagnostics import Severity
from ipu_asm.isa.directives import COMMON, SYMBOL_DIRECTIVES
from ipu_asm.isa.surface import ForeignMnemonic, ForeignSyntax, SeverityDirective, Surface, by_name
from ipu_asm.targets.colossus.manifest import MANIFEST
from ipu_asm.targets.colossus.operands import LOCAL_PREFIX
from ipu_asm.targets.colossus.registers import ALIASES, CSR_MODES

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
