"""The command line of `ipu-as`."""

from __future__ import annotations

from argparse import SUPPRESS, Namespace
from typing import Callable, Sequence

from ipu_asm import __version__
from ipu_asm.assembler.images import FORMATS
from ipu_asm.cli.arguments import (
    ArgumentParser,
    add_define_option,
    add_isa_option,
    add_warnings_option,
)

PROGRAM = "ipu-as"
LISTING = "listing"
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
Without --format, a text file is read as hex or mem, and any other file as bin.

examples:
  ipu-as disassemble kernel.bin
  ipu-as disassemble --isa ipu2 -o kernel.s kernel.hex
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


def read_options(argv: Sequence[str] | None) -> Namespace:
    """Return the options of a command line. Exits the process for `--help` and for wrong usage."""
    parser = _parser()
    options = parser.parse(argv)
    if options.command is None:
        parser.error("expected a command, assemble, expand, disassemble or docs, found none")
    if options.command != DOCS:
        _check_file(options)
    return options


def _check_file(options: Namespace) -> None:
    parser: ArgumentParser = options.parser
    if options.input is None:
        parser.require_file(options, options.reads)
    elif options.file is not None:
        parser.error(f"expected one file, found `{options.file}` and --input `{options.input}`")
    else:
        options.file = options.input


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog=PROGRAM,
        description="Assemble programs, disassemble images, and write the instruction reference.",
        epilog=_EXAMPLES,
    )
    add_isa_option(parser)
    add_warnings_option(parser)
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    def add(name: str, summary: str, detail: str, epilog: str) -> ArgumentParser:
        description = f"{summary[0].upper()}{summary[1:]}.\n{detail}".strip()
        made: ArgumentParser = commands.add_parser(
            name, help=summary, description=description, epilog=epilog
        )
        return made

    _add_assemble(add)
    _add_expand(add)
    _add_disassemble(add)
    _add_docs(add)
    return parser


def _add_assemble(add: Callable[..., ArgumentParser]) -> None:
    parser = add(
        "assemble",
        "assemble a program to an image",
        "Errors are printed as `ipu-lint` prints them; then nothing is written.",
        _ASSEMBLE,
    )
    parser.add_argument(
        "--format",
        choices=(*FORMATS, LISTING),
        help="the image format (default: that of the name of OUT: .hex, .mem, .lst or .html; "
        "else bin)",
    )
    add_define_option(parser)
    add_warnings_option(parser, default=SUPPRESS)  # do not override what precedes the command
    _add_files(parser, "the program")


def _add_expand(add: Callable[..., ArgumentParser]) -> None:
    parser = add(
        "expand",
        "write the text that the assembler reads of a template or of macros",
        "A program without them is written as it is.",
        _EXPAND,
    )
    add_define_option(parser)
    parser.add_argument(
        "--map",
        action="store_true",
        help="instead, write where each line was written: a JSON object a line, with the keys "
        "line, file, row and column",
    )
    _add_files(parser, "the program")


def _add_disassemble(add: Callable[..., ArgumentParser]) -> None:
    parser = add(
        "disassemble",
        "turn an image into a program that assembles to the same words",
        "",
        _DISASSEMBLE,
    )
    parser.add_argument(
        "--format", choices=FORMATS, help="the format of the image (default: detected)"
    )
    _add_files(parser, "the image")


def _add_docs(add: Callable[..., ArgumentParser]) -> None:
    parser = add(
        DOCS,
        "write the instruction reference, the bundle layout, or a grammar for editors",
        "They are generated from the description of the instruction set.",
        _DOCUMENT,
    )
    add_isa_option(parser, has_file=False, default=SUPPRESS)
    parser.add_argument(
        "--format", choices=("md", "html", "svg", TEXTMATE), help="the format to write"
    )
    parser.add_argument(
        "-o", "--output", metavar="DIR", help="write to this folder (default: standard output)"
    )


def _add_files(parser: ArgumentParser, what: str) -> None:
    add_isa_option(parser, default=SUPPRESS)  # do not override a value given before the command
    parser.add_argument(
        "file", nargs="?", metavar="FILE", help=f"{what}, or `-` for standard input"
    )
    parser.add_argument("--input", metavar="FILE", help="another way to name FILE")
    parser.add_argument(
        "-o", "--output", metavar="OUT", help="write to OUT (default: standard output)"
    )
    parser.set_defaults(parser=parser, reads=what)
