"""`ipu-as`: assemble programs to images, and disassemble images.

Errors prevent assembly and are printed. The warnings of `ipu-lint` are printed as well but change
nothing else: the image is written and the exit status is 0.
"""

from __future__ import annotations

import gc
import os
import sys
from argparse import Namespace
from typing import Callable, Final, Iterator, Mapping, Sequence

from ipu_asm.assembler.code_files import CodeFile, bytes_of_hex, code_of_bytes, read_code_file
from ipu_asm.assembler.code_text import NOT_WRITTEN
from ipu_asm.assembler.encode import (
    AssemblyError,
    UnencodableIsaError,
    disassemble,
    object_of,
    required_code,
    words_of,
)
from ipu_asm.assembler.images import (
    ELF,
    LISTING,
    MEM,
    ImageError,
    WrittenLines,
    code_image,
    decode_image,
    formats_of,
    guessed_format,
    listed_object,
    listed_words,
    listing_rows,
)
from ipu_asm.assembler.kernel import chosen_isa
from ipu_asm.assembler.machine_code import MachineCode, ObjectCode
from ipu_asm.cli.assembler import DOCS, PROGRAM, TEXTMATE, read_options
from ipu_asm.cli.console import ExitStatus, is_terminal, print_message, run_guarded, write_bytes
from ipu_asm.cli.programs import (
    check_output,
    configuration_of,
    in_one_context,
    read_source,
    show_findings,
    show_image_mistakes,
)
from ipu_asm.cli.sources import headers_of
from ipu_asm.config import ConfigurationError, Value
from ipu_asm.config.file_writing import Output, replace_file, replace_files
from ipu_asm.config.files import (
    STANDARD_INPUT,
    FileError,
    Target,
    file_error,
    is_code_file,
    read_bytes,
    read_text,
)
from ipu_asm.diagnostics import Severity
from ipu_asm.isa import DEFAULT_ISA, load_isa
from ipu_asm.isa.model import Isa
from ipu_asm.program.line_table import EffectiveProgram
from ipu_asm.source.expand import expand
from ipu_asm.source.expansion import Expansion, source_settings
from ipu_asm.source.source_map import MAIN
from ipu_asm.text import LineIndex, SourceFile, Span, counted

_PAGES: Final = (".html", ".htm")
_FORMATS: Final = {
    ".hex": "hex",
    ".mem": MEM,
    ".o": ELF,
    ".lst": LISTING,
    **dict.fromkeys(_PAGES, LISTING),
}
"""The format of an output file, by the extension of its name."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run `ipu-as` with `argv`, by default that of the process; return the exit status."""
    if argv is None:
        # As in `ipu-lint`: with the collector, 100,000 `#define`s take 1.4 times as long.
        gc.disable()
    return run_guarded(PROGRAM, lambda: _command(argv))


def _command(argv: Sequence[str] | None) -> int:
    options = read_options(argv)
    if options.command == DOCS:
        return _document(options)
    source = Target.of_argument(options.file)
    check_output(options.output, [source])
    try:
        return _COMMANDS[options.command](source, options)
    except ConfigurationError as error:
        for finding in error.findings:
            print_message(PROGRAM, str(finding))
        return ExitStatus.USAGE


def _assemble(source: Target, options: Namespace) -> int:
    text = read_text(source).text
    extension = os.path.splitext(options.output or "")[1].lower()
    image_format = options.format or _FORMATS.get(extension, "bin")
    isa, machine_code = _encodable_isa(text, source, options)
    _check_format(isa, machine_code, image_format, source.name)
    file = SourceFile(text, source.name)
    effective, warnings = read_source(isa, file, dict(options.defines), options.warnings)
    expansion = effective.expansion
    try:
        code = object_of(effective, file, is_final=image_format not in (ELF, LISTING))
    except AssemblyError as error:
        show_findings([*error.findings, *warnings], file, "nothing written", expansion)
        return ExitStatus.FINDINGS
    show_findings(warnings, file, "", expansion)
    if image_format in ("bin", ELF) and not options.output and is_terminal(sys.stdout):
        raise FileError("standard output is a terminal: name a file with -o, or --format hex")
    if image_format == LISTING:
        shown = _listing(effective, code, file, options.output)
    else:
        shown = code_image(code, isa, image_format)
    _write(shown, options.output)
    return ExitStatus.OK


def _listing(
    effective: EffectiveProgram, code: ObjectCode, file: SourceFile, output: str | None
) -> bytes:
    program, expansion = effective.program, effective.expansion
    written = WrittenLines(expansion, file) if expansion else None
    if program.isa.has_words:
        listed = listed_words(program, words_of(code, program.isa))
        labels = program.label_addresses
    else:
        listed = listed_object(code)
        labels = {symbol.name: symbol.value for symbol in code.symbols if symbol.section}
    rows = listing_rows(program, listed, file.path, written)
    if not str(output).endswith(_PAGES):
        return "".join(f"{row.text}\n" for row in rows).encode("utf-8", "replace")
    from ipu_asm.reports.html_page import listing_page  # most listings are text

    return listing_page(rows, file.path, labels).encode("utf-8", "replace")


def _check_format(isa: Isa, code: MachineCode, image_format: str, name: str) -> None:
    """Raise `FileError` for a format that the instruction set does not have."""
    *formats, last = formats_of(code)
    if image_format not in (*formats, last):
        others = f"{', '.join(formats)} or {last}"
        raise FileError(
            f"programs for `{isa.name}` have no format {image_format}: use {others}", name
        )


def _expand(source: Target, options: Namespace) -> int:
    text = read_text(source).text
    isa, _ = chosen_isa(text, source.name, options.isa)
    file = SourceFile(text, source.name)
    expansion = expansion_of(isa, file, dict(options.defines))
    findings = expansion.findings if expansion else ()
    if any(finding.severity is Severity.ERROR for finding in findings):
        show_findings(findings, file, "nothing written", expansion)
        return ExitStatus.FINDINGS
    show_findings(findings, file, "", expansion)
    check_output(options.output, [Target(path) for path in (expansion.files if expansion else ())])
    shown = expansion.text if expansion else text
    if options.map:
        shown = "".join(f"{line}\n" for line in line_map(file, expansion))
    _write(shown.encode("utf-8", "surrogateescape"), options.output)
    return ExitStatus.OK


def _disassemble(source: Target, options: Namespace) -> int:
    image = read_bytes(source)
    if options.format is None and is_code_file(image):
        file = read_code_file(image, source.name, options.isa)
        return _write_code(file, source, options, has_labels=False)
    image_format = options.format or guessed_format(image)
    text = "" if image_format == "bin" else image.decode("utf-8", "replace")
    isa, machine_code = _encodable_isa(text, source, options)
    if machine_code.has_objects:
        data = image if image_format == "bin" else bytes_of_hex(text, source.name)
        file = CodeFile(isa, machine_code, code_of_bytes(data, options.address))
        return _write_code(file, source, options, has_labels=not options.address)
    if options.annotate or options.address:
        name = "--annotate" if options.annotate else "--address"
        raise FileError(f"`{isa.name}` has words of one size, which have no {name}", source.name)
    try:
        words = decode_image(image, isa, image_format)
    except ImageError as error:
        show_image_mistakes(PROGRAM, source.name, error)
        return ExitStatus.FINDINGS
    text = disassemble(words, isa)
    # The disassembler adds a comment only to a word that assembly cannot express.
    lossy = sum(isa.surface.comments[0] in line for line in text.splitlines())
    if lossy:
        message = f"{counted(lossy, 'bundle')} cannot be assembled again: see the comments"
        print_message(PROGRAM, f"{source.name}: {message}", "note")
    _write(text.encode(), options.output)
    return ExitStatus.OK


def _write_code(file: CodeFile, source: Target, options: Namespace, *, has_labels: bool) -> int:
    lines = file.lines(has_labels=has_labels)
    if options.annotate:
        from ipu_asm.analysis.annotated_code import annotated  # runs all rules

        text = annotated(file, lines, source.name)
    else:
        text = "".join(f"{line.text}\n" for line in lines)
    lost = sum(NOT_WRITTEN in line.text for line in lines)
    if lost:
        message = f"{lost} of its names and relocations cannot be written: see the comments"
        print_message(PROGRAM, f"{source.name}: {message}", "note")
    _write(text.encode("utf-8", "replace"), options.output)
    return ExitStatus.OK


def _encodable_isa(text: str, source: Target, options: Namespace) -> tuple[Isa, MachineCode]:
    """Return the instruction set of a file, and its encoding. Raises `FileError` without one."""
    isa, origin = chosen_isa(text, source.name, options.isa)
    try:
        return isa, required_code(isa)
    except UnencodableIsaError as error:
        raise FileError(str(error), origin) from error


def _write(data: bytes, path: str | None) -> None:
    if path is None or path == STANDARD_INPUT:
        write_bytes(data)
    else:
        replace_file(path, data)


def _document(options: Namespace) -> int:
    isa = load_isa(options.isa or DEFAULT_ISA)
    files = _documents(isa, options.format)
    if options.format and options.format not in files:
        raise FileError(
            "the encoding of this instruction set is unknown, so there is no picture of a word",
            isa.name,
        )
    if options.output is None:
        write_bytes(files[options.format or "md"][1].encode())
        return ExitStatus.OK
    # The Markdown page refers to the picture, so both are written.
    together = {None: tuple(files), "md": ("md", "svg")}.get(options.format, (options.format,))
    wanted = [kind for kind in together if kind in files]
    try:
        os.makedirs(options.output, exist_ok=True)
    except (OSError, ValueError) as error:
        raise file_error(options.output, error) from error
    except RecursionError:
        raise FileError("too many folders in one another", options.output) from None
    replace_files(
        [
            Output(os.path.join(options.output, name), text.encode())
            for name, text in (files[kind] for kind in wanted)
        ]
    )
    return ExitStatus.OK


def _documents(isa: Isa, wanted: str | None) -> dict[str, tuple[str, str]]:
    """Return file names and texts by format.

    The TextMate grammar is no part of the reference and only returned if `wanted`.
    """
    if wanted == TEXTMATE:
        from ipu_asm.reports.grammars import textmate_file

        return {wanted: textmate_file(isa)}
    from ipu_asm.reports.reference import reference_files

    return reference_files(isa)


_COMMANDS: Mapping[str, Callable[[Target, Namespace], int]] = {
    "assemble": _assemble,
    "expand": _expand,
    "disassemble": _disassemble,
}


def expansion_of(isa: Isa, source: SourceFile, defines: Mapping[str, Value]) -> Expansion | None:
    """Return the expansion of a source; None if the assembler reads it as it is.

    Raises `FileError` if there are several, and `ConfigurationError`.
    """
    configuration = configuration_of(source.path, is_needed=True)
    settings = source_settings(source.path, configuration, defines)
    expansions = expand(isa.surface, source.text, source.path, settings)
    in_one_context(expansions, source)
    return expansions[0] if expansions else None


def line_map(source: SourceFile, expansion: Expansion | None) -> Iterator[str]:
    """Yield a JSON object for each line of an expansion: where its first character was written.

    Blanks at the beginning of a line do not count. Rows, columns and lines are 1-based.
    """
    import json  # 4 ms, for this command alone

    files = {**headers_of([expansion] if expansion else ()), MAIN: source}
    text = expansion.text if expansion else source.text
    lines = LineIndex.of(text)
    for number in range(len(lines.starts)):
        span = lines.line_span(number)
        if span.start == span.end:  # after the last line break
            continue
        place = _written(expansion, _first_code(text, span))
        if place is not None:
            path, offset = place
            row, column = files[path].lines.position(offset)
            line = {"line": number + 1, "file": files[path].path, "row": row + 1}
            yield json.dumps({**line, "column": column + 1}, ensure_ascii=False)


def _first_code(text: str, line: Span) -> int:
    blanks = len(text[line.start : line.end]) - len(text[line.start : line.end].lstrip())
    return line.start if line.start + blanks == line.end else line.start + blanks


def _written(expansion: Expansion | None, offset: int) -> tuple[str, int] | None:
    if expansion is None:
        return MAIN, offset
    place = expansion.source_map.written(Span(offset, offset + 1))
    return None if place is None else (place.path, place.span.start)
