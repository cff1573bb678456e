"""Detection of files written for another assembler, which have the extension `.s`, too.

A folder may contain start-up code for a host processor. If nothing says which instruction set such
a file is for, it gets one hint instead of an error on every line.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ipu_asm.diagnostics import Diagnostic, RuleId, Severity
from ipu_asm.isa import DEFAULT_ISA, load_isa, manifests
from ipu_asm.text import Span

FOREIGN_ASSEMBLY = RuleId("H102", "foreign-assembly", Severity.HINT)

_SEARCHED = 100_000
_LONGEST_SHOWN = 40
_FIRST_LINE = re.compile(r"\ufeff?([^\r\n]*)")
_DIRECTIVES = (
    "text data bss r?o?data section pushsection popsection globa?l weak hidden local type size"
    " ident file loc cfi_[a-z_]+ p2align b?align asciz ascii string [248]?byte short hword word"
    " long int quad d?xword zero skip space fill equ set arch cpu fpu option attribute"
    " eabi_attribute syntax thumb thumb_func arm code code(?:16|32|64) intel_syntax att_syntax"
    " macro endm rept endr include incbin l?comm build_version subsections_via_symbols org"
).replace(" ", "|")
_X86 = r"[er](?:[abcd]x|[sd]i|[sb]p)|r(?:8|9|1[0-5])[dwb]?|[xyz]mm\d+"
_ARM = r"(?:r\d+|sp|lr|fp|ip|pc)"
# None of these fits one of our grammars. Compiled at the first use, which a file with a `;;` never
# needs: a fortieth of a run on a small file.
_SIGNS = rf"""(?mx)^\ufeff?(?:[ \t]*[\w.$]+:)?[ \t]*(?:
      \.(?:{_DIRECTIVES})(?![\w.]|[ \t]*:)                            # GNU as
    | [a-z]\w*[ \t]+(?:[^#;/%\r\n]*,)?[^#;/%,\r\n]*%(?:{_X86}|[er]?ip|[abcd][hl]|[c-gs]s)\b
    | [a-z]{{2,7}}[ \t]+(?:[^#;/%,\r\n]*,)?[ \t]*(?:{_X86})\b         # Intel's way to write x86
    | section[ \t]+\.\w+ | bits[ \t]+(?:16|32|64)\b
    | [a-z][a-z0-9.]*[ \t]+(?:[xw](?:[12]?\d|30|zr)|v\d+\.\d*[bhsd])[ \t]*,   # ARM, 64 bits
    | (?:v?push|v?pop|ldm[a-z]*|stm[a-z]*)[ \t]+(?:\w+!?,[ \t]*)?\{{          # ARM, 32 bits
    | (?:mov|ldr|str|add|sub|cmp)[a-z]*[ \t]+{_ARM}[ \t]*,[ \t]*(?:[#=\[]|{_ARM}\b)
    | bx[ \t]+lr\b
    | [a-z][a-z0-9.]*[ \t]+\$?(?:zero|ra|sp|gp|tp|fp|f?[astv]\d+)[ \t]*,      # RISC-V, MIPS
    )"""


def foreign_assembly(text: str) -> Diagnostic | None:
    """Return the hint about a text for another assembler; None for every other text.

    Call it only for texts whose instruction set is not given by a comment or configuration.
    """
    if ";;" in text:
        return None
    sign = re.search(_SIGNS, text[:_SEARCHED])
    if sign is None or _ours().search(text):
        return None
    shown = sign[0].strip()
    if len(shown) > _LONGEST_SHOWN:
        shown = f"{shown[:_LONGEST_SHOWN]}..."
    message = (
        f"this looks like a file for another assembler and is left alone, found `{shown}`; to have "
        f"it read, write `# isa: {DEFAULT_ISA}` in its first ten lines or set `isa` in `ipu.toml`"
    )
    line = _FIRST_LINE.match(text)
    return Diagnostic(FOREIGN_ASSEMBLY, message, Span(*line.span(1)) if line else Span(0, 0))


@lru_cache(maxsize=1)
def _ours() -> re.Pattern[str]:
    """Return the expression for names that only our instruction sets have, as whole words.

    Registers such as `r0`, which other assemblers have as well, are left out.
    """
    names: set[str] = set()
    encodable = [name for name, manifest in manifests().items() if manifest.is_encodable]
    for isa in map(load_isa, encodable):
        names.update(re.escape(name) for name in isa.instructions if re.search("[_.]", name))
        for register in isa.file_of_register:
            if not re.fullmatch(r"[a-z]\d+", register):
                names.add(re.sub(r"\d+", r"\\d+", re.escape(register)))
    longest_first = sorted(names, key=len, reverse=True)
    return re.compile(rf"(?<![\w.%$])(?:{'|'.join(longest_first)})(?![\w.])", re.IGNORECASE)
