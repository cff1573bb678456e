"""The command `ipu-as`, and its options."""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentTypeError, Namespace
from typing import Any, Final, Mapping, Sequence

from ipu_asm.assembler.images import ELF, FORMATS, LISTING
from ipu_asm.cli.arguments import (
    DEFINE,
    VERSION,
    ArgumentParser,
    Option,
    flag,
    isa_option,
    option,
    warnings_option,
)
from ipu_asm.isa.operands import number_value, quoted

PROGRAM = "ipu-as"
DOCS = "docs"
TEXTMATE = "textmate"
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
_ASSEMBLE = f"""\
{_FORMATS}\
  listing  address, word and source side by side; ipu-run reads it, too. With -o NAME.html it is a
           page, on which branches link to their labels
  elf      XDNA and Colossus: an object for the linker; bin and hex have their only section, hex a
           line a bundle, with all symbols known

examples:
  ipu-as assemble -o kernel.bin kernel.s
  ipu-as assemble -o kernel.html kernel.s
"""
_EXPAND = """\
examples:
  ipu-as expand --define cols=4 kernel.asm
  ipu-as expand --map kernel.asm
"""
_DISASSEMBLE = f"""\
{_FORMATS}
Without --format, ELF files and listings of `llvm-objdump -d` are read as such, other text as hex
or mem, and any other file as bin. Of sets with machine code, bin is the code, and hex its bytes in
memory order, as pairs of digits. Objects need pyelftools (`pip install 'ipu-asm[elf]'`).

examples:
  ipu-as disassemble kernel.bin
  ipu-as disassemble --isa ipu2 -o kernel.s kernel.hex
  ipu-as disassemble --annotate kernel.o
"""
_DOCUMENT = """\
formats:
  md        the reference in Markdown; with -o, also the picture that it shows
  html      the reference as one self-contained page
  svg       a picture of the bundle layout: the bits of each slot and field
  textmate  a TextMate grammar: syntax highlighting for editors and web pages

Without --format: md, html and svg with -o, else md.

examples:
  ipu-as docs --isa ipu2 -o reference
  ipu-as docs --format svg > layout.svg
"""
_COMMON: Final[Mapping[str, Option]] = {
    "isa": isa_option(),
    "warnings": warnings_option(),
    "version": VERSION,
}


def _address(text: str) -> int:
    value = number_value(text)
    if value is None or not 0 <= value < 1 << 32:
        raise ArgumentTypeError(f"expected an address of 32 bits, found {quoted(text)}")
    return value


def _files(what: str) -> dict[str, Any]:
    return {
        "isa": isa_option(default=SUPPRESS),  # a value before the command counts, too
        "file": option(nargs="?", metavar="FILE", help=f"{what}, or `-` for standard input"),
        "input": option("--input", metavar="FILE", help="another way to name FILE"),
        "output": option(
            "-o", "--output", metavar="OUT", help="write to OUT (default: standard output)"
        ),
    }


_COMMANDS: Final[Mapping[str, tuple[str, str, str, Mapping[str, Option]]]] = {
    "assemble": (
        "assemble a program to an image",
        "Errors are printed as `ipu-lint` prints them; then nothing is written.",
        _ASSEMBLE,
        {
            "format": option(
                "--format",
                choices=(*FORMATS, LISTING, ELF),
                help="the image format (default: that of the name of OUT: .hex, .mem, .o, .lst or "
                ".html; else bin)",
            ),
            "defines": DEFINE,
            "warnings": warnings_option(default=SUPPRESS),
            **_files("the program"),
        },
    ),
    "expand": (
        "write the text that the assembler reads of a template or of macros",
        "A program without them is written as it is.",
        _EXPAND,
        {
            "defines": DEFINE,
            "map": flag(
                "--map",
                help="instead, write where each line was written: a JSON object a line, with the "
                "keys line, file, row and column",
            ),
            **_files("the program"),
        },
    ),
    "disassemble": (
        "turn an image, an object or a listing into a program that assembles to the same words",
        "",
        _DISASSEMBLE,
        {
            "format": option(
                "--format", choices=FORMATS, help="the format of the image (default: detected)"
            ),
            "annotate": flag(
                "--annotate",
                help="add comments: address, bytes, where results land, delay slots, loops and "
                "findings",
            ),
            "address": option(
                "--address",
                type=_address,
                default=0,
                metavar="N",
                help="the address of the first byte of machine code (default: 0)",
            ),
            **_files("the image"),
        },
    ),
    DOCS: (
        "write the instruction reference, the bundle layout, or a grammar for editors",
        "They are generated from the description of the instruction set.",
        _DOCUMENT,
        {
            "isa": isa_option(has_file=False, default=SUPPRESS),
            "format": option(
                "--format", choices=("md", "html", "svg", TEXTMATE), help="the format to write"
            ),
            "output": option(
                "-o",
                "--output",
                metavar="DIR",
                help="write to this folder (default: standard output)",
            ),
        },
    ),
}
"""Summary, details, epilog and options of each command."""


def make_parser() -> ArgumentParser:
    """Return the parser of the command."""
    parser = ArgumentParser(
        prog=PROGRAM,
        description="Assemble programs, disassemble images, and write the instruction reference.",
        epilog=_EXAMPLES,
    )
    parser.add_options(_COMMON)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, (summary, details, epilog, options) in _COMMANDS.items():
        description = f"{summary[0].upper()}{summary[1:]}.\n{details}".strip()
        command = commands.add_parser(name, help=summary, description=description, epilog=epilog)
        command.add_options(options)
        command.set_defaults(parser=command)
    return parser


def read_options(argv: Sequence[str] | None) -> Namespace:
    """Return the options of a command line. Exits the process for `--help` and for wrong usage."""
    parser = make_parser()
    options = parser.parse(argv)
    if options.command is None:
        parser.error("expected a command, assemble, expand, disassemble or docs, found none")
    if options.command == DOCS:
        return options
    command: ArgumentParser = options.parser
    if options.input is None:
        what = "the image" if options.command == "disassemble" else "the program"
        command.require_file(options, what)
    elif options.file is not None:
        command.error(f"expected one file, found `{options.file}` and --input `{options.input}`")
    else:
        options.file = options.input
    return options
