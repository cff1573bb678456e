"""The options of `ipu-run`."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentTypeError
from itertools import chain
from typing import Callable, Final, Mapping, NoReturn, Sequence

from ipu_asm.assembler.images import FORMATS
from ipu_asm.assembler.kernel import SOURCE
from ipu_asm.cli.arguments import (
    DEFINE,
    VERSION,
    ArgumentParser,
    Options,
    flag,
    isa_option,
    off_flag,
    option,
    repeated,
    warnings_option,
)
from ipu_asm.cli.run.host_options import (
    HostOptions,
    expressions_in,
    joined,
    named_value,
    number,
    register_option,
)
from ipu_asm.config import Value
from ipu_asm.emulator.machine import VARIABLE, Engine, engine_of
from ipu_asm.testbench.data.source import Data, DataError, data_of, target_of

PROGRAM = "ipu-run"
COMMAND_MAX_CYCLES: Final = 10_000_000
"""Limit in bundles of a run by the command, unless `--max-cycles` is given."""
TRACE_LIMIT = 50_000
PROFILE_EXTENSIONS = (".html", ".json")
_WHAT = "a program or an image"
_LISTS = ("--cr", "--lr", "--define", "--set")
_SINGLE = ("--load", "--dump", "--expect")
_EXAMPLES = """\
examples:
  ipu-run kernel.s --dtype fp8_e4m3 --cr 0=0 --cr 1=0x20000 --cr 2=0x40000 \\
          --load inputs.bin@0 --load weights.bin@0x20000 --dump out.bin@0x40000:2560
  ipu-run kernel.s --load inputs.npy@0 --load weights.npz[dense]@0x20000 \\
          --expect expected.npy@0x40000 --dump out.npy@0x40000:20x128:i8
  ipu-run kernel.s --profile kernel.html --trace kernel.json
  ipu-run kernel.s --profile new.json --baseline old.json
  ipu-run kernel.bin --max-cycles 1_000 --state
  ipu-run kernel.s --break --json
  ipu-run kernel.asm --define cols=4
  ipu-run kernel.aie2 --arg *0x70000 --arg *0x72000 --load a.npy@0x70000:bf16 \\
          --expect c.npy@0x72000

Numbers are decimal, or begin with 0x, 0b or 0o; underscores may separate digits. FILE is a program,
or an image that `ipu-as assemble` has written. For --dump, `-` is standard output. Output files are
written after the run, all of them or none: trace, profile and coverage after every run, dumps only
if the program halted or stopped at a break.

Data of --load and --expect are raw bytes, an array in a .npy file, or FILE.npz[NAME] (NAME may be
left out for one array), or generated: zeros, ones, ramp, random:SEED (the same everywhere), as in
`random:7@0x20000:16384`. LENGTH counts elements of DTYPE: of raw files bytes by default, of arrays
their own type, of generated data the type of the run. It takes the first elements; a shape such as
20x128 must be that of the array. DTYPE is i8, u8, i16, u16, i32, u32, f32, fp8 (that of the run) or
a name of the set such as e4m3. An array is converted to DTYPE, rounded to nearest, if all values
fit; without DTYPE its type must be that of elements, bytes, or integer words. For --dump, LENGTH
alone is bytes: `out.npy@0x40000:20x128:i8` writes an array, `out.npz[y]@...` one of several.
Machines for machine code have the types i8 to u64, f16, f32, f64, bf16 and bfp16ebs8 (blocks of
eight numbers in nine bytes), and byte addresses of their data memory.

exit status:
  0    the program halted, or stopped at a break with --break, or where --until says
  1    errors in the program, an assertion that does not hold, a fault, the cycle limit, memory that
       is not as --expect has it, or an expression of --print that has no value
  2    wrong usage, an unreadable file, or data that does not fit into xmem
  3    unknown: an operation whose result no public source states; or an internal error
  130  interrupted by Ctrl-C
"""
_MACHINE = "machine state before the run (default: that of comments and ipu.toml, else of reset)"
_MEMORY = "memory"
_EXECUTION = "execution"
_OUTPUT = "output"


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


def _data(parse: Callable[[str], Data]) -> Callable[[str], Data]:
    """Return a parser of data and their place in memory."""

    def read(value: str) -> Data:
        try:
            return parse(value)
        except DataError as error:
            raise ArgumentTypeError(str(error)) from None

    return read


class RunOptions(Options):
    """The options of `ipu-run`; `host` has those of the machine, by name and as they are given."""

    file: str = option(nargs="?", metavar="FILE", help=f"{_WHAT}, or `-` for standard input")
    isa: str | None = isa_option()
    format: str | None = option(
        "--format",
        choices=(SOURCE, *FORMATS),
        metavar="NAME",
        help=f"the format of FILE: {SOURCE}, {', '.join(FORMATS)} (default: detected)",
    )
    defines: Mapping[str, Value] = DEFINE
    version = VERSION

    host: Mapping[str, str | bool] = HostOptions(group=_MACHINE)  # type: ignore[assignment]
    cr: dict[int, int] = register_option("cr", "set {} register N", _MACHINE)
    lr: dict[int, int] = register_option("lr", "set {} register N", _MACHINE)
    entry: str | None = option(
        "--entry",
        group=_MACHINE,
        metavar="NAME",
        help="run a program of machine code from this function or label (default: its first "
        "function)",
    )
    registers: dict[str, str] = repeated(
        "--set",
        group=_MACHINE,
        type=named_value,
        convert=dict,
        metavar="REG=VALUE",
        help="set a register of a machine for machine code, by its name; several may follow",
    )
    arguments: tuple[str, ...] = repeated(
        "--arg",
        group=_MACHINE,
        metavar="VALUE",
        help="give the function of --entry an argument: numbers are passed in r0, r1, ..., with "
        "`*` in front, as in `*0x70000`, pointers in p0, p1, ...; several may follow, in order",
    )
    finds_inputs: bool = off_flag(
        "--no-found-inputs",
        group=_MACHINE,
        help="take no registers and data from comments such as `# CR cr4 = 64` and from ipu.toml",
    )

    load: tuple[Data, ...] = repeated(
        "--load",
        group=_MEMORY,
        type=_data(data_of),
        metavar="FILE@ADDR[:LENGTH][:DTYPE]",
        help="copy FILE, .npy and .npz included, or generated data to xmem at ADDR; repeatable, "
        "in order",
    )
    dump: tuple[Data, ...] = repeated(
        "--dump",
        group=_MEMORY,
        type=_data(target_of),
        metavar="FILE@ADDR:LENGTH[:DTYPE]",
        help="write LENGTH elements of xmem at ADDR to FILE after the run (DTYPE: bytes by "
        "default); repeatable",
    )
    expect: tuple[Data, ...] = repeated(
        "--expect",
        group=_MEMORY,
        type=_data(data_of),
        metavar="FILE@ADDR[:LENGTH][:DTYPE]",
        help="compare xmem at ADDR with FILE after the run, bit by bit; a difference is exit "
        "status 1; repeatable",
    )
    load_state: str | None = option(
        "--load-state",
        group=_MEMORY,
        metavar="FILE",
        help="begin with registers and memory of a run that --save-state has saved: where that "
        "stopped, or with the first bundle if it had halted",
    )
    save_state: str | None = option(
        "--save-state",
        group=_MEMORY,
        metavar="FILE",
        help="write registers and memory to FILE after the run, if it ended well",
    )

    max_cycles: int = option(
        "--max-cycles",
        group=_EXECUTION,
        type=_between(1),
        default=COMMAND_MAX_CYCLES,
        metavar="N",
        help=f"stop after N bundles (default: {COMMAND_MAX_CYCLES:,})",
    )
    until: str | None = option(
        "--until",
        group=_EXECUTION,
        metavar="LABEL|EXPRESSION",
        help="stop in front of a label, or where an expression of the debugger holds, such as "
        "`lr4 > 2`",
    )
    breaks: bool = flag(
        "--break",
        group=_EXECUTION,
        help="stop at the first break instruction that is taken (default: ignore them)",
    )
    interactive: bool = flag(
        "--interactive",
        group=_EXECUTION,
        help="debug the program in the terminal, or with the commands of a pipe: `help` lists them",
    )
    commands: str | None = option(
        "--commands",
        group=_EXECUTION,
        metavar="FILE",
        help="debug the program with the commands in FILE, one a line; the first that fails ends "
        "the session with status 1",
    )
    assertions: bool = off_flag(
        "--no-assertions",
        group=_EXECUTION,
        help="ignore assertions in comments, such as `# ASSERT lr5 < 128`",
    )
    engine: str = option(
        "--engine",
        group=_EXECUTION,
        choices=[engine.value for engine in Engine],
        metavar="NAME",
        help="what executes bundles, with the same results: core (compiled), numpy, or auto, the "
        f"core for long runs (default: auto, or the environment variable {VARIABLE})",
    )

    json: bool = flag("--json", group=_OUTPUT, help="print the result as a JSON object")
    verbose: bool = flag(
        "-v", "--verbose", group=_OUTPUT, help="say which engine executed the bundles"
    )
    warnings: bool = warnings_option(group=_OUTPUT)
    state: bool = flag("--state", group=_OUTPUT, help="print all registers after the run")
    prints: tuple[str, ...] = repeated(
        "--print",
        group=_OUTPUT,
        type=expressions_in,
        convert=lambda lists: tuple(chain.from_iterable(lists)),
        metavar="EXPRESSIONS",
        help="print values after the run, such as `lr4,r0:i8,acc[0..7]`, in expressions of the "
        "debugger; after a colon a type or a notation (x u b o d); repeatable",
    )
    trace: str | None = option(
        "--trace",
        group=_OUTPUT,
        metavar="FILE",
        help="write a trace of all slots, for Perfetto or chrome://tracing",
    )
    trace_limit: int = option(
        "--trace-limit",
        group=_OUTPUT,
        type=_between(1),
        metavar="N",
        help=f"trace only the last N bundles (default: {TRACE_LIMIT:,})",
    )
    coverage: str | None = option(
        "--coverage",
        group=_OUTPUT,
        metavar="FILE",
        help="write which lines and branches were executed, for lcov, or as a page (.html)",
    )
    profiles: Sequence[str] = repeated(
        "--profile",
        group=_OUTPUT,
        type=_profile_name,
        metavar="FILE",
        help="write a profile of the cycles, as a page (.html) or as data (.json); repeatable",
    )
    baseline: str | None = option(
        "--baseline",
        group=_OUTPUT,
        metavar="OLD",
        help="compare with a profile (.json) of a run before: lines with more or fewer cycles",
    )

    @property
    def is_debugged(self) -> bool:
        """Return whether the program is run by the terminal debugger."""
        return self.interactive or self.commands is not None

    @property
    def is_recorded(self) -> bool:
        """Return whether the path of the run is needed after it."""
        paths = (self.trace, *self.profiles, self.baseline, self.coverage)
        return any(path is not None for path in paths)

    @property
    def has_inputs(self) -> bool:
        """Return whether the user gives registers, data or options of the machine."""
        given = (self.cr, self.lr, self.host, self.load, self.expect, self.load_state)
        return any((*given, self.registers, self.arguments, self.entry))

    @property
    def inputs(self) -> list[str]:
        """Return the files that are read for the run: program, data, commands."""
        data = (each.source.file for each in (*self.load, *self.expect))
        others = (self.commands, self.baseline)
        return [self.file, *data, *(path for path in others if path is not None)]

    @property
    def outputs(self) -> list[str]:
        """Return the files that the run writes."""
        dumped = dict.fromkeys(dump.source.file for dump in self.dump)
        return [*dumped, *self.other_outputs]

    @property
    def other_outputs(self) -> list[str]:
        """Return the files that the run writes besides dumps."""
        paths = (self.save_state, self.trace, *self.profiles, self.coverage)
        return [path for path in paths if path is not None]


def make_parser() -> ArgumentParser:
    """Return the parser of the command."""
    parser = ArgumentParser(
        prog=PROGRAM,
        usage=f"{PROGRAM} [options] FILE",
        description="Run a program in the emulator.",
        epilog=_EXAMPLES,
    )
    parser.add_options(RunOptions.declared())
    return parser


def usage_error(message: str) -> NoReturn:
    """Print how the command is used and a message, and exit the process."""
    make_parser().error(message)


def read_options(arguments: Sequence[str] | None) -> RunOptions:
    """Return the options of a command line. Exits the process for `--help` and for wrong usage.

    `checks.check_options` checks whether they agree with each other.
    """
    parser = make_parser()
    given = sys.argv[1:] if arguments is None else arguments
    parsed = parser.parse(list(joined(given, _LISTS, _SINGLE)))
    parser.require_file(parsed, _WHAT)
    if parsed.trace_limit is not None and parsed.trace is None:
        parser.error("--trace-limit needs --trace")
    parsed.trace_limit = parsed.trace_limit or TRACE_LIMIT
    if parsed.engine is None:
        parsed.engine = os.environ.get(VARIABLE) or Engine.AUTO.value
        try:
            engine_of(parsed.engine)
        except ValueError as error:
            parser.error(f"{VARIABLE}: {error}")
    return RunOptions.of(parsed)
