"""The command line of `ipu-run`."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentTypeError, Namespace
from itertools import combinations
from typing import Callable, Iterator, Mapping, NamedTuple, NoReturn, Sequence

from ipu_asm import __version__
from ipu_asm.assembler.images import FORMATS
from ipu_asm.assembler.kernel import SOURCE
from ipu_asm.cli.arguments import (
    ArgumentParser,
    add_define_option,
    add_isa_option,
    add_warnings_option,
)
from ipu_asm.cli.run.host_options import add_host_option, host_option_names
from ipu_asm.cli.run.option_values import (
    DumpRequest,
    LoadRequest,
    add_register_options,
    dump_request,
    load_request,
    number,
)
from ipu_asm.config.configuration import Value
from ipu_asm.config.files import STANDARD_INPUT, Target, input_at, is_same_file
from ipu_asm.emulator.engine import VARIABLE, Engine, engine_of

PROGRAM = "ipu-run"
MAX_CYCLES = 10_000_000
TRACE_LIMIT = 50_000
PROFILE_EXTENSIONS = (".html", ".json")

_EXAMPLES = """\
examples:
  ipu-run kernel.s --dtype fp8_e4m3 --cr 0=0 --cr 1=0x20000 --cr 2=0x40000 \\
          --load inputs.bin@0 --load weights.bin@0x20000 --dump out.bin@0x40000:2560
  ipu-run kernel.s --profile kernel.html --trace kernel.json
  ipu-run kernel.bin --max-cycles 1_000 --state
  ipu-run kernel.s --break --json
  ipu-run kernel.asm --define cols=4

Numbers are decimal, or begin with 0x, 0b or 0o; underscores may separate digits. FILE is a program,
or an image that `ipu-as assemble` has written. For --dump, `-` is standard output. Output files are
written after the run, all of them or none: trace and profile after every run, dumps only if the
program halted or stopped at a break.

exit status:
  0    the program halted, or stopped at a break with --break
  1    errors in the program, an assertion that does not hold, a fault, or the cycle limit
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
    load: tuple[LoadRequest, ...]
    dump: tuple[DumpRequest, ...]
    max_cycles: int
    breaks: bool
    assertions: bool
    engine: str
    verbose: bool
    json: bool
    state: bool
    trace: str | None
    trace_limit: int
    profile: str | None
    warnings: bool
    defines: Mapping[str, Value]

    @property
    def outputs(self) -> list[str]:
        """Return the files that the run writes."""
        others = [path for path in (self.trace, self.profile) if path is not None]
        return [*(dump.file for dump in self.dump), *others]


def usage_error(message: str) -> NoReturn:
    """Print how the command is used and a message, and exit the process."""
    _parser().error(message)


def read_options(arguments: Sequence[str] | None) -> RunOptions:
    """Return the options of a command line. Exits the process for `--help` and for wrong usage."""
    parser = _parser()
    given = sys.argv[1:] if arguments is None else arguments
    namespace = parser.parse(list(_joined(given)))
    if namespace.trace_limit is not None and namespace.trace is None:
        parser.error("--trace-limit needs --trace")
    options = _options(namespace)
    try:
        engine_of(options.engine)  # argparse does not look at the default
    except ValueError as error:
        parser.error(f"{VARIABLE}: {error}")
    for problem in (_dumps, _outputs, _streams):
        message = problem(options)
        if message:
            parser.error(message)
    return options


def _joined(arguments: Sequence[str]) -> Iterator[str]:
    """Yield the arguments with `--load -@0` as `--load=-@0`: argparse takes `-@0` for an option."""
    valued = ("--load", "--dump", "--cr", "--lr")
    rest = iter(arguments)
    for argument in rest:
        value = next(rest, None) if argument in valued else None
        yield argument if value is None else f"{argument}={value}"


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
            "trace_limit": values["trace_limit"] or TRACE_LIMIT,
        }
    )


def _dumps(options: RunOptions) -> str | None:
    for one, other in combinations(options.dump, 2):
        if one.address < other.end and other.address < one.end:
            return f"--dump: `{one.text}` and `{other.text}` overlap"
    return None


def _outputs(options: RunOptions) -> str | None:
    for one, other in combinations(options.outputs, 2):
        if os.path.realpath(one) == os.path.realpath(other) or is_same_file(one, other):
            return f"two outputs are the same file: `{one}` and `{other}`"
    names = [options.file, *(load.file for load in options.load)]
    inputs = [Target.of_argument(name) for name in names]
    for output in options.outputs:
        found = input_at(output, inputs) if output != STANDARD_INPUT else None
        if found is not None:
            what = "the program" if found is inputs[0] else "a file that --load reads"
            return f"`{output}` would replace {what}"
    return None


def _streams(options: RunOptions) -> str | None:
    inputs = [options.file, *(load.file for load in options.load)]
    if inputs.count(STANDARD_INPUT) > 1:
        return "standard input can be read only once"
    if options.json and STANDARD_INPUT in options.outputs:
        return "--json and --dump cannot both write to standard output"
    return None


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog=PROGRAM,
        usage=f"{PROGRAM} [options] FILE",
        description="Run a program in the emulator.",
        epilog=_EXAMPLES,
    )
    parser.add_argument(
        "file", metavar="FILE", help="a program or an image, or `-` for standard input"
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
    _add_data(parser)
    _add_run(parser)
    _add_output(parser)
    return parser


def _add_machine(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("machine state before the run (default: that after reset)")
    for name in host_option_names():
        add_host_option(group, name)
    add_register_options(group, "set {} register N")


def _add_data(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("memory")
    group.add_argument(
        "--load",
        action="append",
        default=[],
        type=load_request,
        metavar="FILE@ADDR[:LENGTH]",
        help="copy FILE, or its first LENGTH bytes, to xmem at ADDR; repeatable, in order",
    )
    group.add_argument(
        "--dump",
        action="append",
        default=[],
        type=dump_request,
        metavar="FILE@ADDR:LENGTH",
        help="write LENGTH bytes of xmem at ADDR to FILE after the run; repeatable",
    )


def _add_run(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("execution")
    group.add_argument(
        "--max-cycles",
        type=_between(1),
        default=MAX_CYCLES,
        metavar="N",
        help=f"stop after N bundles (default: {MAX_CYCLES:,})",
    )
    group.add_argument(
        "--break",
        dest="breaks",
        action="store_true",
        help="stop at the first break instruction that is taken (default: ignore them)",
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
