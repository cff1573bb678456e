"""`ipu-as`: assemble programs to images, and disassemble images.

Errors prevent assembly and are printed. The warnings of `ipu-lint` are printed as well but change
nothing else: the image is written and the exit status is 0.
"""

from __future__ import annotations

import os
import sys
from argparse import SUPPRESS, Namespace
from typing import Callable, Mapping, Sequence

from ipu_asm import __version__
from ipu_asm.assembler.disassembly import text_of
from ipu_asm.assembler.encode import (
    AssemblyError,
    UnencodableIsaError,
    encode_effective,
    require_words,
)
from ipu_asm.assembler.images import (
    FORMATS,
    ImageError,
    decode_image,
    encode_image,
    guessed_format,
    listing_of,
)
from ipu_asm.assembler.kernel import chosen_isa
from ipu_asm.assembler.listing import WrittenLines
from ipu_asm.cli.arguments import (
    ArgumentParser,
    add_define_option,
    add_isa_option,
    add_warnings_option,
)
from ipu_asm.cli.console import (
    ExitStatus,
    is_terminal,
    print_message,
    run_guarded,
    write_bytes,
)
from ipu_asm.cli.programs import read_source, show_findings, show_image_mistakes
from ipu_asm.config.configuration import ConfigurationError
from ipu_asm.config.file_writing import replace_file
from ipu_asm.config.files import (
    STANDARD_INPUT,
    FileError,
    Target,
    counted,
    file_error,
    input_at,
    read_bytes,
    read_text,
)
from ipu_asm.diagnostics import Severity
from ipu_asm.isa import load_isa
from ipu_asm.isa.model import Isa
from ipu_asm.text import SourceFile

PROGRAM = "ipu-as"
LISTING = "listing"

_EXAMPLES = """\
examples:
  ipu-as assemble -o kernel.bin kernel.s
  ipu-as assemble --format listing kernel.s | less
  ipu-as assemble --define cols=4 -o kernel.bin kernel.asm
  ipu-as expand --define cols=4 kernel.asm
  echo "acc.first;;" | ipu-as assemble --format hex -
  ipu-as disassemble kernel.bin

exit status: 0 success, 1 errors in the file (all are shown, nothing is written), 2 wrong usage
"""
_FORMATS = """\
formats:
  bin      the words in binary, little-endian, each padded to a multiple of 32 bits
  hex      one padded word a line, in hexadecimal
  mem      one word a line, in hexadecimal, without padding
"""
_LISTING = "  listing  address, word and source side by side; ipu-run reads it, too\n"
_DOCS_FORMATS = """\
formats:
  md        the reference in Markdown; with -o, also the picture that it shows
  html      the reference as one self-contained page
  svg       a picture of the bundle layout: the bits of each slot and field
  textmate  a TextMate grammar: syntax highlighting for editors and web pages

Without --format: md, html and svg with -o, else md.
"""
_GUESS = "\nWithout --format, a text file is read as hex or mem, and any other file as bin.\n"


def main(argv: Sequence[str] | None = None) -> int:
    """Run `ipu-as` with `argv`, by default that of the process; return the exit status."""
    return run_guarded(PROGRAM, lambda: _command(argv))


def _command(argv: Sequence[str] | None) -> int:
    options = _read_options(argv)
    if options.command == _DOCS:
        return _document(options)
    source = Target.of_argument(options.file or options.input)
    _check_output(options.output, [source])
    try:
        return _COMMANDS[options.command](source, options)
    except ConfigurationError as error:
        for finding in error.findings:
            print_message(PROGRAM, str(finding))
        return ExitStatus.USAGE


def _assemble(source: Target, options: Namespace) -> int:
    text = read_text(source).text
    isa = _encodable_isa(text, source, options)
    file = SourceFile(text, source.name)
    effective, warnings = read_source(isa, file, dict(options.defines), options.warnings)
    expansion = effective.expansion
    try:
        words = encode_effective(effective)
    except AssemblyError as error:
        show_findings([*error.findings, *warnings], file, "nothing written", expansion)
        return ExitStatus.FINDINGS
    show_findings(warnings, file, "", expansion)
    if options.format == LISTING:
        written = WrittenLines(expansion, file) if expansion else None
        listing = listing_of(effective.program, words, source.name, written)
        _write(listing.encode("utf-8", "replace"), options.output)
        return ExitStatus.OK
    if options.format == "bin" and not options.output and is_terminal(sys.stdout):
        raise FileError("standard output is a terminal: name a file with -o, or --format hex")
    _write(encode_image(words, isa, options.format), options.output)
    return ExitStatus.OK


def _expand(source: Target, options: Namespace) -> int:
    from ipu_asm.cli.assembler.expand import expansion_of, line_map  # for this command alone

    text = read_text(source).text
    isa, _ = chosen_isa(text, source.name, options.isa)
    file = SourceFile(text, source.name)
    expansion = expansion_of(isa, file, dict(options.defines))
    findings = expansion.findings if expansion else ()
    if any(finding.severity is Severity.ERROR for finding in findings):
        show_findings(findings, file, "nothing written", expansion)
        return ExitStatus.FINDINGS
    show_findings(findings, file, "", expansion)
    _check_output(options.output, [Target(path) for path in (expansion.files if expansion else ())])
    shown = expansion.text if expansion else text
    if options.map:
        shown = "".join(f"{line}\n" for line in line_map(file, expansion))
    _write(shown.encode("utf-8", "surrogateescape"), options.output)
    return ExitStatus.OK


def _disassemble(source: Target, options: Namespace) -> int:
    image = read_bytes(source)
    image_format = options.format or guessed_format(image)
    text = "" if image_format == "bin" else image.decode("utf-8", "replace")
    isa = _encodable_isa(text, source, options)
    try:
        words = decode_image(image, isa, image_format)
    except ImageError as error:
        show_image_mistakes(PROGRAM, source.name, error)
        return ExitStatus.FINDINGS
    text = text_of(words, isa)
    # The disassembler adds a comment only to a word that assembly cannot express.
    lossy = sum(isa.surface.comments[0] in line for line in text.splitlines())
    if lossy:
        message = f"{counted(lossy, 'bundle')} cannot be assembled again: see the comments"
        print_message(PROGRAM, f"{source.name}: {message}", "note")
    _write(text.encode(), options.output)
    return ExitStatus.OK


def _encodable_isa(text: str, source: Target, options: Namespace) -> Isa:
    """Return the instruction set of a file. Raises `FileError` if it has no encoding."""
    isa, origin = chosen_isa(text, source.name, options.isa)
    try:
        require_words(isa)
    except UnencodableIsaError as error:
        raise FileError(str(error), origin) from error
    return isa


def _check_output(path: str | None, inputs: Sequence[Target]) -> None:
    """Raise `FileError` if the output is one of the inputs."""
    found = None if path is None else input_at(path, inputs)
    if found is not None:
        raise FileError(f"would replace the input `{found.name}`", f"--output {path}")


def _write(data: bytes, path: str | None) -> None:
    if path is None or path == STANDARD_INPUT:
        write_bytes(data)
    else:
        replace_file(path, data)


def _document(options: Namespace) -> int:
    isa = load_isa(options.isa or "ipu")
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
    except OSError as error:
        raise file_error(options.output, error) from error
    for kind in wanted:
        name, text = files[kind]
        replace_file(os.path.join(options.output, name), text.encode())
    return ExitStatus.OK


def _documents(isa: Isa, wanted: str | None) -> dict[str, tuple[str, str]]:
    """Return file names and texts by format.

    The TextMate grammar is no part of the reference and only returned if `wanted`.
    """
    if wanted == _TEXTMATE:
        from ipu_asm.reports.textmate import textmate_file

        return {wanted: textmate_file(isa)}
    from ipu_asm.reports.reference import reference_files

    return reference_files(isa)


_COMMANDS: Mapping[str, Callable[[Target, Namespace], int]] = {
    "assemble": _assemble,
    "expand": _expand,
    "disassemble": _disassemble,
}
_DOCS = "docs"
_TEXTMATE = "textmate"


def _read_options(argv: Sequence[str] | None) -> Namespace:
    """Return the options of a command line. Exits the process for `--help` and for wrong usage."""
    parser = _parser()
    options = parser.parse(argv)
    if options.command is None:
        commands = ", ".join(_COMMANDS)
        parser.error(f"expected a command, {commands} or {_DOCS}, found none")
    if options.command == _DOCS:
        return options
    if (options.file is None) == (options.input is None):
        parser.error(f"{options.command}: expected one FILE, or `-` for standard input")
    return options


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog=PROGRAM,
        description="Assemble programs, disassemble images, and write the instruction reference.",
        epilog=_EXAMPLES,
    )
    add_isa_option(parser)
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    assemble = commands.add_parser(
        "assemble", help="assemble a program to an image", epilog=_FORMATS + _LISTING
    )
    assemble.add_argument(
        "--format",
        choices=(*FORMATS, LISTING),
        default="bin",
        help="the image format (default: bin)",
    )
    add_define_option(assemble)
    add_warnings_option(assemble)
    _add_files(assemble, "the program")
    expand = commands.add_parser(
        "expand", help="write the text that the assembler reads of a template or of macros"
    )
    add_define_option(expand)
    expand.add_argument(
        "--map",
        action="store_true",
        help="instead, write where each line was written: a JSON object a line, with the keys "
        "line, file, row and column",
    )
    _add_files(expand, "the program")
    disassemble = commands.add_parser(
        "disassemble",
        help="turn an image into a program that assembles to the same words",
        epilog=_FORMATS + _GUESS,
    )
    disassemble.add_argument(
        "--format", choices=FORMATS, help="the format of the image (default: detected)"
    )
    _add_files(disassemble, "the image")
    docs = commands.add_parser(
        _DOCS,
        help="write the instruction reference, the bundle layout, or a grammar for editors",
        epilog=_DOCS_FORMATS,
    )
    add_isa_option(docs, has_file=False, default=SUPPRESS)
    docs.add_argument(
        "--format", choices=("md", "html", "svg", _TEXTMATE), help="the format to write"
    )
    docs.add_argument(
        "-o", "--output", metavar="DIR", help="write to this folder (default: standard output)"
    )
    return parser


def _add_files(parser: ArgumentParser, what: str) -> None:
    add_isa_option(parser, default=SUPPRESS)  # do not override a value given before the command
    parser.add_argument(
        "file", nargs="?", metavar="FILE", help=f"{what}, or `-` for standard input"
    )
    parser.add_argument("--input", metavar="FILE", help="another way to name FILE")
    parser.add_argument(
        "-o", "--output", metavar="OUT", help="write to OUT (default: standard output)"
    )
