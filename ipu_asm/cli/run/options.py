"""The command line of `ipu-run`."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentTypeError, Namespace
from itertools import chain
from typing import Callable, Final, Mapping, NoReturn, Sequence

from ipu_asm import __version__
from ipu_asm.assembler.images import FORMATS
from ipu_asm.assembler.kernel import SOURCE
from ipu_asm.cli.arguments import (
    ArgumentParser,
    add_define_option,
    add_isa_option,
    add_warnings_option,
)
from ipu_asm.cli.run.data_options import DATA_HELP, add_data_options
from ipu_asm.cli.run.host_options import add_host_option, host_option_names
from ipu_asm.cli.run.option_values import add_register_options, expressions_in, joined, number
from ipu_asm.config.configuration import Value
from ipu_asm.emulator.engine import VARIABLE, Engine, engine_of
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.testbench.data.source import Data

PROGRAM = "ipu-run"
COMMAND_MAX_CYCLES: Final = 10_000_000
"""Limit in bundles of a run by the command, unless `--max-cycles` is given."""
TRACE_LIMIT = 50_000
PROFILE_EXTENSIONS = (".html", ".json")
_WHAT = "a program or an image"
_LISTS = ("--cr", "--lr", "--define")
_SINGLE = ("--load", "--dump", "--expect")
_EXAMPLES = f"""\
examples:
  ipu-run kernel.s --dtype fp8_e4m3 --cr 0=0 --cr 1=0x20000 --cr 2=0x40000 \\
          --load inputs.bin@0 --load weights.bin@0x20000 --dump out.bin@0x40000:2560
  ipu-run kernel.s --load inputs.npy@0 --load weights.npz[dense]@0x20000 \\
          --expect expected.npy@0x40000 --dump out.npy@0x40000:20x128:i8
  ipu-run kernel.s --profile kernel.html --trace kernel.json
  ipu-run kernel.bin --max-cycles 1_000 --state
  ipu-run kernel.s --break --json
  ipu-run kernel.asm --define cols=4

Numbers are decimal, or begin with 0x, 0b or 0o; underscores may separate digits. FILE is a program,
or an image that `ipu-as assemble` has written. For --dump, `-` is standard output. Output files are
written after the run, all of them or none: trace, profile and coverage after every run, dumps only
if the program halted or stopped at a break.

{DATA_HELP}
exit status:
  0    the program halted, or stopped at a break with --break, or where --until says
  1    errors in the program, an assertion that does not hold, a fault, the cycle limit, memory that
       is not as --expect has it, or an expression of --print that has no value
  2    wrong usage, an unreadable file, or data that does not fit into xmem
  3    internal error
  130  interrupted by Ctrl-C
"""


class RunOptions(NamedTuple):
    """The options of `ipu-run`; `host` has those of the machine, by name and as they are given."""

    file: str
    isa: str | None
    format: str | None
    host: Mapping[str, str | bool]
    cr: dict[int, int]
    lr: dict[int, int]
    load: tuple[Data, ...]
    dump: tuple[Data, ...]
    expect: tuple[Data, ...]
    save_state: str | None
    load_state: str | None
    max_cycles: int
    until: str | None
    breaks: bool
    assertions: bool
    engine: str
    verbose: bool
    json: bool
    state: bool
    prints: tuple[str, ...]
    trace: str | None
    trace_limit: int
    profile: str | None
    coverage: str | None
    warnings: bool
    interactive: bool
    commands: str | None
    finds_inputs: bool
    defines: Mapping[str, Value]

    @property
    def is_debugged(self) -> bool:
        """Return whether the program is run by the terminal debugger."""
        return self.interactive or self.commands is not None

    @property
    def has_inputs(self) -> bool:
        """Return whether the user gives registers, data or options of the machine."""
        given = (self.cr, self.lr, self.host, self.load, self.expect, self.load_state)
        return any(given)

    @property
    def inputs(self) -> list[str]:
        """Return the files that are read for the run: program, data, commands."""
        data = (each.source.file for each in (*self.load, *self.expect))
        return [self.file, *data, *([self.commands] if self.commands else [])]

    @property
    def outputs(self) -> list[str]:
        """Return the files that the run writes."""
        dumped = dict.fromkeys(dump.source.file for dump in self.dump)
        return [*dumped, *self.other_outputs]

    @property
    def other_outputs(self) -> list[str]:
        """Return the files that the run writes besides dumps."""
        paths = (self.save_state, self.trace, self.profile, self.coverage)
        return [path for path in paths if path is not None]


def usage_error(message: str) -> NoReturn:
    """Print how the command is used and a message, and exit the process."""
    _parser().error(message)


def read_options(arguments: Sequence[str] | None) -> RunOptions:
    """Return the options of a command line. Exits the process for `--help` and for wrong usage.

    Whether they agree with each other is a question for `exclusions.check_options`.
    """
    parser = _parser()
    given = sys.argv[1:] if arguments is None else arguments
    namespace = parser.parse(list(joined(given, _LISTS, _SINGLE)))
    parser.require_file(namespace, _WHAT)
    if namespace.trace_limit is not None and namespace.trace is None:
        parser.error("--trace-limit needs --trace")
    options = _options(namespace)
    try:
        engine_of(options.engine)  # argparse does not look at the default
    except ValueError as error:
        parser.error(f"{VARIABLE}: {error}")
    return options


def _options(namespace: Namespace) -> RunOptions:
    values = vars(namespace)
    host = {name: values.pop(name) for name in host_option_names()}
    return RunOptions(
        **{
            **values,
            "host": {name: value for name, value in host.items() if value is not None},
            "cr": dict(values["cr"]),
            "lr": dict(values["lr"]),
            "defines": dict(values["defines"]),
            "load": tuple(values["load"]),
            "dump": tuple(values["dump"]),
            "expect": tuple(values["expect"]),
            "prints": tuple(chain.from_iterable(values["prints"])),
            "trace_limit": values["trace_limit"] or TRACE_LIMIT,
        }
    )


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog=PROGRAM,
        usage=f"{PROGRAM} [options] FILE",
        description="Run a program in the emulator.",
        epilog=_EXAMPLES,
    )
    parser.add_argument(
        "file", nargs="?", metavar="FILE", help=f"{_WHAT}, or `-` for standard input"
    )
    add_isa_option(parser)
    parser.add_argument(
        "--format",
        choices=(SOURCE, *FORMATS),
        metavar="NAME",
        help=f"the format of FILE: {SOURCE}, {', '.join(FORMATS)} (default: detected)",
    )
    add_define_option(parser)
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    _add_machine(parser)
    add_data_options(parser)
    _add_run(parser)
    _add_output(parser)
    return parser


def _add_machine(parser: ArgumentParser) -> None:
    group = parser.add_argument_group(
        "machine state before the run (default: that of comments and ipu.toml, else of reset)"
    )
    for name in host_option_names():
        add_host_option(group, name)
    add_register_options(group, "set {} register N")
    group.add_argument(
        "--no-found-inputs",
        dest="finds_inputs",
        action="store_false",
        help="take no registers and data from comments such as `# CR cr4 = 64` and from ipu.toml",
    )


def _add_run(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("execution")
    group.add_argument(
        "--max-cycles",
        type=_between(1),
        default=COMMAND_MAX_CYCLES,
        metavar="N",
        help=f"stop after N bundles (default: {COMMAND_MAX_CYCLES:,})",
    )
    group.add_argument(
        "--until",
        metavar="LABEL|EXPRESSION",
        help="stop in front of a label, or where an expression of the debugger holds, such as "
        "`lr4 > 2`",
    )
    group.add_argument(
        "--break",
        dest="breaks",
        action="store_true",
        help="stop at the first break instruction that is taken (default: ignore them)",
    )
    group.add_argument(
        "--interactive",
        action="store_true",
        help="debug the program in the terminal, or with the commands of a pipe: `help` lists them",
    )
    group.add_argument(
        "--commands",
        metavar="FILE",
        help="debug the program with the commands in FILE, one a line; the first that fails ends "
        "the session with status 1",
    )
    group.add_argument(
        "--no-assertions",
        dest="assertions",
        action="store_false",
        help="ignore assertions in comments, such as `# ASSERT lr5 < 128`",
    )
    group.add_argument(
        "--engine",
        choices=[engine.value for engine in Engine],
        default=os.environ.get(VARIABLE) or Engine.AUTO.value,
        metavar="NAME",
        help="what executes bundles, with the same results: core (compiled), numpy, or auto, the "
        f"core for long runs (default: auto, or the environment variable {VARIABLE})",
    )


def _add_output(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument("--json", action="store_true", help="print the result as a JSON object")
    group.add_argument(
        "-v", "--verbose", action="store_true", help="say which engine executed the bundles"
    )
    add_warnings_option(group)
    group.add_argument("--state", action="store_true", help="print all registers after the run")
    group.add_argument(
        "--print",
        dest="prints",
        action="append",
        default=[],
        type=expressions_in,
        metavar="EXPRESSIONS",
        help="print values after the run, such as `lr4,r0:i8,acc[0..7]`, in expressions of the "
        "debugger; behind a colon a type or a notation (x u b o d); repeatable",
    )
    group.add_argument(
        "--trace",
        metavar="FILE",
        help="write a trace of all slots, for Perfetto or chrome://tracing",
    )
    group.add_argument(
        "--trace-limit",
        type=_between(1),
        metavar="N",
        help=f"trace only the last N bundles (default: {TRACE_LIMIT:,})",
    )
    group.add_argument(
        "--coverage",
        metavar="FILE",
        help="write which lines and branches were executed, for lcov, or as a page (.html)",
    )
    group.add_argument(
        "--profile",
        type=_profile_name,
        metavar="FILE",
        help="write a profile of the cycles, as a page (.html) or as data (.json)",
    )


def _between(least: int, most: int | None = None) -> Callable[[str], int]:
    """Return a parser of numbers in a range."""

    def read(text: str) -> int:
        value = number(text)
        if value < least or (most is not None and value > most):
            wanted = f"at least {least}" if most is None else f"{least} to {most}"
            raise ArgumentTypeError(f"expected {wanted}, found {value}")
        return value

    return read


def _profile_name(text: str) -> str:
    if os.path.splitext(text)[1].lower() not in PROFILE_EXTENSIONS:
        wanted = " or ".join(PROFILE_EXTENSIONS)
        raise ArgumentTypeError(f"expected a name that ends in {wanted}, found `{text}`")
    return text
