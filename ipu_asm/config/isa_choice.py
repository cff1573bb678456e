"""The choice of the instruction set of a file that `--isa` does not name.

A folder may contain start-up code for a host processor, with the extension `.s`, too. If nothing
names the set of such a file, it gets one hint instead of an error on every line.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache

from ipu_asm.config import Configuration
from ipu_asm.config.configuration_file import Configurations
from ipu_asm.diagnostics import Diagnostic, RuleId, Severity
from ipu_asm.isa import DEFAULT_ISA, load_isa, manifests
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import Span

UNCLAIMED = ""
"""As `otherwise`: the result for a file whose instruction set nothing tells."""

_FIRST_LINES = re.compile(r"(?:[^\r\n]*(?:\r\n?|\n)){0,9}[^\r\n]*")
_COMMENT = re.compile(r"(?:\{#-|#|//|;|/\*)[ \t]*isa:[ \t]*([\w-]+)([^\r\n]*)")
_COMMENT_END = re.compile(r"\*/|-?#\}")


class IsaChoice(NamedTuple):
    """The name of an instruction set, which may be unknown, and the place that names it.

    `is_explicit`: the file itself or the user's command names it.
    """

    name: str
    origin: str
    is_explicit: bool = False


class IsaChooser:
    """Chooses the instruction sets of files, each with its nearest configuration."""

    def __init__(
        self, asked: str | None = None, configurations: Configurations | None = None
    ) -> None:
        """`asked` is the set that the user names for all files."""
        self.asked = asked
        self.configurations = configurations or Configurations()

    def choose(self, text: str, path: str) -> IsaChoice:
        """Return the set of one file. Raises `ConfigurationError` for a broken configuration."""
        configuration = None
        if self.asked is None:
            folder = os.path.dirname(os.path.abspath(path))
            configuration = self.configurations.nearest(folder)
        return choose_isa(text, path, self.asked, configuration)


def choose_isa(
    text: str,
    path: str,
    asked: str | None = None,
    configuration: Configuration | None = None,
    otherwise: str = DEFAULT_ISA,
) -> IsaChoice:
    """Return the set that the user asks for; else that of a comment in the first ten lines, of the
    configuration, or of the file extension, in this order; else `otherwise`.
    """
    if asked is not None:
        return IsaChoice(asked, "--isa", True)
    return (
        _from_comment(text, path)
        or _from_configuration(path, configuration)
        or _from_extension(path)
        or IsaChoice(otherwise, path)
    )


def _from_comment(text: str, path: str) -> IsaChoice | None:
    """Return the set of a comment `isa: NAME`; with text after an unknown name it is prose."""
    match = _FIRST_LINES.match(text)
    head = match[0] if match else ""
    if "isa:" not in head:
        return None
    for comment in _COMMENT.finditer(head):
        name, rest = comment[1], _COMMENT_END.sub("", comment[2]).strip()
        if name in manifests() or not rest:
            line = len(re.findall(r"\r\n?|\n", head[: comment.start()])) + 1
            return IsaChoice(name, f"{path}:{line}", True)
    return None


def _from_configuration(path: str, configuration: Configuration | None) -> IsaChoice | None:
    if configuration is None:
        return None
    if configuration.isa_by_glob:
        from ipu_asm.config.globs import path_matches
    for glob, name in configuration.isa_by_glob:
        if path_matches(glob, path, configuration.folder):
            return IsaChoice(name, configuration.path)
    return IsaChoice(configuration.isa, configuration.path) if configuration.isa else None


def _from_extension(path: str) -> IsaChoice | None:
    extension = os.path.splitext(path)[1]
    for name, manifest in manifests().items():
        if extension in manifest.extensions:
            return IsaChoice(name, path)
    return None


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
